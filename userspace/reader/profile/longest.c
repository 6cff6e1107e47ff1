// SPDX-License-Identifier: GPL-2.0
/*
 * A heap for each kind of what took longest: the shortest that is kept is at its root, so that most
 * slices are refused by one comparison.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/gaps.h"
#include "profile/longest.h"
#include "profile/part.h"
#include "profile/sums.h"

/* ---- a heap of rows: the one that goes first is its root */

static bool goes_before(const struct longest *w, uint32_t i, uint32_t k)
{
	return model_longest_order(&w->rows[w->heap[i]], &w->rows[w->heap[k]]) > 0;
}

static void swap(struct longest *w, uint32_t i, uint32_t k)
{
	uint8_t row = w->heap[i];

	w->heap[i] = w->heap[k];
	w->heap[k] = row;
}

static void rise(struct longest *w, uint32_t i)
{
	for (; i && goes_before(w, i, (i - 1) / 2); i = (i - 1) / 2)
		swap(w, i, (i - 1) / 2);
}

/* The root was replaced: it goes below what is kept less long, so that the heap is one again. */
static void sift_down(struct longest *w)
{
	uint32_t i = 0, first;

	for (;;) {
		first = i;
		for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < w->nr; k++)
			if (goes_before(w, k, first))
				first = k;
		if (first == i)
			return;
		swap(w, i, first);
		i = first;
	}
}

static bool has_rows(struct build *b, struct longest *w)
{
	if (!w->rows)
		w->rows = calloc(LONGEST_MOST, sizeof(*w->rows));
	if (!w->sums)
		w->sums = calloc((size_t)LONGEST_MOST * sums_stride(b), sizeof(*w->sums));
	if (!w->rows || !w->sums)
		b->out_of_memory = true;
	return w->rows && w->sums;
}

static void set(const struct build *b, struct longest *w, uint32_t at,
		const struct model_longest *row, const struct model_sum *sums)
{
	size_t size = sums_stride(b) * sizeof(*sums);
	struct model_sum *to = &w->sums[(size_t)at * sums_stride(b)];

	w->rows[at] = *row;
	if (sums)
		memcpy(to, sums, size);
	else
		memset(to, 0, size);
}

/* Of many that are as long, few are. */
static bool is_among(const struct profile *p, const struct model_longest *row)
{
	const struct longest *w = &p->longest[row->what];

	return row->ns >= w->least_ns &&
	       (w->nr < LONGEST_MOST || model_longest_order(row, &w->rows[w->heap[0]]) < 0);
}

void longest_add(struct build *b, const struct model_longest *row, const struct model_sum *sums)
{
	struct longest *w = &b->profile->longest[row->what];

	if (!is_among(b->profile, row) || !has_rows(b, w))
		return;
	if (w->nr < LONGEST_MOST) {
		w->heap[w->nr] = (uint8_t)w->nr;
		set(b, w, w->nr, row, sums);
		rise(w, w->nr++);
	} else {
		set(b, w, w->heap[0], row, sums);
		sift_down(w);
	}
	if (w->nr == LONGEST_MOST)
		w->least_ns = w->rows[w->heap[0]].ns;
}

/* ---- slices, and gaps between them */

static __attribute__((noinline)) void keep_slice(struct build *b, const struct model_longest *row,
						 const struct record *s)
{
	struct model_sum sums[MODEL_COUNTERS_MAX] = { 0 };
	const struct sum_rows rows = { 1, { sums } };

	sums_add(b, &rows, row->channel, s);
	longest_add(b, row, sums);
}

