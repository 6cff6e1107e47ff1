// SPDX-License-Identifier: GPL-2.0
/*
 * Exact tests of counts (binomial, hypergeometric) and Student's test of means. Chances are
 * logarithms until they are summed, from the count outwards until what is left changes nothing.
 */
#include <math.h>

#include "diff/counts.h"

/* What is less than that of a sum does not change it. */
#define NEGLIGIBLE	1e-18

/* Of the ways to choose @k of @n, the logarithm. */
static double log_ways(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/**
 * struct law - how likely each count is
 * @least, @most: counts that there can be
 * @log: of the chance of one
 * @n:   for @log: of hypergeometric ones, how many of each there are
 * @all: how many are so, or how often it happened, in both
 * @share: of binomial ones: that of the second in all time
 * @mode: the likeliest: chances fall off on both sides of it
 */
struct law {
	double least;
	double most;
	double (*log)(const struct law *law, double k);
	double n[2];
	double all;
	double share;
	double mode;
};

static double hypergeometric(const struct law *law, double k)
{
	return log_ways(law->n[1], k) + log_ways(law->n[0], law->all - k) -
	       log_ways(law->n[0] + law->n[1], law->all);
}

static double binomial(const struct law *law, double k)
{
	return log_ways(law->all, k) + k * log(law->share) +
	       (law->all - k) * log1p(-law->share);
}

/* Away from the mode. */
static int step_of(const struct law *law, double k)
{
	return k < law->mode ? -1 : 1;
}

/*
 * The chance of all that is further from the mode than @k, and of a share @own of what is as
 * far, twice, as there is another side.
 */
static double two_sided(const struct law *law, double k, double own)
{
	int step = step_of(law, k);
	double sum = exp(law->log(law, k)) * own;

	for (k += step; k >= law->least && k <= law->most; k += step) {
		double chance = exp(law->log(law, k));

		sum += chance;
		if (chance <= sum * NEGLIGIBLE)
			break;
	}
	return fmin(1, 2 * sum);
}

static struct counts_test test(const struct law *law, double k)
{
	return (struct counts_test){
		.p = two_sided(law, k, 1),
		.least = fmin(two_sided(law, law->least, 1), two_sided(law, law->most, 1)),
	};
}

static struct law hypergeometric_law(const double k[2], const double n[2])
{
	double all = k[0] + k[1];

	return (struct law){
		.log = hypergeometric,
		.n = { n[0], n[1] },
		.all = all,
		.least = fmax(0, all - n[0]),
		.most = fmin(all, n[1]),
		.mode = floor((all + 1) * (n[1] + 1) / (n[0] + n[1] + 2)),
	};
}

struct counts_test counts_of(const double k[2], const double n[2])
{
	struct law law = hypergeometric_law(k, n);

	return test(&law, k[1]);
}

double counts_of_ordered(const double k[2], const double n[2], const double own[2])
{
	struct law law = hypergeometric_law(k, n);

	return two_sided(&law, k[1], own[step_of(&law, k[1]) > 0]);
}

/* Where both have the rate of both together. */
static double normal(const double k[2], const double times[2], double spread)
{
	double rate = (k[0] + k[1]) / (times[0] + times[1]);
	double difference = k[1] / times[1] - k[0] / times[0];
	double variance = rate / times[0] + rate / times[1] + spread;

	return variance > 0 ? erfc(fabs(difference) / sqrt(2 * variance)) : 1;
}

struct counts_test counts_rates(const double k[2], const double times[2], double spread)
{
	struct law law = {
		.log = binomial,
		.all = k[0] + k[1],
		.most = k[0] + k[1],
		.share = times[1] / (times[0] + times[1]),
	};
	struct counts_test result;

	law.mode = floor((law.all + 1) * law.share);
	result = test(&law, k[1]);
	result.p = fmax(result.p, normal(k, times, spread));
	return result;
}

static double of_t(double t, double freedom)
{
	double z = t * (1 - 1 / (4 * freedom)) / sqrt(1 + t * t / (2 * freedom));

	return erfc(z / M_SQRT2);
}

/* What t comes to, the more it is the more. */
static double of_largest_t(double freedom)
{
	return erfc((1 - 1 / (4 * freedom)) * sqrt(freedom));
}

struct counts_test counts_means(const struct counts_mean m[2])
{
	/* As many that do not depend on each other say as much. */
	double units[] = { m[0].units / m[0].factor, m[1].units / m[1].factor };
	double part[] = { m[0].variance / units[0], m[1].variance / units[1] };
	double sum = part[0] + part[1], difference = fabs(m[1].mean - m[0].mean);
	double freedom = units[0] + units[1] - 2;

	if (m[0].units < COUNTS_UNITS || m[1].units < COUNTS_UNITS || units[0] < 2 || units[1] < 2)
		return (struct counts_test){ 1, 1 };
	if (sum > 0)
		freedom = sum * sum / (part[0] * part[0] / (units[0] - 1) +
				       part[1] * part[1] / (units[1] - 1));
	return (struct counts_test){
		.p = !difference ? 1 :
		     sum > 0 ? of_t(difference / sqrt(sum), freedom) : of_largest_t(freedom),
		.least = of_largest_t(freedom),
	};
}
