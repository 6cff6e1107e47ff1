/* SPDX-License-Identifier: GPL-2.0 */
/* What took how long, by label, as model.h tells. Inline, as it is for every slice. */
#ifndef COROPROF_LATENCY_H
#define COROPROF_LATENCY_H

#include "profile/build.h"
#include "profile/gaps.h"
#include "profile/lengths.h"
#include "profile/worst.h"

/* The first of its kind, or one for which there is no place yet. */
void latency_add_new(struct build *b, struct model_label *label, enum model_latency what,
		     uint64_t ns);

/* @at is where @ns is counted. */
static inline void latency_add_at(struct build *b, struct model_label *label,
				  enum model_latency what, struct lengths_at at, uint64_t ns)
{
	struct model_lengths *l = label->lengths[what];

	if (__builtin_expect(!l || !l->octave[at.octave], 0))
		latency_add_new(b, label, what, ns);
	else
		lengths_tell_at(l, at, ns);
}

static inline void latency_add(struct build *b, struct model_label *label,
			       enum model_latency what, uint64_t ns)
{
	latency_add_at(b, label, what, lengths_at(ns), ns);
}

/* A slice of a coroutine; @at is where its duration is counted. */
static inline void latency_slice(struct build *b, struct model_label *label,
				 const struct record *s, struct lengths_at at)
{
	latency_add_at(b, label, MODEL_LATENCY_HELD, at, s->duration);
	for (uint64_t i = 0, ns = MODEL_HELD_LEAST_NS;
	     i < MODEL_HELD_DECADES && s->duration >= ns; ns *= 10)
		label->held[i++]++;
	if (s->flags & COROPROF_SLICE_OFFCPU && s->offcpu.blocked_ns)
		latency_add(b, label, MODEL_LATENCY_BLOCKED, s->offcpu.blocked_ns);
}

/* A gap of no length is no wait. */
static inline void latency_gap(struct build *b, struct model_label *label,
			       const struct gap *gap)
{
	if (!gap->measured || !gap->suspended_ns)
		return;
	if (!gap->ready_known) {
		latency_add(b, label, MODEL_LATENCY_SUSPENDED, gap->suspended_ns);
		return;
	}
	latency_add(b, label, MODEL_LATENCY_READY, gap->ready_ns);
	if (gap->awaiting_ns)
		latency_add(b, label, MODEL_LATENCY_AWAITING, gap->awaiting_ns);
}

/* Both ends of a coroutine's life are known by now, one of them since just now. */
void latency_life(struct build *b, const struct model_coroutine *c,
		  const struct model_cell *cells);

#endif /* COROPROF_LATENCY_H */