void longest_add_slice(struct build *b, uint32_t channel, uint32_t label, uint64_t begin_ns,
		       const struct record *s)
{
	struct model_longest row = {
		.what = MODEL_LATENCY_HELD,
		.ns = s->duration,
		.begin_ns = begin_ns,
		.end_ns = s->time,
		.id = s->id,
		.waker = s->woken.waker,
		.process = b->profile->channels[channel].process,
		.label = label,
		.channel = channel,
		.times = { .slices = 1, .running_ns = s->running_ns, .nr_cut = is_cut(b, s) },
	};

	if (s->flags & COROPROF_SLICE_OFFCPU) {
		row.times.preempted_ns = s->offcpu.preempted_ns;
		row.times.nr_preempted = s->offcpu.nr_preempted;
		row.times.blocked_ns = s->offcpu.blocked_ns;
		row.times.nr_blocked = s->offcpu.nr_blocked;
		row.times.nr_shared = row.times.nr_cut;
	}
	if (is_among(b->profile, &row))
		keep_slice(b, &row, s);
	row.what = MODEL_LATENCY_BLOCKED;
	row.ns = row.times.blocked_ns;
	if (is_among(b->profile, &row))
		keep_slice(b, &row, s);
}

static void add_wait(struct build *b, const struct longest_end *end, enum model_latency what,
		     uint64_t begin, uint64_t ns)
{
	if (longest_wanted(b->profile, what, ns))
		longest_add(b, &(struct model_longest){
			.what = what,
			.ns = ns,
			.begin_ns = begin,
			.end_ns = begin + ns,
			.id = end->id,
			.waker = end->waker,
			.process = end->process,
			.label = end->label,
			.channel = end->channel,
		}, NULL);
}

void longest_add_gap(struct build *b, const struct longest_end *end, const struct gap *gap)
{
	uint64_t begin = end->begin_ns - gap->suspended_ns;

	if (!gap->ready_known) {
		add_wait(b, end, MODEL_LATENCY_SUSPENDED, begin, gap->suspended_ns);
		return;
	}
	add_wait(b, end, MODEL_LATENCY_AWAITING, begin, gap->awaiting_ns);
	add_wait(b, end, MODEL_LATENCY_READY, begin + gap->awaiting_ns, gap->ready_ns);
}

void longest_begin(struct profile *p)
{
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++)
		p->longest[what].least_ns = 1;
}

/* ---- another shard follows */

void longest_merge(struct build *b, const struct profile *from, const struct rows *rows)
{
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++) {
		const struct longest *w = &from->longest[what];

		for (uint32_t i = 0; i < w->nr; i++) {
			struct model_longest row = w->rows[i];

			row.label = row_to(rows->labels, row.label);
			if (longest_wanted(b->profile, row.what, row.ns))
				longest_add(b, &row, &w->sums[(size_t)i * sums_stride(b)]);
		}
	}
}

/* ---- the end */

static uint32_t row_of(const struct build *b, uint32_t process, uint64_t id)
{
	uint32_t row = id ? coroutine_row(b, coroutine_find(b->profile, process, id)) : MODEL_NONE;

	return row < b->options.coroutines ? row : MODEL_NONE;
}

static void move_row(struct build *b, const struct longest *w, uint32_t at)
{
	struct model *m = b->model;
	size_t stride = sums_stride(b);
	struct model_longest *row = &m->longest[m->nr_longest];

	*row = w->rows[at];
	row->coroutine = row_of(b, row->process, row->id);
	row->waker_coroutine = row_of(b, row->process, row->waker);
	memcpy(&m->longest_sums[m->nr_longest++ * stride], &w->sums[at * stride],
	       stride * sizeof(*w->sums));
}

/* The root is the last of what is left. */
static void move_sorted(struct build *b, struct longest *w)
{
	uint8_t order[LONGEST_MOST];
	uint32_t nr = w->nr;

	while (w->nr) {
		order[w->nr - 1] = w->heap[0];
		w->heap[0] = w->heap[--w->nr];
		sift_down(w);
	}
	for (uint32_t i = 0; i < nr; i++)
		move_row(b, w, order[i]);
}

void longest_finish(struct build *b)
{
	struct model *m = b->model;
	size_t nr = 1;

	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++)
		nr += b->profile->longest[what].nr;
	m->longest = calloc(nr, sizeof(*m->longest));
	m->longest_sums = calloc(nr * sums_stride(b), sizeof(*m->longest_sums));
	if (!m->longest || !m->longest_sums) {
		b->out_of_memory = true;
		return;
	}
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++)
		move_sorted(b, &b->profile->longest[what]);
}

void longest_free(struct profile *p)
{
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++) {
		free(p->longest[what].rows);
		free(p->longest[what].sums);
	}
}
