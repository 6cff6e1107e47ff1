/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts durations of slices, waits and lives in histograms of their label, as model.h says.
 * Inline, as it is for every slice.
 */
#ifndef COROPROF_LATENCY_H
#define COROPROF_LATENCY_H

#include "profile/build.h"
#include "profile/gaps.h"
#include "profile/histogram.h"

struct model_sum;

/* Counts a duration in ns for which the histogram is missing, or has no bucket yet. */
void latency_add_new(struct build *b, struct model_label *label, enum model_latency what,
		     uint64_t ns);
/* Likewise, of profile.on_cpu_histograms. */
void latency_on_cpu_new(struct build *b, uint32_t label, uint64_t ns);

static inline void latency_add(struct build *b, struct model_label *label,
			       enum model_latency what, uint64_t ns)
{
	struct histogram *l = label->histograms[what];

	if (__builtin_expect(!l || !histogram_count(l, ns), 0))
		latency_add_new(b, label, what, ns);
}

/*
 * Counts a slice in each decade of MODEL_HELD_DECADES that it reaches: how many held their thread
 * for so long.
 */
static inline void latency_decades(struct model_label *label, uint64_t held_ns)
{
	for (uint64_t i = 0, ns = MODEL_HELD_LEAST_NS;
	     i < MODEL_HELD_DECADES && held_ns >= ns; ns *= 10)
		label->held[i++]++;
}

/* A slice of a coroutine that was never off the CPU: it was held as long as it ran. */
static inline __attribute__((always_inline))
void latency_on_cpu(struct build *b, uint32_t label, uint64_t ns)
{
	struct histogram *l = b->profile->on_cpu_histograms[label];

	if (__builtin_expect(!l || !histogram_count(l, ns), 0))
		latency_on_cpu_new(b, label, ns);
	if (ns >= MODEL_HELD_LEAST_NS)
		latency_decades(&b->profile->labels[label], ns);
}

/*
 * Counts the durations of a slice. Of a slice outside the program's coroutines only the running
 * time is reported.
 */
static inline void latency_slice(struct build *b, uint32_t row, const struct record *s)
{
	struct model_label *label = &b->profile->labels[row];
	bool thread = model_label_is_outside(label), offcpu = s->flags & COROPROF_SLICE_OFFCPU;

	if (!thread && !offcpu) {
		latency_on_cpu(b, row, s->running_ns);
		return;
	}
	latency_add(b, label, MODEL_LATENCY_RUNNING, s->running_ns);
	if (thread)
		return;
	latency_decades(label, s->duration);
	latency_add(b, label, MODEL_LATENCY_HELD, s->duration);
	if (s->offcpu.blocked_ns)
		latency_add(b, label, MODEL_LATENCY_BLOCKED, s->offcpu.blocked_ns);
}

/*
 * Counts the waits of a gap. A gap of 0 ns is counted as well, so that there are as many of ready
 * and suspended as gaps; one that was ready from its begin did not await anything.
 */
static inline void latency_gap(struct build *b, struct model_label *label,
			       const struct gap *gap)
{
	if (!gap->measured)
		return;
	if (!gap->ready_known) {
		latency_add(b, label, MODEL_LATENCY_SUSPENDED, gap->suspended_ns);
		return;
	}
	latency_add(b, label, MODEL_LATENCY_READY, gap->ready_ns);
	if (gap->awaiting_ns)
		latency_add(b, label, MODEL_LATENCY_AWAITING, gap->awaiting_ns);
}

/*
 * Counts the life of a coroutine whose birth and end are both known, at the moment that the second
 * of them is.
 */
void latency_life(struct build *b, const struct model_coroutine *c,
		  const struct model_sum *sums);

#endif /* COROPROF_LATENCY_H */
