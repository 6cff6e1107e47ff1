// SPDX-License-Identifier: GPL-2.0
/*
 * Counts wakes, which one coroutine makes of another, by pairs of labels. A wake by a coroutine
 * whose label is not known yet is kept open until its first slice ends.
 */
#include <stdlib.h>

#include "profile/build.h"
#include "profile/coroutines.h"
#include "profile/wakes.h"

static struct model_wake *find_or_add_wake(struct build *b, uint32_t waker,
					   uint32_t woken)
{
	struct profile *p = b->profile;
	uint32_t row = index_get(&p->wake_index, waker, woken);

	if (row != INDEX_NONE)
		return &p->wakes[row];
	row = p->nr_wakes;
	if (row == BUILD_WAKES_MAX ||
	    !build_grow(b, &p->wakes, row, sizeof(*p->wakes)))
		return NULL;
	if (!index_put(&p->wake_index, waker, woken, row)) {
		b->out_of_memory = true;
		return NULL;
	}
	p->wakes[row] = (struct model_wake){ .waker = waker, .woken = woken };
	p->nr_wakes++;
	return &p->wakes[row];
}

/* The row of a pair of labels. Those of the first labels are found without a hash. */
static struct model_wake *cached_wake(struct build *b, uint32_t waker,
				      uint32_t woken)
{
	struct profile *p = b->profile;
	struct model_wake *wake;
	uint32_t *row;

	/* MODEL_NONE is the greatest, so that it and one more are 0. */
	if (waker + 1 >= PROFILE_WAKE_LABELS || woken >= PROFILE_WAKE_LABELS)
		return find_or_add_wake(b, waker, woken);
	row = &p->wake_rows[waker + 1][woken];
	if (*row)
		return &p->wakes[*row - 1];
	wake = find_or_add_wake(b, waker, woken);
	if (wake)
		*row = (uint32_t)(wake - p->wakes) + 1;
	return wake;
}

static void add_wake_sums(struct model_wake *to, const struct model_wake *sums)
{
	to->count += sums->count;
	to->ready += sums->ready;
	to->ready_ns += sums->ready_ns;
}

void wake_sum(struct build *b, uint32_t waker, uint32_t woken,
	      const struct model_wake *sums)
{
	struct model_wake *wake = cached_wake(b, waker, woken);

	if (wake)
		add_wake_sums(wake, sums);
	else
		b->profile->nr_dropped_wakes += sums->count;
}

/* Returns a row of open_wakes that no index has yet, or MODEL_NONE if there is no room. */
static uint32_t allocate_open_wake(struct build *b)
{
	struct profile *p = b->profile;
	uint32_t row = p->free_open_wake;

	if (row != MODEL_NONE) {
		p->free_open_wake = p->open_wakes[row].next;
		return row;
	}
	row = p->nr_open_wakes;
	if (row == BUILD_OPEN_WAKES_MAX ||
	    !build_grow(b, &p->open_wakes, row, sizeof(*p->open_wakes)))
		return MODEL_NONE;
	p->nr_open_wakes++;
	return row;
}

/*
 * @first: the row of profile.firsts that waits for the waker's label; MODEL_NONE: the wakes are
 * only summed.
 */
static uint32_t add_open_wake(struct build *b, const struct wake *wake, uint32_t first)
{
	struct profile *p = b->profile;
	uint32_t row = allocate_open_wake(b);

	if (row == MODEL_NONE)
		return row;
	p->open_wakes[row] = (struct profile_wake){
		.waker = wake->waker,
		.process = wake->process,
		.next = index_get(&p->open_waker_index, wake->waker, wake->process),
		.first = first,
		.wake.woken = wake->woken,
	};
	if (!index_put(&p->open_waker_index, wake->waker, wake->process, row))
		b->out_of_memory = true;
	return row;
}

void wake_open_first(struct build *b, const struct wake *wake, uint32_t first)
{
	add_open_wake(b, wake, first);
}

void wake_sum_open(struct build *b, const struct wake *wake,
		   const struct model_wake *sums)
{
	struct profile *p = b->profile;
	uint32_t row = index_get(&p->open_wake_index, wake->waker, wake->woken);

	if (row == INDEX_NONE) {
		row = add_open_wake(b, wake, MODEL_NONE);
		if (row == MODEL_NONE) {
			p->unordered = true;
			wake_sum(b, MODEL_NONE, wake->woken, sums);
			return;
		}
		if (!index_put(&p->open_wake_index, wake->waker, wake->woken, row))
			b->out_of_memory = true;
	}
	add_wake_sums(&p->open_wakes[row].wake, sums);
}

