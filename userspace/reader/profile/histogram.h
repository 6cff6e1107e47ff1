/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long something took: each by itself while they are few, then how many there are
 * of each length, distinguished by less than 1.6 %. What the lengths are does not
 * depend on the order in which they came, nor on how they were divided: those of
 * two shards are few if they are few together.
 */
#ifndef COROPROF_HISTOGRAM_H
#define COROPROF_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/standing.h"

/* So many are kept one by one. */
#define HISTOGRAM_FEW	128

/* Lengths of an octave are distinguished by their highest bits. */
#define HISTOGRAM_BITS	6
#define HISTOGRAM_STEPS	(1u << HISTOGRAM_BITS)
#define HISTOGRAM_OCTAVES	(64 - HISTOGRAM_BITS + 1)

/**
 * struct histogram - of one kind, such as the slices of a label
 * @few:    each of them, in order once all are added; NULL when they are many
 * @nr_few: how many
 * @many:   they are counted instead, in @octave
 * @packed: all of them, in @size bytes: there is no @few then, and no memory for @octave
 * @nr:     how many, once all are added; of a packed one as @nr_few
 * @sum:    exact, as are the next two: reported by histogram_count(), or set by who has
 *          them elsewhere
 * @least:  UINT64_MAX if there is none
 * @most:   the longest
 * @octave: HISTOGRAM_OCTAVES of them, of HISTOGRAM_STEPS counts each; NULL: there is none in it
 */
struct histogram {
	uint64_t *few;
	uint32_t nr_few;
	bool many;
	unsigned char *packed;
	size_t size;
	uint64_t nr;
	uint64_t sum;
	uint64_t least;
	uint64_t most;
	uint64_t *octave[];
};

/* NULL when out of memory. */
struct histogram *histogram_new(void);

/*
 * Which step it is of those of all octaves, one behind the other: of lengths below
 * HISTOGRAM_STEPS, octave 0, each has one of its own, and so has each of octave 1.
 */
static inline unsigned int histogram_step(uint64_t ns)
{
	unsigned int shift =
		63u - HISTOGRAM_BITS - (unsigned int)__builtin_clzll(ns | HISTOGRAM_STEPS);

	return shift * HISTOGRAM_STEPS + (unsigned int)(ns >> shift);
}

/* The shortest of a step; that of the next one is longer than all of them. */
static inline uint64_t histogram_first(unsigned int step)
{
	unsigned int octave = step / HISTOGRAM_STEPS, n = step % HISTOGRAM_STEPS;

	return octave ? (uint64_t)(HISTOGRAM_STEPS + n) << (octave - 1) : n;
}

static inline unsigned int histogram_octave(uint64_t ns)
{
	return histogram_step(ns) / HISTOGRAM_STEPS;
}

/* The longest that is not distinguished from @ns, once there are many. */
static inline uint64_t histogram_last(uint64_t ns)
{
	unsigned int octave = histogram_octave(ns);

	return octave ? ns | ((1ULL << (octave - 1)) - 1) : ns;
}

/* Where that octave has no counts yet; false when out of memory. */
bool histogram_add_new(struct histogram *histogram, uint64_t ns);

static inline bool histogram_add(struct histogram *histogram, uint64_t ns)
{
	unsigned int step = histogram_step(ns);
	uint64_t *counts = histogram->octave[step / HISTOGRAM_STEPS];

	if (__builtin_expect(!counts, 0))
		return histogram_add_new(histogram, ns);
	counts[step % HISTOGRAM_STEPS]++;
	return true;
}

static inline bool histogram_count(struct histogram *histogram, uint64_t ns)
{
	histogram->sum += ns;
	if (ns < histogram->least)
		histogram->least = ns;
	if (ns > histogram->most)
		histogram->most = ns;
	return histogram_add(histogram, ns);
}

/*
 * A copy that takes little memory, for histogram_merge() only, or to be freed. NULL when out of
 * memory. @histogram: that is not finished
 */
struct histogram *histogram_pack(const struct histogram *histogram);
/* Adds those of another shard. */
bool histogram_merge(struct histogram *to, const struct histogram *from);
/* Nothing is added any more. */
void histogram_finish(struct histogram *histogram);
void histogram_free(struct histogram *histogram);
/* Memory that a packed one takes; NULL takes none. */
size_t histogram_bytes(const struct histogram *histogram);

/*
 * How many are of @from or more and less than @below: both 0, a power of two, or that
 * and one, two or three quarters of it; 0 for @below: no end.
 */
uint64_t histogram_between(const struct histogram *histogram, uint64_t from, uint64_t below);
/*
 * The one that the share @quantile (0..1) of them do not exceed: *@exact, or less than
 * 1 % off. 0 if there is none.
 */
uint64_t histogram_quantile(const struct histogram *histogram, double quantile, bool *exact);

/* How far such a length can be relied on; @part: some are missing. */
static inline enum standing histogram_standing(bool exact, bool part)
{
	return standing_mean(
		standing_lacking(exact ? STANDING_COUNTED : STANDING_APPROXIMATE, part));
}
/*
 * The one that @rank of them, counted from 1, do not exceed: *@exact, or the middle
 * of the step that has it.
 */
uint64_t histogram_ranked(const struct histogram *histogram, uint64_t rank, bool *exact);

#endif /* COROPROF_HISTOGRAM_H */
