/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The gap before a slice: how much of it the coroutine awaited, and how much it was ready; model.h
 * defines these times. Inline, as it is for every slice.
 */
#ifndef COROPROF_GAPS_H
#define COROPROF_GAPS_H

#include "profile/build.h"
#include "profile/wakes.h"

/**
 * struct gap - time between two slices, or before the first
 * @measured:     else only counted, if @unseen
 * @unseen:       the coroutine may have run in it
 * @cut:          as a thread was not recorded, and for no other reason
 * @ready_known:  @ready_ns is
 * @suspended_ns: all of it
 * @awaiting_ns:  a part
 * @ready_ns:     a part
 */
struct gap {
	bool measured;
	bool unseen;
	bool cut;
	bool ready_known;
	uint64_t suspended_ns;
	uint64_t awaiting_ns;
	uint64_t ready_ns;
};

/**
 * struct gap_end - the slice that ends a gap
 * @begin_ns:      of it
 * @wake_ns:       when it was woken, or 0
 * @lost_until:    what its process ran before this time was not all seen: slices may be
 *                 missing, or a thread was not recorded
 * @missing_until: slices may be missing before this time, which is not later
 * @flags:         COROPROF_SLICE_*
 */
struct gap_end {
	uint64_t begin_ns;
	uint64_t wake_ns;
	uint64_t lost_until;
	uint64_t missing_until;
	uint16_t flags;
};

/*
 * The time of a wake; one before the selected part of the recording counts from the begin of the
 * part.
 */
static inline uint64_t wake_within(const struct build *b, uint64_t wake_ns)
{
	return wake_ns && wake_ns < b->from ? b->from : wake_ns;
}

/*
 * Measures a gap from @from to @to (ns): awaited until the wake at @wake, ready from then on.
 * @left_ready: ready from its begin.
 */
static inline void gap_split(struct gap *gap, uint64_t from, uint64_t to,
			     bool left_ready, uint64_t wake)
{
	gap->measured = true;
	gap->suspended_ns = to - from;
	if (left_ready || (wake && wake <= from)) {
		gap->ready_ns = to - from;
		gap->ready_known = true;
	} else if (wake && wake <= to) {
		gap->awaiting_ns = wake - from;
		gap->ready_ns = to - wake;
		gap->ready_known = true;
	}
}

/* The gap before a coroutine's first slice: from its wake, if it was born ready. */
static inline struct gap gap_first(const struct gap_end *end)
{
	struct gap gap = { 0 };

	if (end->flags & COROPROF_SLICE_FRESH && end->wake_ns &&
	    end->wake_ns <= end->begin_ns)
		gap_split(&gap, end->wake_ns, end->begin_ns, true, 0);
	return gap;
}

/*
 * The gap after a slice that ended at @last_ns. @left: LEFT_..., how the coroutine left the thread
 * then.
 */
static inline struct gap gap_after(uint64_t last_ns, uint32_t left,
				   const struct gap_end *end)
{
	struct gap gap = { 0 };

	gap.unseen = left & LEFT_CUT || end->flags & COROPROF_SLICE_FIRST ||
		     end->lost_until > last_ns;
	gap.cut = gap.unseen && end->missing_until <= last_ns;
	if (!gap.unseen)
		gap_split(&gap, end->begin_ns < last_ns ? end->begin_ns : last_ns,
			  end->begin_ns, left & LEFT_READY, end->wake_ns);
	return gap;
}

/* The gap before a slice of @c. @left: LEFT_..., how @c left the thread the last time. */
static inline struct gap gap_of(const struct model_coroutine *c, uint32_t left,
				const struct gap_end *end)
{
	return c->channel == MODEL_NONE ? gap_first(end) : gap_after(c->last_ns, left, end);
}

static inline void gap_add(struct model_times *t, const struct gap *gap)
{
	if (!gap->measured) {
		t->unseen_gaps += gap->unseen;
		t->cut_gaps += gap->cut;
		return;
	}
	t->gaps++;
	t->suspended_ns += gap->suspended_ns;
	t->awaiting_ns += gap->awaiting_ns;
	t->ready_ns += gap->ready_ns;
}

/* The gap as one wake, to be added to its pair of waker and woken. */
static inline struct model_wake gap_wake(const struct gap *gap)
{
	return (struct model_wake){
		.count = 1,
		.ready = gap->ready_known,
		.ready_ns = gap->ready_known ? gap->ready_ns : 0,
	};
}

#endif /* COROPROF_GAPS_H */
