/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether two groups of figures differ by more than the figures of a group do: a test of
 * ranks, on two sides. It knows nothing of how figures are distributed, and one that is far
 * off weighs little more than others. Of few it is the rank-sum test of Wilcoxon, Mann and
 * Whitney, exact. Of many, ranks have normal scores (B. L. van der Waerden, Indagationes
 * Mathematicae 14, 1952), with which a shift is found no less often than from means, however
 * figures are distributed (H. Chernoff and I. R. Savage, Annals of Mathematical Statistics 29,
 * 1958).
 */
#ifndef COROPROF_NOISE_H
#define COROPROF_NOISE_H

#include <stdint.h>

/* The chance that any verdict that calls a difference no noise is wrong. */
#define NOISE_CHANCE	0.01

/**
 * struct group - figures of one kind
 * @list: them; they are put in order
 * @nr:   how many, at least 1
 */
struct group {
	double *list;
	uint32_t nr;
};

/* How likely Student's t is so far from 0, on either side. */
double noise_t(double t, double freedom);

/* How far from 0 it is with that chance. */
double noise_t_limit(double chance, double freedom);

/* What @p becomes where the variance is so many times what it was taken for. */
double noise_widen(double p, double factor, double freedom);

/* Standard deviation; negative: n/a, for there is one figure, or none. */
double noise_spread(const struct group *group);

/* Of one in order. */
double noise_median(const struct group *group);

/* How many are less than @value, and half of those that are the same. */
double noise_rank(const struct group *ordered, double value);

/*
 * How likely they differ as much as this, or more, where there is no difference but
 * noise. Exact for few, ties and all; of many the sum of scores is taken for normal. *@sign is
 * 1 if the new ones are larger, -1 if they are smaller, else 0. Returns -1 when out
 * of memory.
 */
double noise_test(struct group *old, struct group *new, int *sign);

/* The least that noise_test() can return for groups of these sizes. */
double noise_least(uint32_t old, uint32_t new);

/*
 * Of a pool with two modes, such as what found something in a cache and what did not:
 * how likely shares of both in the groups differ so much, by chance; of equal shares, how the
 * groups differ within the modes. Where these are is found in the pool alone, so that the test is
 * exact. Both groups are in order, the old one first. *@end is the last of the lower mode.
 */
#define NOISE_NO_MODES	2.0

double noise_modes(const struct group groups[2], double *end);

/*
 * Of tests whose least is in @least, those worth making together: what so few can
 * say must be within NOISE_CHANCE, divided by the number of these tests (Tarone).
 * Returns what the least must not exceed. Sorts @least.
 */
double noise_limit(double *least, uint32_t nr);

/*
 * Makes each of the probabilities @p the one that any of these tests, of which each
 * is as extreme or more, comes out so (Holm). @p is in ascending order.
 */
void noise_correct(double *const *p, uint32_t nr);

#endif /* COROPROF_NOISE_H */
