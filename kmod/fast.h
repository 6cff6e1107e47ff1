/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fast switch, which most are: the thread switches by ioctl and is recorded; of the
 * slice that ends nothing but its counts has to be recorded, all of them COUNTED; and
 * there is certainly room for its record. This file does in one go what slice.c does
 * step by step.
 */
#ifndef COROPROF_FAST_H
#define COROPROF_FAST_H

#include <linux/timekeeping.h>

#include "channel-layout.h"
#include "counters.h"
#include "perf.h"
#include "recording.h"
#include "ring.h"

/* Undo the steps of the counters before @at. @delta: what @at counted. */
static noinline void coroprof_fast_undo(struct coroprof_channel *channel,
					struct coroprof_counter_at *at, const u64 *delta)
{
	struct coroprof_counters *counters = channel->counters;

	while (at-- != counters->at) {
		delta--;
		at->count -= *delta;
		channel->slot->count[at - counters->at] -= *delta;
	}
}

/*
 * Read the counters into the record and the totals. Returns false, and has changed
 * nothing, unless every counter was on the PMU for the whole slice. Then the counts are
 * all that has to be updated, because the lags have not changed.
 *
 * The events are the calling thread's, and interrupts are off: an event that is on any
 * CPU is on this one.
 */
static __always_inline bool coroprof_fast_count(struct coroprof_channel *channel,
						struct coroprof_counters *counters, u64 *delta,
						u64 *total)
{
	struct coroprof_counter_at *at = counters->at, *end = counters->end;
	long apart = (char *)total - (char *)delta;

	/* One pointer moves, and reaches both: the compiler would make two of it again. */
	OPTIMIZER_HIDE_VAR(apart);
	for (; at != end; at++, delta++) {
		struct perf_event *event = at->event;
		u64 now, counted;
		bool slow;

		if (unlikely(!event)) {
			*delta = 0;
			continue;
		}
		/* Without a short circuit: one branch. */
		slow = event->total_time_enabled - event->total_time_running != at->lag;
		slow |= event->oncpu < 0;
		if (unlikely(slow)) {
			coroprof_fast_undo(channel, at, delta);
			return false;
		}
		now = coroprof_event_count(event);
		counted = now - at->count;
		at->count = now;
		*(u64 *)((char *)delta + apart) += counted;
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

/*
 * The fixed part of the record is written as words, or as halves of words: all kernels we support
 * are little endian.
 */
#define COROPROF_FAST_WORDS (sizeof(struct coroprof_record_slice) / sizeof(u64))
static_assert(COROPROF_FAST_WORDS == 5);
static_assert(IS_ENABLED(CONFIG_CPU_LITTLE_ENDIAN) || IS_ENABLED(CONFIG_X86));

/*
 * The slice of channel->slot ends, the counts of which are in the record and in the totals, and
 * one of @slot begins. All that it needs is in the channel, so that no register has to keep
 * anything of this while perf reads the counters.
 */
static __always_inline void coroprof_fast_commit(struct coroprof_channel *channel,
						 struct coroprof_recording *recording,
						 struct coroprof_slot *slot, unsigned long arg)
{
	u64 clock = ktime_get_mono_fast_ns(), began = channel->began;
	u64 now = max(clock, began);
	struct coroprof_ring *ring = recording->ring;
	struct coroprof_ring_producer *producer = ring->producer;
	struct coroprof_slot *left = channel->slot;
	u64 head = ring->head, *record = ring->data + (head & ring->mask);
	u32 size = recording->fast_size, first = recording->fast_first;
	u32 left_nr = channel->slot_nr, *halves = (u32 *)record;
	u64 id = READ_ONCE(left->id);
	u32 label = READ_ONCE(left->label), standing = recording->fast_standing;

	halves[0] = first;
	halves[1] = left_nr;
	record[1] = now;
	record[2] = now - began;
	record[3] = id;
	halves[8] = label;
	halves[9] = (arg & COROPROF_FAST_FLAGS) >> COROPROF_FAST_SHIFT |
		    standing << 16;

	left->slices++;
	left->running_ns += now - began;
	recording->end = now;
	recording->slices++;
	WRITE_ONCE(channel->left, left_nr);
	WRITE_ONCE(channel->slot_nr, arg & COROPROF_SWITCH_SLOT_MASK);
	channel->slot = slot;
	channel->began = now;
	coroprof_ring_commit_to(ring, producer, head + size);
}

/**
 * coroprof_fast_switch() - switch, if this switch is a fast one
 * @channel: the calling thread's; it has interrupts off
 * @slot:    memory of the slot that is current from now on
 * @arg:     its number, and flags, no others than in COROPROF_FAST_ARG
 *
 * Returns false, and has changed nothing, if it is not.
 */
static __always_inline bool coroprof_fast_switch(struct coroprof_channel *channel,
						 struct coroprof_slot *slot, unsigned long arg)
{
	struct coroprof_recording *recording = channel->fast;
	struct coroprof_slot *left = channel->slot;
	struct coroprof_counters *counters;
	struct coroprof_ring *ring;
	u64 *record;
	bool slow;

	if (unlikely(!recording || READ_ONCE(slot->wake_time)))
		return false;

	counters = recording->counters;
	ring = recording->ring;
	/* Without a short circuit: one branch. */
	slow = left->standing != recording->fast_standing;
	slow |= (s64)ring->head > recording->fast_last;
	if (unlikely(slow))
		return false;

	record = coroprof_ring_at_head(ring);
	if (unlikely(!coroprof_fast_count(channel, counters, record + COROPROF_FAST_WORDS,
					  left->count)))
		return false;
	coroprof_fast_commit(channel, recording, slot, arg);
	return true;
}

#endif /* COROPROF_FAST_H */
