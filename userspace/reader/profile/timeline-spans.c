// SPDX-License-Identifier: GPL-2.0
/*
 * Spans one by one, for the timeline. When there are too many, those that are shorter
 * than 2^n nanoseconds are left out, with the least n that leaves few enough: a span
 * is never shorter than those in it, so what is left has all that it was in. Which
 * these are depends on nothing but the lengths of all spans.
 */
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/timeline-spans.h"

/* The least power of two that leaves no more than are wanted; 0 leaves all. */
static uint64_t least_that_fits(const struct build *b)
{
	const struct profile *p = b->profile;
	uint64_t nr[65] = { 0 }, longer = 0;
	unsigned int bits = 64;

	if (p->nr_timeline_spans <= b->options.timeline_spans)
		return p->timeline_spans_least_ns;
	for (uint32_t i = 0; i < p->nr_timeline_spans; i++)
		nr[bits_of(p->timeline_spans[i].duration_ns)]++;
	while (bits && longer + nr[bits] <= b->options.timeline_spans)
		longer += nr[bits--];
	/* What has this many bits does not fit; the longest there can be is kept out, too. */
	return bits < 64 ? 1ULL << bits : UINT64_MAX;
}

static void leave_out_shorter(struct profile *p, uint64_t least)
{
	uint32_t kept = 0;

	p->timeline_spans_least_ns = least;
	for (uint32_t i = 0; i < p->nr_timeline_spans; i++)
		if (p->timeline_spans[i].duration_ns >= least)
			p->timeline_spans[kept++] = p->timeline_spans[i];
	p->nr_timeline_spans = kept;
}

void timeline_spans_add(struct build *b, const struct model_timeline_span *span)
{
	struct profile *p = b->profile;

	if (b->options.no_timeline || span->duration_ns < p->timeline_spans_least_ns ||
	    !build_grow(b, &p->timeline_spans, p->nr_timeline_spans,
			sizeof(*p->timeline_spans)))
		return;
	p->timeline_spans[p->nr_timeline_spans++] = *span;
	/* Not for every one beyond what may be, as it goes through all of them. */
	if (p->nr_timeline_spans > (uint64_t)b->options.timeline_spans +
				   b->options.timeline_spans / 4)
		leave_out_shorter(p, least_that_fits(b));
}

void timeline_spans_merge(struct build *b, const struct profile *from, const struct rows *rows)
{
	struct profile *p = b->profile;

	if (from->timeline_spans_least_ns > p->timeline_spans_least_ns)
		leave_out_shorter(p, from->timeline_spans_least_ns);
	for (uint32_t i = 0; i < from->nr_timeline_spans; i++) {
		struct model_timeline_span span = from->timeline_spans[i];

		span.span = row_to(rows->spans, span.span);
		if (span.span != MODEL_NONE)
			timeline_spans_add(b, &span);
	}
}

static uint64_t begin_of(const struct model_timeline_span *s)
{
	return s->end_ns - s->duration_ns;
}

#define ORDER(x, y) do { if ((x) != (y)) return (x) < (y) ? -1 : 1; } while (0)

/* Of each coroutine together, and of those the ones of one depth: they follow each other. */
static int by_coroutine(const void *a, const void *b)
{
	const struct model_timeline_span *x = a, *y = b;

	ORDER(x->coroutine, y->coroutine);
	ORDER(x->depth, y->depth);
	ORDER(begin_of(x), begin_of(y));
	ORDER(x->end_ns, y->end_ns);
	ORDER(x->span, y->span);
	ORDER(x->channel, y->channel);
	ORDER(x->running_ns, y->running_ns);
	return 0;
}

/* Of coroutines for which the table has no room there is nobody to draw them at. */
static void find_coroutines(const struct build *b)
{
	struct profile *p = b->profile;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->nr_timeline_spans; i++) {
		struct model_timeline_span *s = &p->timeline_spans[i];

		s->coroutine = coroutine_row(b, coroutine_find(p, s->process, s->id));
		if (s->coroutine < b->options.coroutines)
			p->timeline_spans[kept++] = *s;
	}
	p->nr_timeline_spans = kept;
}

void timeline_spans_finish(struct build *b)
{
	struct profile *p = b->profile;
	struct model *m = b->model;

	leave_out_shorter(p, least_that_fits(b));
	find_coroutines(b);
	if (p->nr_timeline_spans)
		qsort(p->timeline_spans, p->nr_timeline_spans, sizeof(*p->timeline_spans),
		      by_coroutine);
	m->timeline_spans = p->timeline_spans;
	m->nr_timeline_spans = p->nr_timeline_spans;
	m->timeline_spans_least_ns = p->timeline_spans_least_ns;
	p->timeline_spans = NULL;
	p->nr_timeline_spans = 0;
}
