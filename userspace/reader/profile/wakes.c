// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "profile/build.h"

static struct model_wake *wake_of(struct build *b, uint32_t waker,
				  uint32_t woken)
{
	struct model *m = b->model;
	uint32_t row = index_get(&b->wake_index, waker, woken);

	if (row != INDEX_NONE)
		return &m->wakes[row];
	row = m->nr_wakes;
	if (row == BUILD_WAKES_MAX ||
	    !build_grow(b, &m->wakes, row, sizeof(*m->wakes)))
		return NULL;
	if (!index_put(&b->wake_index, waker, woken, row)) {
		b->out_of_memory = true;
		return NULL;
	}
	m->wakes[row] = (struct model_wake){ .waker = waker, .woken = woken };
	m->nr_wakes++;
	return &m->wakes[row];
}

void wake_add(struct build *b, uint32_t process, uint32_t woken,
	      const struct record *s, const struct gap *gap)
{
	uint64_t id = s->woken.waker;
	const struct model_coroutine *waker =
		id ? coroutine_find(b, process, id) : NULL;
	struct model_wake *wake = wake_of(b, waker ? waker->label : MODEL_NONE,
					  woken);

	if (!wake) {
		b->model->nr_dropped_wakes++;
		return;
	}
	wake->count++;
	wake->ready += gap->ready_known;
	if (gap->ready_known)
		wake->ready_ns += gap->ready_ns;
}

static int by_count(const void *a, const void *b)
{
	const struct model_wake *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->woken != y->woken)
		return x->woken > y->woken ? 1 : -1;
	return (x->waker > y->waker) - (x->waker < y->waker);
}

void wakes_finish(struct build *b)
{
	struct model *m = b->model;

	if (m->nr_wakes)
		qsort(m->wakes, m->nr_wakes, sizeof(*m->wakes), by_count);
}
