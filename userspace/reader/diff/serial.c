// SPDX-License-Identifier: GPL-2.0
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

/* Between means of @blocks blocks of @size, of that expected of independent figures; from the end. */
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

/*
 * How many standard deviations a ratio of variances is off, which is chi-squared: E. B. Wilson
 * and M. M. Hilferty, Proceedings of the National Academy of Sciences 17, 1931. The variance that
 * it is divided by has that of the blocks in it.
 */
static double ratio_off(double ratio, uint32_t size, double blocks)
{
	double part = 2 / (9 * (blocks - 1)) * (1 - 1.0 / size);

	return (cbrt(ratio) - (1 - part)) / sqrt(part);
}

static void widen(struct serial *s, double factor, double freedom)
{
	if (factor > s->factor)
		*s = (struct serial){ factor, freedom, s->slope };
}

struct serial serial_of(const double *list, uint32_t nr, const struct serial_limits *limits)
{
	struct serial most = { 1, INFINITY, 0 };
	struct moments m;
	bool found = false;
	double slope;

	if (nr < SERIAL_LEAST)
		return most;
	m = moments_of(list, nr);
	if (m.variance <= 0)
		return most;
	for (uint32_t size = 2; nr / size >= BLOCKS_LEAST; size *= 2) {
		double blocks = nr / size, ratio = ratio_of(list, nr, size, m.variance);

		found |= ratio_off(ratio, size, blocks) > limits->blocks;
		widen(&most, ratio, blocks - 1);
	}
	slope = slope_of(list, nr, &m);
	if (fabs(slope) > limits->slope) {
		/* What is at the middle is off by half of what is between the ends. */
		widen(&most, 1 + 3 * slope * slope, INFINITY);
		found = true;
	}
	most.slope = slope;
	return found ? most : (struct serial){ 1, INFINITY, slope };
}

struct serial serial_most(struct serial one, struct serial other)
{
	return one.factor > other.factor ? one : other;
}

struct serial serial_of_both(struct serial one, struct serial other, int sign,
			     const struct serial_limits *limits)
{
	struct serial most = serial_most(one, other);
	double apart = (other.slope - one.slope) / M_SQRT2 * sign;

	/* The other one has as many blocks, which vary by no more. */
	most.freedom *= 2;
	/* What one rises by, or the other falls by, is a difference in the middle. */
	if (apart > limits->apart)
		widen(&most, 1 + 3 * apart * apart, INFINITY);
	return most;
}
