// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps single lengths until there are HISTOGRAM_FEW, then counts by steps of an octave; answers
 * quantiles and ranks from either.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/histogram.h"

static uint64_t width_of(unsigned int octave)
{
	return octave ? 1ULL << (octave - 1) : 1;
}

struct histogram *histogram_new(void)
{
	struct histogram *l = calloc(1, sizeof(*l) + HISTOGRAM_OCTAVES * sizeof(*l->octave));

	if (l)
		l->least = UINT64_MAX;
	return l;
}

static bool count_step(struct histogram *l, unsigned int octave, unsigned int step, uint64_t nr)
{
	if (!l->octave[octave])
		l->octave[octave] = calloc(HISTOGRAM_STEPS, sizeof(**l->octave));
	if (!l->octave[octave])
		return false;
	l->octave[octave][step] += nr;
	return true;
}

/* False: there is no memory for its octave. */
static bool count_length(struct histogram *l, uint64_t ns)
{
	unsigned int step = histogram_step(ns);

	return count_step(l, step / HISTOGRAM_STEPS, step % HISTOGRAM_STEPS, 1);
}

static bool become_many(struct histogram *l)
{
	bool done = true;

	l->many = true;
	for (uint32_t i = 0; i < l->nr_few; i++)
		done &= count_length(l, l->few[i]);
	free(l->few);
	l->few = NULL;
	l->nr_few = 0;
	return done;
}

static bool keep_single(struct histogram *l, uint64_t ns)
{
	uint32_t nr = l->nr_few;
	uint64_t *few = l->few;

	/* Full whenever it is a power of two, or empty. */
	if (!(nr & (nr - 1)))
		few = realloc(few, (nr ? 2 * nr : 1) * sizeof(*few));
	if (!few)
		return false;
	few[nr] = ns;
	l->few = few;
	l->nr_few++;
	return true;
}

bool histogram_add_new(struct histogram *l, uint64_t ns)
{
	if (!l->many && l->nr_few < HISTOGRAM_FEW)
		return keep_single(l, ns);
	return (l->many || become_many(l)) && count_length(l, ns);
}

static bool merge_octave(uint64_t **to, const uint64_t *from)
{
	if (!*to) {
		*to = malloc(HISTOGRAM_STEPS * sizeof(*from));
		if (*to)
			memcpy(*to, from, HISTOGRAM_STEPS * sizeof(*from));
		return *to;
	}
	for (unsigned int i = 0; i < HISTOGRAM_STEPS; i++)
		(*to)[i] += from[i];
	return true;
}

/* ---- packed: seven bits in a byte, the last of a number without the highest bit */

static unsigned char *put_number(unsigned char *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (unsigned char)(number | 0x80);
	*to++ = (unsigned char)number;
	return to;
}

static const unsigned char *get_number(const unsigned char *from, uint64_t *number)
{
	unsigned int shift = 0;

	for (*number = 0; *from & 0x80; shift += 7)
		*number |= (uint64_t)(*from++ & 0x7f) << shift;
	*number |= (uint64_t)*from++ << shift;
	return from;
}

#define NUMBER_BYTES	10u

/* No histogram takes more. */
#define PACKED_MOST	(2 * HISTOGRAM_OCTAVES * HISTOGRAM_STEPS * NUMBER_BYTES)

/* Single lengths; or counts, each behind the number of steps from the one before. */
static unsigned char *put_all(const struct histogram *l, unsigned char *to)
{
	unsigned int last = 0;

	for (uint32_t i = 0; i < l->nr_few; i++)
		to = put_number(to, l->few[i]);
	for (unsigned int o = 0; o < HISTOGRAM_OCTAVES; o++)
		for (unsigned int i = 0; l->octave[o] && i < HISTOGRAM_STEPS; i++) {
			if (!l->octave[o][i])
				continue;
			to = put_number(to, o * HISTOGRAM_STEPS + i - last);
			to = put_number(to, l->octave[o][i]);
			last = o * HISTOGRAM_STEPS + i;
		}
	return to;
}

struct histogram *histogram_pack(const struct histogram *l)
{
	struct histogram *packed = malloc(sizeof(*packed));
	unsigned char all[PACKED_MOST];
	size_t size = (size_t)(put_all(l, all) - all);

	if (!packed)
		return NULL;
	*packed = *l;
	packed->few = NULL;
	packed->nr_few = 0;
	packed->nr = l->nr_few;
	packed->size = size;
	packed->packed = malloc(size + 1);
	if (!packed->packed) {
		free(packed);
		return NULL;
	}
	memcpy(packed->packed, all, size);
	return packed;
}

/* Room for so many more, as keep_single() has it: up to the next power of two. */
static bool make_room(struct histogram *l, uint32_t nr)
{
	uint32_t room = 1;
	uint64_t *few;

	while (room < l->nr_few + nr)
		room *= 2;
	few = realloc(l->few, room * sizeof(*few));
	if (few)
		l->few = few;
	return few;
}

