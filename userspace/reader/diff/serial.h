/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether figures that follow each other in time depend on each other: as where a cache
 * fills, a list grows, or load comes in bursts. Then their mean varies by more than as many
 * that do not. It is looked for in means of blocks of 2, 4, 8 ... of them, which vary too
 * much, and in a trend from begin to end.
 */
#ifndef COROPROF_DIFF_SERIAL_H
#define COROPROF_DIFF_SERIAL_H

#include <stdint.h>

/* Of fewer it can't be told. */
#define SERIAL_LEAST	16

/**
 * struct serial - what was found
 * @factor:  how many times as much the mean varies; 1: nothing was found
 * @freedom: how many blocks @factor is made of, less 1; INFINITY: it is of no blocks
 * @slope:   by how many standard deviations a trend is off 0
 */
struct serial {
	double factor;
	double freedom;
	double slope;
};

/**
 * struct serial_limits - by how many standard deviations something must be off to be found
 * @blocks: means of blocks
 * @slope:  a trend
 * @apart:  trends of two groups, in the way that their means are
 *
 * The lower they are, the fewer pairs with such a dependence alarm, and the more of those that
 * have none are widened by chance, and a change of theirs not found.
 */
struct serial_limits {
	double blocks;
	double slope;
	double apart;
};

struct serial serial_of(const double *figures, uint32_t nr, const struct serial_limits *limits);

/*
 * Of both groups the more dependent one, as they are recordings of the same program, or what
 * their trends make of it. @sign: that of what the other is off the one.
 */
struct serial serial_of_both(struct serial one, struct serial other, int sign,
			     const struct serial_limits *limits);

/* The more dependent one. */
struct serial serial_most(struct serial one, struct serial other);

#endif /* COROPROF_DIFF_SERIAL_H */
