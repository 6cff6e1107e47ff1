/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What took longest: of each kind the first WORST_MOST, by length, then by what tells
 * them apart. Which these are does not depend on how a recording was cut: one that is
 * among the first of all is among the first of its stretch.
 */
#ifndef COROPROF_WORST_H
#define COROPROF_WORST_H

#include "profile/gaps.h"

/* Adds one that is wanted. @cells: what it counted; NULL: nothing counts there. */
void worst_add(struct build *b, const struct model_worst *row, const struct model_cell *cells);

static inline bool worst_wanted(const struct profile *p, enum model_latency what, uint64_t ns)
{
	return ns >= p->worst[what].least_ns;
}

/**
 * struct worst_end - the slice that ended a gap
 * @id:       of the coroutine
 * @waker:    of the coroutine that woke it, or 0
 * @begin_ns: of the slice
 * @process:  row, as are
 * @label:    its label, and
 * @channel:  where it was
 */
struct worst_end {
	uint64_t id;
	uint64_t waker;
	uint64_t begin_ns;
	uint32_t process;
	uint32_t label;
	uint32_t channel;
};

void worst_add_gap(struct build *b, const struct worst_end *end, const struct gap *gap);

static inline bool worst_wants_gap(const struct profile *p, const struct gap *gap)
{
	if (!gap->ready_known)
		return worst_wanted(p, MODEL_LATENCY_SUSPENDED, gap->suspended_ns);
	return worst_wanted(p, MODEL_LATENCY_READY, gap->ready_ns) ||
	       worst_wanted(p, MODEL_LATENCY_AWAITING, gap->awaiting_ns);
}

static inline void worst_gap(struct build *b, const struct worst_end *end,
			     const struct gap *gap)
{
	if (worst_wants_gap(b->profile, gap))
		worst_add_gap(b, end, gap);
}

/* A slice of a coroutine. */
void worst_add_slice(struct build *b, uint32_t channel, uint32_t label, uint64_t begin_ns,
		     const struct record *s);

static inline void worst_slice(struct build *b, uint32_t channel, uint32_t label,
			       uint64_t begin_ns, const struct record *s)
{
	const struct profile *p = b->profile;

	if (worst_wanted(p, MODEL_LATENCY_HELD, s->duration) ||
	    (s->flags & COROPROF_SLICE_OFFCPU &&
	     worst_wanted(p, MODEL_LATENCY_BLOCKED, s->offcpu.blocked_ns)))
		worst_add_slice(b, channel, label, begin_ns, s);
}

/* No length is none. */
void worst_begin(struct profile *p);
void worst_append(struct build *b, const struct profile *from, const struct rows *rows);
/* While the coroutines are in the profile still. */
void worst_finish(struct build *b);
void worst_free(struct profile *p);

#endif /* COROPROF_WORST_H */