/* Single lengths: those of @from, one by one. */
static bool merge_few(struct histogram *to, const struct histogram *from)
{
	uint32_t nr = from->packed ? (uint32_t)from->nr : from->nr_few;
	const unsigned char *at = from->packed;
	bool done = true;
	uint64_t ns;

	if (!nr)
		return true;
	if (!to->many && to->nr_few + nr > HISTOGRAM_FEW)
		done = become_many(to);
	else if (!to->many && !make_room(to, nr))
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		if (at)
			at = get_number(at, &ns);
		else
			ns = from->few[i];
		if (to->many)
			done &= count_length(to, ns);
		else
			to->few[to->nr_few++] = ns;
	}
	return done;
}

static bool merge_packed(struct histogram *to, const struct histogram *from)
{
	const unsigned char *at = from->packed, *end = at + from->size;
	uint64_t steps, nr, step = 0;
	bool done = true;

	while (at < end) {
		at = get_number(at, &steps);
		at = get_number(at, &nr);
		step += steps;
		done &= count_step(to, (unsigned int)step / HISTOGRAM_STEPS, step % HISTOGRAM_STEPS, nr);
	}
	return done;
}

bool histogram_merge(struct histogram *to, const struct histogram *from)
{
	bool done = true;

	if (from->many && !to->many)
		done = become_many(to);
	if (!from->many)
		done &= merge_few(to, from);
	else if (from->packed)
		done &= merge_packed(to, from);
	for (unsigned int o = 0; from->many && !from->packed && o < HISTOGRAM_OCTAVES; o++)
		if (from->octave[o])
			done &= merge_octave(&to->octave[o], from->octave[o]);
	to->sum += from->sum;
	if (from->least < to->least)
		to->least = from->least;
	if (from->most > to->most)
		to->most = from->most;
	return done;
}

static int by_length(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

void histogram_finish(struct histogram *l)
{
	if (l->nr_few)
		qsort(l->few, l->nr_few, sizeof(*l->few), by_length);
	l->nr = l->nr_few;
	for (unsigned int o = 0; o < HISTOGRAM_OCTAVES; o++)
		for (unsigned int i = 0; l->octave[o] && i < HISTOGRAM_STEPS; i++)
			l->nr += l->octave[o][i];
}

void histogram_free(struct histogram *l)
{
	if (!l)
		return;
	for (unsigned int o = 0; !l->packed && o < HISTOGRAM_OCTAVES; o++)
		free(l->octave[o]);
	free(l->packed);
	free(l->few);
	free(l);
}

size_t histogram_bytes(const struct histogram *l)
{
	return l ? sizeof(*l) + l->size : 0;
}

static bool is_between(uint64_t ns, uint64_t from, uint64_t below)
{
	return ns >= from && (!below || ns < below);
}

uint64_t histogram_between(const struct histogram *l, uint64_t from, uint64_t below)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < l->nr_few; i++)
		nr += is_between(l->few[i], from, below);
	for (unsigned int o = histogram_octave(from); o < HISTOGRAM_OCTAVES; o++) {
		if (below && histogram_first(o * HISTOGRAM_STEPS) >= below)
			break;
		for (unsigned int i = 0; l->octave[o] && i < HISTOGRAM_STEPS; i++)
			if (is_between(histogram_first(o * HISTOGRAM_STEPS + i), from, below))
				nr += l->octave[o][i];
	}
	return nr;
}

uint64_t histogram_ranked(const struct histogram *l, uint64_t rank, bool *exact)
{
	uint64_t below = 0;

	*exact = true;
	if (rank <= l->nr_few)
		return rank ? l->few[rank - 1] : 0;
	for (unsigned int o = 0; o < HISTOGRAM_OCTAVES; o++)
		for (unsigned int i = 0; l->octave[o] && i < HISTOGRAM_STEPS; i++) {
			below += l->octave[o][i];
			if (below < rank)
				continue;
			*exact = width_of(o) == 1;
			return histogram_first(o * HISTOGRAM_STEPS + i) + (width_of(o) - 1) / 2;
		}
	return 0;
}

static uint64_t within(uint64_t value, uint64_t least, uint64_t most)
{
	return value < least ? least : value > most ? most : value;
}

uint64_t histogram_quantile(const struct histogram *l, double quantile, bool *exact)
{
	/* 0.07 times 100 is more than 7, as doubles have it. */
	uint64_t rank = (uint64_t)ceil(quantile * (double)l->nr * (1 - 1e-12));

	*exact = true;
	if (!l->nr)
		return 0;
	if (rank <= 1)
		return l->least;
	if (rank >= l->nr)
		return l->most;
	return within(histogram_ranked(l, rank, exact), l->least, l->most);
}
