/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What took longest: of each kind the first LONGEST_MOST, by length, then by what
 * distinguishes them. Which these are does not depend on how a recording was cut: one that is
 * among the first of all is among the first of its shard.
 */
#ifndef COROPROF_LONGEST_H
#define COROPROF_LONGEST_H

#include "profile/build.h"
#include "profile/gaps.h"
#include "profile/sums.h"

/*
 * Adds a row that longest_wanted() accepts. @sums: what it counted; NULL if nothing counts in it.
 */
void longest_add(struct build *b, const struct model_longest *row, const struct model_sum *sums);

static inline bool longest_wanted(const struct profile *p, enum model_latency what, uint64_t ns)
{
	return ns >= p->longest[what].least_ns;
}

/**
 * struct longest_end - the slice that ended a gap
 * @id:       of the coroutine
 * @waker:    of the coroutine that woke it, or 0
 * @begin_ns: of the slice
 * @process:  row, as are
 * @label:    its label, and
 * @channel:  where it was
 */
struct longest_end {
	uint64_t id;
	uint64_t waker;
	uint64_t begin_ns;
	uint32_t process;
	uint32_t label;
	uint32_t channel;
};

/* Adds the waits of a gap. */
void longest_add_gap(struct build *b, const struct longest_end *end, const struct gap *gap);

static inline bool longest_wants_gap(const struct profile *p, const struct gap *gap)
{
	if (!gap->ready_known)
		return longest_wanted(p, MODEL_LATENCY_SUSPENDED, gap->suspended_ns);
	return longest_wanted(p, MODEL_LATENCY_READY, gap->ready_ns) ||
	       longest_wanted(p, MODEL_LATENCY_AWAITING, gap->awaiting_ns);
}

static inline void longest_gap(struct build *b, const struct longest_end *end,
			       const struct gap *gap)
{
	if (longest_wants_gap(b->profile, gap))
		longest_add_gap(b, end, gap);
}

/* Adds a slice of a coroutine, and the time that it was blocked. */
void longest_add_slice(struct build *b, uint32_t channel, uint32_t label, uint64_t begin_ns,
		       const struct record *s);

static inline void longest_slice(struct build *b, uint32_t channel, uint32_t label,
				 uint64_t begin_ns, const struct record *s)
{
	const struct profile *p = b->profile;

	if (longest_wanted(p, MODEL_LATENCY_HELD, s->duration) ||
	    (s->flags & COROPROF_SLICE_OFFCPU &&
	     longest_wanted(p, MODEL_LATENCY_BLOCKED, s->offcpu.blocked_ns)))
		longest_add_slice(b, channel, label, begin_ns, s);
}

/* Sets the least duration to 1 ns: a duration of 0 is never among the longest. */
void longest_begin(struct profile *p);
/* Keeps the longest rows of both shards. */
void longest_merge(struct build *b, const struct profile *from, const struct rows *rows);
/* Moves the rows to the model, while coroutines are still in the profile. */
void longest_finish(struct build *b);
void longest_free(struct profile *p);

#endif /* COROPROF_LONGEST_H */
