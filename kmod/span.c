// SPDX-License-Identifier: GPL-2.0
/*
 * COROPROF_IOC_SPAN: the difference of two totals of a coroutine, written as a record into the
 * middle of the open slice. By the thread itself, interrupts off while it writes.
 */
#include <linux/irqflags.h>

#include "args.h"
#include "channel-layout.h"
#include "recording.h"
#include "ring.h"
#include "slice.h"
#include "span.h"

/*
 * What lies between two totals of a coroutine. Both are plain data of its
 * process: what comes of them may be nonsense, and harms nobody but that.
 */
struct span_deltas {
	u64 running_ns;
	u64 missing[COROPROF_COUNTERS_MAX];
	u16 standing;
	bool partial;
};

/* Of a counter that was missing for so long. @total: its standing in the totals. */
static u32 standing_of(u32 total, u64 running_ns, s64 missing)
{
	if (total == COROPROF_STANDING_UNSUPPORTED)
		return total;
	if (missing <= 0)
		return COROPROF_STANDING_COUNTED;
	if (missing < running_ns)
		return COROPROF_STANDING_SCALED;
	return COROPROF_STANDING_NOT_SCHEDULED;
}

static void span_deltas(const struct coroprof_span *span, const struct coroprof_totals *totals,
			u32 nr, struct span_deltas *deltas)
{
	u32 standing, i;

	/* The clock may differ by a little between CPUs. */
	deltas->running_ns = totals->running_ns - min(span->running_ns, totals->running_ns);
	deltas->standing = 0;
	deltas->partial = false;
	for (i = 0; i < nr; i++) {
		u64 missing = totals->missing_ns[i] - span->missing_ns[i];

		standing = standing_of(COROPROF_STANDING(totals->standing, i),
				       deltas->running_ns, missing);
		deltas->standing |= standing << (2 * i);
		deltas->missing[i] = 0;
		if (standing == COROPROF_STANDING_SCALED ||
		    standing == COROPROF_STANDING_NOT_SCHEDULED) {
			deltas->missing[i] = min(missing, deltas->running_ns);
			deltas->partial = true;
		}
	}
}

static void span_put(struct coroprof_record_span *record, const struct coroprof_span *span,
		     const struct coroprof_totals *totals, u32 nr,
		     const struct span_deltas *deltas)
{
	u64 *to = (u64 *)(record + 1);
	u32 i;

	record->type = COROPROF_RECORD_SPAN;
	record->slot = totals->slot;
	record->time = totals->time;
	record->duration = totals->time - min(span->time, totals->time);
	record->id = totals->id;
	record->label = span->label;
	record->flags = deltas->partial ? COROPROF_SPAN_SCALED : 0;
	record->standing = deltas->standing;
	record->running_ns = min(deltas->running_ns, record->duration);
	record->depth = span->depth;
	record->reserved = 0;
	for (i = 0; i < nr; i++)
		*to++ = totals->count[i] - span->count[i];
	if (deltas->partial) {
		for (i = 0; i < nr; i++)
			*to++ = deltas->missing[i];
	}
}

static void span_write(struct coroprof_recording *recording, const struct coroprof_span *span,
		       const struct coroprof_totals *totals)
{
	struct coroprof_record_span *record;
	struct span_deltas deltas;
	u32 size;

	span_deltas(span, totals, recording->nr, &deltas);
	size = sizeof(*record) + recording->nr * sizeof(u64) * (deltas.partial ? 2 : 1);
	record = coroprof_recording_reserve(recording, size);
	if (record) {
		span_put(record, span, totals, recording->nr, &deltas);
		record->size = size;
		coroprof_ring_commit(recording->ring, size);
	} else {
		coroprof_ring_drop_span(recording->ring, totals->time);
	}
}

/* As one who may touch the slice. */
static int span_end(struct coroprof_channel *channel, const struct coroprof_span *span)
{
	struct coroprof_totals totals;
	u64 head;
	int err;

	if (channel->recording)
		coroprof_slice_totals(channel, &totals);
	err = coroprof_slice_insert(channel, &head);
	if (err)
		return err;
	span_write(channel->recording, span, &totals);
	coroprof_slice_inserted(channel, head);
	return 0;
}

/* COROPROF_IOC_SPAN, by the thread itself. */
long coroprof_span(struct coroprof_channel *channel, void __user *arg)
{
	struct coroprof_span span;
	int err;

	err = coroprof_args_in(&span, sizeof(span), sizeof(span), arg);
	if (err)
		return err;
	if (span.flags)
		return -EINVAL;

	local_irq_disable();
	err = span_end(channel, &span);
	local_irq_enable();
	return err;
}
