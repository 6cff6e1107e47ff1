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

/* The least power of two (ns) so that few enough spans are as long; 0 if all fit. */
static uint64_t least_duration_that_fits(const struct build *b)
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

static void drop_shorter_spans(struct profile *p, uint64_t least)
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
		drop_shorter_spans(p, least_duration_that_fits(b));
}

void timeline_spans_merge(struct build *b, const struct profile *from, const struct rows *rows)
{
	struct profile *p = b->profile;

	if (from->timeline_spans_least_ns > p->timeline_spans_least_ns)
		drop_shorter_spans(p, from->timeline_spans_least_ns);
	for (uint32_t i = 0; i < from->nr_timeline_spans; i++) {
		struct model_timeline_span span = from->timeline_spans[i];

		span.span = row_to(rows->spans, span.span);
		if (span.span != MODEL_NONE)
			timeline_spans_add(b, &span);
	}
}

static uint64_t span_begin(const struct model_timeline_span *s)
{
	return s->end_ns - s->duration_ns;
}

#define ORDER(x, y) do { if ((x) != (y)) return (x) < (y) ? -1 : 1; } while (0)

/* Order: coroutine, depth, begin; so those of one depth follow each other. */
static int compare_spans(const void *a, const void *b)
{
	const struct model_timeline_span *x = a, *y = b;

	ORDER(x->coroutine, y->coroutine);
	ORDER(x->depth, y->depth);
	ORDER(span_begin(x), span_begin(y));
	ORDER(x->end_ns, y->end_ns);
	ORDER(x->span, y->span);
	ORDER(x->channel, y->channel);
	ORDER(x->running_ns, y->running_ns);
	return 0;
}

/*
 * Sets the row of each span's coroutine, and drops spans of coroutines that have no row, as there
 * is nowhere to draw them.
 */
static void set_coroutine_rows(const struct build *b)
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

	drop_shorter_spans(p, least_duration_that_fits(b));
	set_coroutine_rows(b);
	if (p->nr_timeline_spans)
		qsort(p->timeline_spans, p->nr_timeline_spans, sizeof(*p->timeline_spans),
		      compare_spans);
	m->timeline_spans = p->timeline_spans;
	m->nr_timeline_spans = p->nr_timeline_spans;
	m->timeline_spans_least_ns = p->timeline_spans_least_ns;
	p->timeline_spans = NULL;
	p->nr_timeline_spans = 0;
}
