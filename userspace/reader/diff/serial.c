// SPDX-License-Identifier: GPL-2.0
/*
 * Says whether figures that follow each other in time depend on each other: by the variance of
 * means of blocks, and by a trend.
 */
#include <math.h>
#include <stdbool.h>

#include "diff/serial.h"

/* Of fewer blocks no variance is made. */
#define BLOCKS_LEAST	4

/**
 * struct moments - of figures
 */
struct moments {
	double mean;
	double variance;
};

static struct moments moments_of(const double *list, uint32_t nr)
{
	struct moments m = { 0 };

	for (uint32_t i = 0; i < nr; i++)
		m.mean += list[i] / nr;
	for (uint32_t i = 0; i < nr; i++)
		m.variance += (list[i] - m.mean) * (list[i] - m.mean) / (nr - 1);
	return m;
}

/*
 * Between means of @blocks blocks of @size, of that expected of independent figures; from the end.
 */
static double ratio_of(const double *list, uint32_t nr, uint32_t size, double variance)
{
	uint32_t blocks = nr / size;
	double mean = 0, square = 0;

	list += nr - blocks * size;
	for (uint32_t b = 0; b < blocks; b++) {
		double sum = 0;

		for (uint32_t i = 0; i < size; i++)
			sum += list[b * size + i] / size;
		square += (sum - mean) * (sum - mean) * b / (b + 1);
		mean += (sum - mean) / (b + 1);
	}
	return square / (blocks - 1) * size / variance;
}

/* How many standard deviations the slope is from 0. */
static double slope_of(const double *list, uint32_t nr, const struct moments *m)
{
	double together = 0, squares = nr * ((double)nr * nr - 1) / 12;

	for (uint32_t i = 0; i < nr; i++)
		together += (i - (nr - 1) / 2.0) * (list[i] - m->mean);
	return together / sqrt(squares * m->variance);
}

struct serial_side serial_side_of(const double *list, uint32_t nr)
{
	struct serial_side side = { .slope = 0 };
	struct moments m;

	if (nr < SERIAL_LEAST)
		return side;
	m = moments_of(list, nr);
	if (m.variance <= 0)
		return side;
	for (unsigned int i = 0; (uint64_t)nr >> (i + 1) >= BLOCKS_LEAST; i++) {
		side.ratio[i] = ratio_of(list, nr, 2u << i, m.variance);
		side.blocks[i] = (nr >> (i + 1)) - 1;
	}
	side.slope = slope_of(list, nr, &m);
	return side;
}

/*
 * How many standard deviations a ratio of variances is off, which is chi-squared: E. B. Wilson
 * and M. M. Hilferty, Proceedings of the National Academy of Sciences 17, 1931. The variance that
 * it is divided by has that of the blocks in it.
 */
static double ratio_off(double ratio, double size, double blocks)
{
	double part = 2 / (9 * blocks) * (1 - 1 / size);

	return (cbrt(ratio) - (1 - part)) / sqrt(part);
}

struct serial serial_most(struct serial one, struct serial other)
{
	return one.factor > other.factor ? one : other;
}

/* What is at the middle is off by half of what is between the ends. */
static struct serial of_slope(double slope)
{
	return (struct serial){ 1 + 3 * slope * slope, INFINITY };
}

/* The largest of any size, if one is found. */
static struct serial of_blocks(const struct serial_side *one, const struct serial_side *other,
			       double limit)
{
	struct serial none = { 1, INFINITY }, most = none;
	bool found = false;

	for (unsigned int i = 0; i < SERIAL_SIZES; i++) {
		double blocks = one->blocks[i] + other->blocks[i], ratio;

		if (!blocks)
			break;
		ratio = (one->ratio[i] * one->blocks[i] + other->ratio[i] * other->blocks[i]) /
			blocks;
		found |= ratio_off(ratio, 2u << i, blocks) > limit;
		most = serial_most(most, (struct serial){ ratio, blocks });
	}
	return found ? most : none;
}

struct serial serial_of(const struct serial_side *one, const struct serial_side *other, int sign,
			const struct serial_limits *limits)
{
	struct serial most = of_blocks(one, other, limits->blocks);
	double slope = fmax(fabs(one->slope), fabs(other->slope));
	/* What one rises by, or the other falls by, is a difference in the middle. */
	double apart = (other->slope - one->slope) / M_SQRT2 * sign;

	if (slope > limits->slope)
		most = serial_most(most, of_slope(slope));
	if (apart > limits->apart)
		most = serial_most(most, of_slope(apart));
	return most;
}
