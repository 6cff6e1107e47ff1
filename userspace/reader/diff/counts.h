/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether counts differ by more than counts of things that happen by chance do; and means of
 * many things. All tests are on two sides; those of counts are exact: a tail, twice.
 */
#ifndef COROPROF_DIFF_COUNTS_H
#define COROPROF_DIFF_COUNTS_H

#include <stdint.h>

/**
 * struct counts_test - what came out
 * @p:     how likely so large a difference is, or a larger one, where there is none
 * @least: the least that @p could be with so many
 */
struct counts_test {
	double p;
	double least;
};

/*
 * Of @n[0] things @k[0] are so, of @n[1] @k[1]: the hypergeometric distribution (R. A. Fisher,
 * Statistical Methods for Research Workers, 1934, section 21.02). With what is longer than
 * their common quantile it is the test of quantiles (A. M. Mood, Introduction to the Theory
 * of Statistics, 1950, section 16.3, of the median).
 */
struct counts_test counts_of(const double k[2], const double n[2]);

/*
 * The chance of that, where something else orders what has the same counts: of this a share
 * @own[1] is as far off as this is, or further, to the side of a larger @k[1]; @own[0] to the
 * other.
 */
double counts_of_ordered(const double k[2], const double n[2], const double own[2]);

/*
 * It happened @k[0] times in @times[0], and @k[1] in @times[1]: the binomial distribution
 * (J. Przyborowski and H. Wilenski, Biometrika 31, 1940, pages 313 to 323). @spread: how much
 * both rates may be off for another reason, as a variance of their difference; the test is
 * the less certain one of this, and of the normal distribution with both variances.
 */
struct counts_test counts_rates(const double k[2], const double times[2], double spread);

/**
 * struct counts_mean - of many things
 * @mean:     of them
 * @variance: between them
 * @units:    how many of them there are, where those that are of one are counted as one
 * @factor:   how much more their mean varies, as these depend on each other; at least 1
 */
struct counts_mean {
	double mean;
	double variance;
	double units;
	double factor;
};

/* Means of fewer units are not taken for normal, and say nothing. */
#define COUNTS_UNITS	30

/*
 * B. L. Welch's test (Biometrika 34, 1947, pages 28 to 35); of t the normal approximation of
 * Abramowitz and Stegun, 26.7.8.
 */
struct counts_test counts_means(const struct counts_mean means[2]);

#endif /* COROPROF_DIFF_COUNTS_H */
