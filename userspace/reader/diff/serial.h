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

/* Of fewer it can't be known. */
#define SERIAL_LEAST	16

/* Sizes of blocks are powers of 2. */
#define SERIAL_SIZES	32

/**
 * struct serial_side - what there is to find in one group
 * @ratio:  of blocks of twice as many each: how many times as much their means vary
 * @blocks: how many of these there are, less 1; 0: too few
 * @slope:  by how many standard deviations a trend is off 0
 */
struct serial_side {
	double ratio[SERIAL_SIZES];
	double blocks[SERIAL_SIZES];
	double slope;
};

/**
 * struct serial_limits - by how many standard deviations something must be off to be found
 * @blocks: means of blocks of both groups
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

/**
 * struct serial - what was found
 * @factor:  how many times as much the means vary; 1: nothing was found
 * @freedom: how many blocks @factor is made of, less 1 in each group; INFINITY: it is of no blocks
 */
struct serial {
	double factor;
	double freedom;
};

struct serial_side serial_side_of(const double *figures, uint32_t nr);

/*
 * Of both groups together, as they are recordings of the same program. @sign: that of what the
 * other is off the one.
 */
struct serial serial_of(const struct serial_side *one, const struct serial_side *other, int sign,
			const struct serial_limits *limits);

/* The more dependent one. */
struct serial serial_most(struct serial one, struct serial other);

#endif /* COROPROF_DIFF_SERIAL_H */