void wakes_settle(struct build *b, uint32_t process, uint64_t waker, uint32_t label)
{
	struct profile *p = b->profile;
	uint32_t row, next;

	if (!p->nr_open_wakes)
		return;
	row = index_get(&p->open_waker_index, waker, process);
	if (row == MODEL_NONE)
		return;
	index_remove(&p->open_waker_index, waker, process);
	for (; row != MODEL_NONE; row = next) {
		struct profile_wake *open = &p->open_wakes[row];

		next = open->next;
		open->waker = 0;
		open->next = p->free_open_wake;
		p->free_open_wake = row;
		if (open->first == MODEL_NONE) {
			index_remove(&p->open_wake_index, waker, open->wake.woken);
			wake_sum(b, label, open->wake.woken, &open->wake);
		} else {
			p->firsts[open->first].waker_label = label;
			p->firsts[open->first].waker_open = false;
		}
	}
}

bool waker_label(const struct profile *p, const struct wake *wake,
		 uint32_t *label)
{
	const struct model_coroutine *c =
		wake->waker ? coroutine_find(p, wake->process, wake->waker) :
			      NULL;

	*label = c ? c->label : MODEL_NONE;
	return c || !wake->waker;
}

void wakes_merge(struct build *b, const struct profile *from,
		 const struct rows *rows)
{
	for (uint32_t i = 0; i < from->nr_open_wakes; i++) {
		const struct profile_wake *open = &from->open_wakes[i];
		const struct wake wake = {
			open->process, row_to(rows->labels, open->wake.woken),
			open->waker,
		};
		uint32_t label;

		if (!open->waker || open->first != MODEL_NONE)
			continue;
		if (waker_label(b->profile, &wake, &label))
			wake_sum(b, label, wake.woken, &open->wake);
		else
			wake_sum_open(b, &wake, &open->wake);
	}
	for (uint32_t i = 0; i < from->nr_wakes; i++)
		wake_sum(b, row_to(rows->labels, from->wakes[i].waker),
			 row_to(rows->labels, from->wakes[i].woken),
			 &from->wakes[i]);
	b->profile->nr_dropped_wakes += from->nr_dropped_wakes;
}

static int compare_wakes(const void *a, const void *b)
{
	const struct model_wake *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->woken != y->woken)
		return x->woken > y->woken ? 1 : -1;
	return (x->waker > y->waker) - (x->waker < y->waker);
}

void wakes_sort(struct model_wake *wakes, uint32_t nr)
{
	if (nr)
		qsort(wakes, nr, sizeof(*wakes), compare_wakes);
}

/* coroprof's own coroutines do not count as wakers: such pairs lose their waker. */
static void charge_tool_wakes_to_nobody(struct build *b)
{
	struct profile *p = b->profile;
	uint32_t nr = p->nr_wakes, kept = 0;

	for (uint32_t i = 0; i < nr; i++) {
		const struct model_wake wake = p->wakes[i];

		if (wake.waker == MODEL_NONE ||
		    b->model->labels[wake.waker].kind != MODEL_LABEL_TOOL)
			continue;
		wake_sum(b, MODEL_NONE, wake.woken, &wake);
		p->wakes[i].count = 0;
	}
	for (uint32_t i = 0; i < p->nr_wakes; i++)
		if (p->wakes[i].count)
			p->wakes[kept++] = p->wakes[i];
	p->nr_wakes = kept;
}

void wakes_finish(struct build *b)
{
	struct profile *p = b->profile;
	struct model *m = b->model;

	/* Nobody will know any more. */
	for (uint32_t i = 0; i < p->nr_open_wakes; i++)
		if (p->open_wakes[i].waker)
			wakes_settle(b, p->open_wakes[i].process, p->open_wakes[i].waker,
				     MODEL_NONE);
	charge_tool_wakes_to_nobody(b);
	wakes_sort(p->wakes, p->nr_wakes);
	m->wakes = p->wakes;
	m->nr_wakes = p->nr_wakes;
	m->nr_dropped_wakes = p->nr_dropped_wakes;
	p->wakes = NULL;
	p->nr_wakes = 0;
}
