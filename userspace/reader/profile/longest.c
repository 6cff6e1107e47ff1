// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the longest slices, waits and lives, in a heap for each kind: the shortest one that is kept
 * is at its root, so that most slices are refused by one comparison.
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

/*
 * True if the row at place @i of the heap is to be replaced before that at @k: it is shorter, or
 * behind it in the order of equal ones.
 */
static bool is_shorter(const struct longest *w, uint32_t i, uint32_t k)
{
	return model_longest_order(&w->rows[w->heap[i]], &w->rows[w->heap[k]]) > 0;
}

static void swap_heap_places(struct longest *w, uint32_t i, uint32_t k)
{
	uint8_t row = w->heap[i];

	w->heap[i] = w->heap[k];
	w->heap[k] = row;
}

static void sift_up(struct longest *w, uint32_t i)
{
	for (; i && is_shorter(w, i, (i - 1) / 2); i = (i - 1) / 2)
		swap_heap_places(w, i, (i - 1) / 2);
}

/* Restores the heap after its root was replaced. */
static void sift_down(struct longest *w)
{
	uint32_t i = 0, first;

	for (;;) {
		first = i;
		for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < w->nr; k++)
			if (is_shorter(w, k, first))
				first = k;
		if (first == i)
			return;
		swap_heap_places(w, i, first);
		i = first;
	}
}

static bool allocate_rows(struct build *b, struct longest *w)
{
	if (!w->rows)
		w->rows = calloc(LONGEST_MOST, sizeof(*w->rows));
	if (!w->sums)
		w->sums = calloc((size_t)LONGEST_MOST * sums_stride(b), sizeof(*w->sums));
	if (!w->rows || !w->sums)
		b->out_of_memory = true;
	return w->rows && w->sums;
}

/* @sums: what was counted; NULL for a wait, in which nothing counts. */
static void set_row(const struct build *b, struct longest *w, uint32_t at,
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

/*
 * True if @row is to be kept. Equal durations are frequent, so the full order decides which of them
 * are.
 */
static bool is_among_longest(const struct profile *p, const struct model_longest *row)
{
	const struct longest *w = &p->longest[row->what];

	return row->ns >= w->least_ns &&
	       (w->nr < LONGEST_MOST || model_longest_order(row, &w->rows[w->heap[0]]) < 0);
}

void longest_add(struct build *b, const struct model_longest *row, const struct model_sum *sums)
{
	struct longest *w = &b->profile->longest[row->what];

	if (!is_among_longest(b->profile, row) || !allocate_rows(b, w))
		return;
	if (w->nr < LONGEST_MOST) {
		w->heap[w->nr] = (uint8_t)w->nr;
		set_row(b, w, w->nr, row, sums);
		sift_up(w, w->nr++);
	} else {
		set_row(b, w, w->heap[0], row, sums);
		sift_down(w);
	}
	if (w->nr == LONGEST_MOST)
		w->least_ns = w->rows[w->heap[0]].ns;
}

/* ---- slices, and gaps between them */

/* Adds a slice with what its counters counted. */
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
	if (is_among_longest(b->profile, &row))
		keep_slice(b, &row, s);
	row.what = MODEL_LATENCY_BLOCKED;
	row.ns = row.times.blocked_ns;
	if (is_among_longest(b->profile, &row))
		keep_slice(b, &row, s);
}

static void add_wait_if_wanted(struct build *b, const struct longest_end *end,
			       enum model_latency what, uint64_t begin, uint64_t ns)
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
		add_wait_if_wanted(b, end, MODEL_LATENCY_SUSPENDED, begin, gap->suspended_ns);
		return;
	}
	add_wait_if_wanted(b, end, MODEL_LATENCY_AWAITING, begin, gap->awaiting_ns);
	add_wait_if_wanted(b, end, MODEL_LATENCY_READY, begin + gap->awaiting_ns, gap->ready_ns);
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

static uint32_t find_table_row(const struct build *b, uint32_t process, uint64_t id)
{
	uint32_t row = id ? coroutine_row(b, coroutine_find(b->profile, process, id)) : MODEL_NONE;

	return row < b->options.coroutines ? row : MODEL_NONE;
}

static void move_row_to_model(struct build *b, const struct longest *w, uint32_t at)
{
	struct model *m = b->model;
	size_t stride = sums_stride(b);
	struct model_longest *row = &m->longest[m->nr_longest];

	*row = w->rows[at];
	row->coroutine = find_table_row(b, row->process, row->id);
	row->waker_coroutine = find_table_row(b, row->process, row->waker);
	memcpy(&m->longest_sums[m->nr_longest++ * stride], &w->sums[at * stride],
	       stride * sizeof(*w->sums));
}

/*
 * Moves the rows to the model, longest first. Taking roots off the heap yields the shortest first.
 */
static void move_sorted_to_model(struct build *b, struct longest *w)
{
	uint8_t order[LONGEST_MOST];
	uint32_t nr = w->nr;

	while (w->nr) {
		order[w->nr - 1] = w->heap[0];
		w->heap[0] = w->heap[--w->nr];
		sift_down(w);
	}
	for (uint32_t i = 0; i < nr; i++)
		move_row_to_model(b, w, order[i]);
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
		move_sorted_to_model(b, &b->profile->longest[what]);
}

void longest_free(struct profile *p)
{
	for (unsigned int what = 0; what < MODEL_LATENCY_NR; what++) {
		free(p->longest[what].rows);
		free(p->longest[what].sums);
	}
}
