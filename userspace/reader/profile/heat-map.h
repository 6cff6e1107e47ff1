/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many slices of coroutines were how long, when: a bucket for each label, time and
 * length. Buckets of time are 2^n nanoseconds long, as small as leaves no more than
 * HEAT_MAP_MOST buckets, so that they depend on nothing but the slices. Lengths are those of
 * half an octave: from 2^n or 3 * 2^n ns.
 */
#ifndef COROPROF_HEAT_MAP_H
#define COROPROF_HEAT_MAP_H

#include "base/util.h"
#include "profile/build.h"

/* More would make a page larger than they are worth. */
#define HEAT_MAP_MOST	4096u

/* Buckets are no smaller. */
#define HEAT_MAP_FIRST_BITS	16

/* Larger ones would be longer than any recording: there are too many labels. */
#define HEAT_MAP_LAST_BITS	50

#define HEAT_MAP_BANDS	130u

static inline unsigned int heat_map_band(uint64_t ns)
{
	unsigned int bits = bits_of(ns);

	return bits < 2 ? bits : 2 * bits + (ns >> (bits - 2) & 1);
}

/* The shortest duration in ns of a band. Bands 2 and 3 of HEAT_MAP_BANDS do not exist. */
uint64_t heat_map_band_ns(unsigned int length);

/* Counts a slice whose bucket does not exist yet. */
void heat_map_add_new(struct build *b, uint64_t time, uint32_t key);
/* Adds the buckets of @from, in the larger one of both sizes. */
void heat_map_merge(struct build *b, struct profile *from, const struct rows *rows);
/* Moves the heat map to the model, sorted. */
void heat_map_finish(struct build *b);
void heat_map_free(struct profile *p);

/* Counts one slice. Inline, as it is for every slice. */
static inline void heat_map_add(struct build *b, uint32_t label, uint64_t begin_ns,
				const struct record *s)
{
	struct heat_map *h = &b->profile->heat_map;
	uint32_t key = label * HEAT_MAP_BANDS + heat_map_band(s->duration), row;
	uint64_t time = begin_ns >> (HEAT_MAP_FIRST_BITS + h->coarser);

	if (b->options.no_timeline)
		return;
	row = index_get(&h->index, time, key);
	if (__builtin_expect(row == INDEX_NONE, 0))
		heat_map_add_new(b, time, key);
	else
		h->rows[row].slices++;
}

#endif /* COROPROF_HEAT_MAP_H */
