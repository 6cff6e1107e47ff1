// SPDX-License-Identifier: GPL-2.0
/*
 * Counts slices by time, label and band of length in a hash table; when there are too many buckets
 * they become twice as long.
 */
#include <stdlib.h>

#include "profile/build.h"
#include "profile/heat-map.h"

uint64_t heat_map_band_ns(unsigned int length)
{
	return length < 2 ? length : (uint64_t)(2 + (length & 1)) << (length / 2 - 2);
}

static struct heat_map_bucket *new_bucket(struct build *b, struct heat_map *h)
{
	if (h->nr == h->capacity) {
		uint32_t capacity = h->capacity ? 2 * h->capacity : 64;
		struct heat_map_bucket *rows = reallocarray(h->rows, capacity, sizeof(*rows));

		if (!rows) {
			b->out_of_memory = true;
			return NULL;
		}
		h->rows = rows;
		h->capacity = capacity;
	}
	return &h->rows[h->nr++];
}

/*
 * Adds @slices to the bucket of @time, which is in units of the bucket's size, and of @key, which
 * is a label and a band.
 */
static void count_slices(struct build *b, struct heat_map *h, uint64_t time, uint32_t key,
			 uint64_t slices)
{
	uint32_t at = index_get(&h->index, time, key);
	struct heat_map_bucket *row;

	if (at != INDEX_NONE) {
		h->rows[at].slices += slices;
		return;
	}
	row = new_bucket(b, h);
	if (!row)
		return;
	*row = (struct heat_map_bucket){ .time = time, .key = key, .slices = slices };
	if (!index_put(&h->index, time, key, h->nr - 1))
		b->out_of_memory = true;
}

static void empty_map(struct heat_map *h)
{
	free(h->rows);
	index_free(&h->index);
	*h = (struct heat_map){ .coarser = h->coarser };
}

/* Makes buckets 2^@by times as long. */
static void coarsen(struct build *b, struct heat_map *h, unsigned int by)
{
	struct heat_map to = { .coarser = h->coarser + by };

	for (uint32_t i = 0; i < h->nr && !b->out_of_memory; i++)
		count_slices(b, &to, h->rows[i].time >> by, h->rows[i].key, h->rows[i].slices);
	empty_map(h);
	*h = to;
}

/*
 * Makes buckets longer until few enough are left; if the longest are still too many, the heat map
 * stays empty from now on.
 */
static void limit_buckets(struct build *b, struct heat_map *h)
{
	while (h->nr > HEAT_MAP_MOST && h->coarser < HEAT_MAP_LAST_BITS - HEAT_MAP_FIRST_BITS &&
	       !b->out_of_memory)
		coarsen(b, h, 1);
	if (h->nr > HEAT_MAP_MOST)
		h->too_many = true;
	if (h->too_many) {
		empty_map(h);
		h->too_many = true;
	}
}

void heat_map_add_new(struct build *b, uint64_t time, uint32_t key)
{
	struct heat_map *h = &b->profile->heat_map;

	if (h->too_many)
		return;
	count_slices(b, h, time, key, 1);
	limit_buckets(b, h);
}

/* ---- another shard follows */

void heat_map_merge(struct build *b, struct profile *from, const struct rows *rows)
{
	struct heat_map *to = &b->profile->heat_map, *h = &from->heat_map;

	if (h->coarser < to->coarser)
		coarsen(b, h, to->coarser - h->coarser);
	if (to->coarser < h->coarser)
		coarsen(b, to, h->coarser - to->coarser);
	to->too_many |= h->too_many;
	for (uint32_t i = 0; i < h->nr && !b->out_of_memory; i++) {
		uint32_t label = row_to(rows->labels, h->rows[i].key / HEAT_MAP_BANDS);

		count_slices(b, to, h->rows[i].time,
			     label * HEAT_MAP_BANDS + h->rows[i].key % HEAT_MAP_BANDS, h->rows[i].slices);
	}
	limit_buckets(b, to);
}

/* ---- the end */

static int compare_buckets(const void *a, const void *b)
{
	const struct heat_map_bucket *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/* @bits: a bucket of time is 2^@bits ns long. */
static struct model_heat_bucket bucket_of(const struct heat_map_bucket *row, unsigned int bits)
{
	unsigned int length = row->key % HEAT_MAP_BANDS, next = length + 1;
	uint64_t begin = row->time << bits;

	/* After 1 come 2 and 3, which have bits enough. */
	if (next == 2)
		next = 4;
	return (struct model_heat_bucket){
		.label = row->key / HEAT_MAP_BANDS,
		.begin_ns = begin,
		.end_ns = begin + (UINT64_C(1) << bits),
		.from_ns = heat_map_band_ns(length),
		.below_ns = next < HEAT_MAP_BANDS ? heat_map_band_ns(next) : UINT64_MAX,
		.slices = row->slices,
	};
}

void heat_map_finish(struct build *b)
{
	struct heat_map *h = &b->profile->heat_map;
	struct model *m = b->model;

	m->heat_map = calloc((size_t)h->nr + 1, sizeof(*m->heat_map));
	if (!m->heat_map) {
		b->out_of_memory = true;
		return;
	}
	if (h->nr)
		qsort(h->rows, h->nr, sizeof(*h->rows), compare_buckets);
	for (uint32_t i = 0; i < h->nr; i++)
		m->heat_map[m->nr_heat_map++] =
			bucket_of(&h->rows[i], HEAT_MAP_FIRST_BITS + h->coarser);
}

void heat_map_free(struct profile *p)
{
	empty_map(&p->heat_map);
}
