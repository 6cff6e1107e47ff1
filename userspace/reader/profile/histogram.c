// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps single lengths until there are HISTOGRAM_FEW, then counts by steps of an octave; answers
 * quantiles and ranks from either.
 */
#include <math.h>
#include <stdlib.h>

#include "profile/histogram.h"

static uint64_t width_of(unsigned int octave)
{
	return octave ? 1ULL << (octave - 1) : 1;
}

struct histogram *histogram_new(void)
{
	struct histogram *l = calloc(1, sizeof(*l));

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

bool histogram_merge(struct histogram *to, const struct histogram *from)
{
	bool done = true;

	if (from->many && !to->many)
		done = become_many(to);
	for (uint32_t i = 0; i < from->nr_few; i++)
		done &= histogram_add(to, from->few[i]);
	for (unsigned int o = 0; o < HISTOGRAM_OCTAVES; o++)
		for (unsigned int i = 0; from->octave[o] && i < HISTOGRAM_STEPS; i++)
			if (from->octave[o][i])
				done &= count_step(to, o, i, from->octave[o][i]);
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
	for (unsigned int o = 0; o < HISTOGRAM_OCTAVES; o++)
		free(l->octave[o]);
	free(l->few);
	free(l);
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
