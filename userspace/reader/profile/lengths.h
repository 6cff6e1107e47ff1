/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How long something took: each by itself while they are few, then how many there are
 * of each length, told apart by less than 1.6 %. What the lengths are does not
 * depend on the order in which they came, nor on how they were divided: those of
 * two stretches are few if they are few together.
 */
#ifndef COROPROF_LENGTHS_H
#define COROPROF_LENGTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/standing.h"

/* So many are kept one by one. */
#define LENGTHS_FEW	128

/* Lengths of an octave are told apart by their highest bits. */
#define LENGTHS_BITS	6
#define LENGTHS_STEPS	(1u << LENGTHS_BITS)
#define LENGTHS_OCTAVES	(64 - LENGTHS_BITS + 1)

/**
 * struct model_lengths - of one kind, such as the slices of a label
 * @few:    each of them, in order once all are added; NULL when they are many
 * @nr_few: how many
 * @many:   they are counted instead:
 * @octave: LENGTHS_STEPS counts each; NULL: there is none in it
 * @nr:     how many, once all are added
 * @sum:    exact, as are the next two: told by lengths_tell(), or set by who has
 *          them elsewhere
 * @least:  UINT64_MAX if there is none
 * @most:   the longest
 */
struct model_lengths {
	uint64_t *few;
	uint32_t nr_few;
	bool many;
	uint64_t *octave[LENGTHS_OCTAVES];
	uint64_t nr;
	uint64_t sum;
	uint64_t least;
	uint64_t most;
};

/* NULL when out of memory. */
struct model_lengths *lengths_new(void);

/*
 * Which step it is of those of all octaves, one behind the other: of lengths below
 * LENGTHS_STEPS, octave 0, each has one of its own, and so has each of octave 1.
 */
static inline unsigned int lengths_place(uint64_t ns)
{
	unsigned int shift = 63u - LENGTHS_BITS - (unsigned int)__builtin_clzll(ns | LENGTHS_STEPS);

	return shift * LENGTHS_STEPS + (unsigned int)(ns >> shift);
}

static inline unsigned int lengths_octave(uint64_t ns)
{
	return lengths_place(ns) / LENGTHS_STEPS;
}

/* The longest that is not told apart from @ns, once there are many. */
static inline uint64_t lengths_last(uint64_t ns)
{
	unsigned int octave = lengths_octave(ns);

	return octave ? ns | ((1ULL << (octave - 1)) - 1) : ns;
}

/* Where there is no place yet; false when out of memory. */
bool lengths_add_new(struct model_lengths *lengths, uint64_t ns);

static inline bool lengths_add(struct model_lengths *lengths, uint64_t ns)
{
	unsigned int place = lengths_place(ns);
	uint64_t *counts = lengths->octave[place / LENGTHS_STEPS];

	if (__builtin_expect(!counts, 0))
		return lengths_add_new(lengths, ns);
	counts[place % LENGTHS_STEPS]++;
	return true;
}

static inline bool lengths_tell(struct model_lengths *lengths, uint64_t ns)
{
	lengths->sum += ns;
	if (ns < lengths->least)
		lengths->least = ns;
	if (ns > lengths->most)
		lengths->most = ns;
	return lengths_add(lengths, ns);
}

/* Adds those of another stretch. */
bool lengths_append(struct model_lengths *to, const struct model_lengths *from);
/* Nothing is added any more. */
void lengths_finish(struct model_lengths *lengths);
void lengths_free(struct model_lengths *lengths);

/*
 * How many are of @from or more and less than @below: both 0, a power of two, or that
 * and one, two or three quarters of it; 0 for @below: no end.
 */
uint64_t lengths_between(const struct model_lengths *lengths, uint64_t from, uint64_t below);
/*
 * The one that the share @quantile (0..1) of them do not exceed: *@exact, or less than
 * 1 % off. 0 if there is none.
 */
uint64_t lengths_quantile(const struct model_lengths *lengths, double quantile, bool *exact);

/* How far such a length can be relied on; @part: some are missing. */
static inline enum standing lengths_standing(bool exact, bool part)
{
	return standing_mean(standing_lacking(exact ? STANDING_COUNTED : STANDING_NEAR, part));
}
/*
 * The one that @rank of them, counted from 1, do not exceed: *@exact, or the middle
 * of the step that has it.
 */
uint64_t lengths_ranked(const struct model_lengths *lengths, uint64_t rank, bool *exact);

#endif /* COROPROF_LENGTHS_H */
