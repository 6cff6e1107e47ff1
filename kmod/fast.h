/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast switch, which most are: the thread switches by ioctl and is recorded; of the
 * slice that ends nothing but its counts has to be recorded, all of them COUNTED; and
 * there is certainly room for its record. This file does in one go what slice.c does
 * step by step.
 */
#ifndef COROPROF_FAST_H
#define COROPROF_FAST_H

#include <linux/smp.h>
#include <linux/timekeeping.h>

#include "channel-layout.h"
#include "counters.h"
#include "recording.h"
#include "ring.h"

/* Undo the steps of the counters before @at. @delta: what @at counted. */
static noinline void coroprof_fast_undo(struct coroprof_counters *counters,
					struct coroprof_counter_at *at, const u64 *delta,
					struct coroprof_slot *slot)
{
	while (at-- != counters->at) {
		delta--;
		at->count -= *delta;
		slot->count[at - counters->at] -= *delta;
	}
}

/*
 * Read the counters into the record and the totals. Returns false, and has changed
 * nothing, unless every counter was on the PMU for the whole slice. Then the counts are
 * all that has to be updated, because the lags have not changed.
 */
static __always_inline bool coroprof_fast_count(struct coroprof_counters *counters, u64 *delta,
						struct coroprof_slot *slot)
{
	struct coroprof_counter_at *at = counters->at, *end = at + counters->nr;
	u64 *total = slot->count;

	for (; at != end; at++, delta++, total++) {
		struct perf_event *event = at->event;
		u64 now, counted = 0;

		if (likely(event)) {
			if (unlikely(event->oncpu != smp_processor_id() ||
				     event->total_time_enabled - event->total_time_running !=
					     at->lag)) {
				coroprof_fast_undo(counters, at, delta, slot);
				return false;
			}
			event->pmu->read(event);
			now = local64_read(&at->event->count);
			counted = now - at->count;
			at->count = now;
			*total += counted;
		}
		*delta = counted;
	}
	return true;
}

/* END and READY of a slice are the same bits as in the argument, shifted down. */
#define COROPROF_FAST_SHIFT 21
static_assert(COROPROF_SWITCH_END >> COROPROF_FAST_SHIFT == COROPROF_SLICE_END);
static_assert(COROPROF_SWITCH_READY >> COROPROF_FAST_SHIFT == COROPROF_SLICE_READY);

#define COROPROF_FAST_FLAGS	(COROPROF_SWITCH_END | COROPROF_SWITCH_READY)
#define COROPROF_FAST_ARG	(COROPROF_SWITCH_SLOT_MASK | COROPROF_FAST_FLAGS)

/* The fixed part of the record is written as words: all kernels we support are little endian. */
#define COROPROF_FAST_WORDS (sizeof(struct coroprof_record_slice) / sizeof(u64))
static_assert(COROPROF_FAST_WORDS == 5);
static_assert(IS_ENABLED(CONFIG_CPU_LITTLE_ENDIAN) || IS_ENABLED(CONFIG_X86));

/**
 * coroprof_fast_switch() - switch, if this switch is a fast one
 * @channel: the calling thread's; it has interrupts off
 * @nr:      number of the slot that is current from now on
 * @slot:    its memory
 * @arg:     slot and flags, no others than in COROPROF_FAST_ARG
 *
 * Returns false, and has changed nothing, if it is not.
 */
static __always_inline bool coroprof_fast_switch(struct coroprof_channel *channel, u32 nr,
						 struct coroprof_slot *slot, unsigned long arg)
{
	struct coroprof_recording *recording = channel->fast;
	struct coroprof_slot *left = channel->slot;
	struct coroprof_counters *counters;
	struct coroprof_ring *ring;
	u64 now, began, *record;
	u32 left_nr;

	if (unlikely(!recording || READ_ONCE(slot->wake_time)))
		return false;

	counters = recording->counters;
	ring = recording->ring;
	if (unlikely(left->standing != counters->full ||
		     ring->head + recording->fast_size > recording->fast_until))
		return false;

	record = coroprof_ring_at_head(ring);
	if (unlikely(!coroprof_fast_count(counters, record + COROPROF_FAST_WORDS, left)))
		return false;

	began = channel->began;
	now = max_t(u64, ktime_get_mono_fast_ns(), began);
	left_nr = channel->slot_nr;
	record[0] = recording->fast_first | (u64)left_nr << 32;
	record[1] = now;
	record[2] = now - began;
	record[3] = READ_ONCE(left->id);
	record[4] = READ_ONCE(left->label) |
		    (u64)(arg & COROPROF_FAST_FLAGS) >> COROPROF_FAST_SHIFT << 32 |
		    (u64)counters->full << 48;

	left->slices++;
	left->running_ns += now - began;
	recording->slices++;
	recording->end = now;
	WRITE_ONCE(channel->left, left_nr);
	WRITE_ONCE(channel->slot_nr, nr);
	channel->slot = slot;
	channel->began = now;
	coroprof_ring_commit(ring, recording->fast_size);
	return true;
}

#endif /* COROPROF_FAST_H */
