// SPDX-License-Identifier: GPL-2.0
/*
 * Rank tests: exact for few figures, by normal scores for many, with corrections for many tests and
 * for what does not vary independently.
 */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "diff/counts.h"
#include "diff/noise.h"

/* So many together are tested exactly. */
#define FEW	32

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double noise_spread(const struct group *g)
{
	double mean = 0, squares = 0;

	if (g->nr < 2)
		return -1;
	for (uint32_t i = 0; i < g->nr; i++)
		mean += g->list[i] / g->nr;
	for (uint32_t i = 0; i < g->nr; i++)
		squares += (g->list[i] - mean) * (g->list[i] - mean);
	return sqrt(squares / (g->nr - 1));
}

double noise_median(const struct group *g)
{
	return (g->list[(g->nr - 1) / 2] + g->list[g->nr / 2]) / 2;
}

/* How many are less than @value, or, with @same, not more. */
static uint32_t below(const struct group *g, double value, bool same)
{
	uint32_t from = 0, to = g->nr;

	while (from < to) {
		uint32_t middle = from + (to - from) / 2;

		if (g->list[middle] < value || (same && g->list[middle] == value))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

double noise_rank(const struct group *g, double value)
{
	return (below(g, value, false) + below(g, value, true)) / 2.0;
}

/* ------------------------------------------------------------------------
 * ranks
 */

/**
 * struct ranks - of figures of two groups in one order
 * @all:     how many there will be
 * @nr:      how many there are
 * @few:     twice the rank of each, while they are few: ranks of ties are means
 * @sum:     of twice the ranks of the new ones
 * @score:   sum of normal scores of the new ones
 * @scores:  likewise, of all
 * @squares: likewise, of their squares
 */
struct ranks {
	uint64_t all;
	uint64_t nr;
	uint32_t few[FEW];
	double sum;
	double score;
	double scores;
	double squares;
};

/* How many at the begin of what is left are @value. */
static uint32_t take(const struct group *g, uint32_t *at, double value)
{
	uint32_t from = *at;

	while (*at < g->nr && g->list[*at] <= value)
		(*at)++;
	return *at - from;
}

static double next(const struct group *g, uint32_t at)
{
	return at < g->nr ? g->list[at] : INFINITY;
}

/* Where a normal distribution has such a share below it: Abramowitz and Stegun, 26.2.23. */
static double normal_score(double share)
{
	double t = sqrt(-2 * log(fmin(share, 1 - share)));
	double score = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
			   (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);

	return share == 0.5 ? 0 : copysign(score, share - 0.5);
}

static void add_ties(struct ranks *r, uint32_t old, uint32_t new)
{
	double both = (double)old + new;
	/* Ranks nr + 1 to nr + both, twice their mean. */
	uint64_t twice = 2 * r->nr + old + new + 1;
	double score = normal_score((double)twice / (2 * ((double)r->all + 1)));

	for (uint32_t i = 0; i < old + new && r->nr + i < FEW; i++)
		r->few[r->nr + i] = (uint32_t)twice;
	r->sum += (double)twice * new;
	r->score += score * new;
	r->scores += score * both;
	r->squares += score * score * both;
	r->nr += (uint64_t)old + new;
}

static void rank(struct ranks *r, struct group *old, struct group *new)
{
	uint32_t o = 0, n = 0;

	*r = (struct ranks){ .all = (uint64_t)old->nr + new->nr };
	qsort(old->list, old->nr, sizeof(double), ascending);
	qsort(new->list, new->nr, sizeof(double), ascending);
	while (o < old->nr || n < new->nr) {
		double value = fmin(next(old, o), next(new, n));
		uint32_t of_old = take(old, &o, value), of_new = take(new, &n, value);

		add_ties(r, of_old, of_new);
	}
}

/* ------------------------------------------------------------------------
 * chances
 */

/* What twice the ranks of all add up to. */
#define SUM_MAX	(FEW * (FEW + 1))

/* ways[k][s]: to take k of the ranks so that their sum is s. */
typedef double ways_t[SUM_MAX + 1];

static void count_ways(ways_t *ways, const struct ranks *r, uint32_t most)
{
	uint32_t sum = (uint32_t)(r->nr * (r->nr + 1));

	ways[0][0] = 1;
	for (uint32_t i = 0; i < r->nr; i++)
		for (uint32_t k = i < most ? i + 1 : most; k; k--)
			for (uint32_t s = sum; s >= r->few[i]; s--)
				ways[k][s] += ways[k - 1][s - r->few[i]];
}

/* The share of ways in which the sum of the new ones is as far from the mean. */
static double exact(const struct ranks *r, uint32_t new, double far)
{
	ways_t *ways = calloc(new + 1, sizeof(*ways));
	double mean = (double)new * (double)(r->nr + 1), found = 0, all = 0;

	if (!ways)
		return -1;
	count_ways(ways, r, new);
	for (uint32_t s = 0; s <= SUM_MAX; s++) {
		all += ways[new][s];
		if (fabs(s - mean) >= far)
			found += ways[new][s];
	}
	free(ways);
	return found / all;
}

/* By how many standard deviations the scores of the new ones are off their share of all. */
static double score_off(const struct ranks *r, uint32_t old, uint32_t new)
{
	double nr = (double)r->nr, mean = r->scores / nr;
	double variance = (double)old * new / (nr * (nr - 1)) * (r->squares - nr * mean * mean);

	return variance > 0 ? (r->score - new * mean) / sqrt(variance) : 0;
}

double noise_test(struct group *old, struct group *new, int *sign)
{
	struct ranks r;
	bool few;
	double off;

	rank(&r, old, new);
	few = r.nr <= FEW;
	off = few ? r.sum - (double)new->nr * (double)(r.nr + 1) : score_off(&r, old->nr, new->nr);
	*sign = (off > 0) - (off < 0);
	return few ? exact(&r, new->nr, fabs(off)) : erfc(fabs(off) / M_SQRT2);
}

double noise_least(uint32_t old, uint32_t new)
{
	double ways = lgamma((double)old + new + 1) - lgamma(old + 1.0) - lgamma(new + 1.0);

	return fmin(1, 2 * exp(-ways));
}

/* ------------------------------------------------------------------------
 * of many tests
 */

double noise_limit(double *least, uint32_t nr)
{
	uint32_t able = nr;

	qsort(least, nr, sizeof(*least), ascending);
	for (uint32_t among = 1; among <= nr; among++) {
		while (able && least[able - 1] > NOISE_CHANCE / among)
			able--;
		if (able <= among)
			return NOISE_CHANCE / among;
	}
	return NOISE_CHANCE;
}

void noise_correct(double *const *p, uint32_t nr)
{
	double before = 0;

	for (uint32_t i = 0; i < nr; i++) {
		double chance = fmin(1, *p[i] * (nr - i));

		before = fmax(before, chance);
		*p[i] = before;
	}
}

/* ------------------------------------------------------------------------
 * Student's t
 */

/* Beyond this, chances are less than a double can be. */
#define FAR	40.0

/* The continued fraction of the incomplete beta function: Abramowitz and Stegun, 26.5.8. */
static double fraction(double x, double a, double b)
{
	double value = 1;

	for (int m = 200; m; m--) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		value = 1 + even / (1 + odd / value);
	}
	return 1 - (a + b) * x / (a + 1) / value;
}

static double beta_share(double x, double a, double b)
{
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));

	if (x < (a + 1) / (a + b + 2))
		return front / a / fraction(x, a, b);
	return 1 - front / b / fraction(1 - x, b, a);
}

double noise_t(double t, double freedom)
{
	if (isinf(freedom))
		return erfc(fabs(t) / M_SQRT2);
	if (!t || isinf(t))
		return t ? 0 : 1;
	return beta_share(freedom / (freedom + t * t), freedom / 2, 0.5);
}

double noise_t_limit(double chance, double freedom)
{
	double low = 0, high = 1;

	while (noise_t(high, freedom) > chance && high < 1e9)
		high *= 2;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (noise_t(middle, freedom) > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double noise_widen(double p, double factor, double freedom)
{
	if (factor <= 1)
		return p;
	return noise_t(p > 0 ? noise_t_limit(p, INFINITY) / sqrt(factor) : FAR / sqrt(factor),
		       freedom);
}

/* ------------------------------------------------------------------------
 * two modes
 */

/*
 * Of the variance, what is between the halves: 64 % of a normal distribution, 75 % of a uniform
 * one.
 */
#define MODES_APART	0.85
/* A mode has so many, and such a share. */
#define MODE_LEAST	8
#define MODE_SHARE	0.05

/**
 * struct pool - figures of both groups in one order
 * @nr:    how many
 * @sum:   of the first so many, as logarithms if all are above 0
 * @square: of all
 */
struct pool {
	uint32_t nr;
	double *sum;
	double square;
};

static bool pool_open(struct pool *p, const struct group g[2])
{
	bool above = g[0].list[0] > 0 && g[1].list[0] > 0;
	uint32_t at[2] = { 0, 0 };

	*p = (struct pool){ .nr = g[0].nr + g[1].nr };
	p->sum = calloc((size_t)p->nr + 1, sizeof(*p->sum));
	for (uint32_t i = 0; p->sum && i < p->nr; i++) {
		bool of_new = next(&g[1], at[1]) < next(&g[0], at[0]);
		double value = g[of_new].list[at[of_new]++];

		value = above ? log(value) : value;
		p->sum[i + 1] = p->sum[i] + value;
		p->square += value * value;
	}
	return p->sum;
}

/* How many are in the lower mode; 0: there are not two. */
static uint32_t split(const struct pool *p)
{
	double mean = p->sum[p->nr] / p->nr, all = p->square - mean * p->sum[p->nr], best = 0;
	uint32_t least = (uint32_t)fmax(MODE_LEAST, MODE_SHARE * p->nr), found = 0;

	for (uint32_t i = least; i + least <= p->nr; i++) {
		double off = p->sum[i] - mean * i;
		double between = off * off / i + off * off / (p->nr - i);

		if (between > best) {
			best = between;
			found = i;
		}
	}
	return best > MODES_APART * all ? found : 0;
}

/* The figure that is the @nr-th of both. */
static double value_at(const struct group g[2], uint32_t nr)
{
	uint32_t at[2] = { 0, 0 };
	double value = 0;

	while (nr--) {
		bool of_new = next(&g[1], at[1]) < next(&g[0], at[0]);

		value = g[of_new].list[at[of_new]++];
	}
	return value;
}

/* Those of @g up to @end, or beyond. */
static struct group mode_of(const struct group *g, double end, bool lower)
{
	uint32_t nr = below(g, end, true);

	return lower ? (struct group){ g->list, nr } :
		       (struct group){ g->list + nr, g->nr - nr };
}

/*
 * Of ways to have so many in each mode, the share in which the new ones are as high within these,
 * or higher, and as low.
 */
static void order_within(const struct group g[2], double end, double share[2])
{
	double off = 0, variance = 0;

	for (int lower = 0; lower < 2; lower++) {
		const struct group old = mode_of(&g[0], end, lower),
				   new = mode_of(&g[1], end, lower);
		double both = (double)old.nr + new.nr;

		for (uint32_t i = 0; i < new.nr; i++)
			off += noise_rank(&old, new.list[i]) + noise_rank(&new, new.list[i]) -
			       both / 2;
		variance += (double)old.nr * new.nr * (both + 1) / 12;
	}
	share[0] = variance > 0 ? erfc(off / sqrt(2 * variance)) / 2 : 1;
	share[1] = variance > 0 ? erfc(-off / sqrt(2 * variance)) / 2 : 1;
}

double noise_modes(const struct group g[2], double *end)
{
	const double n[2] = { g[0].nr, g[1].nr };
	struct pool pool;
	uint32_t lower;
	double k[2], within[2];

	if (!pool_open(&pool, g))
		return -1;
	lower = split(&pool);
	free(pool.sum);
	if (!lower)
		return NOISE_NO_MODES;
	*end = value_at(g, lower);
	for (unsigned int i = 0; i < 2; i++)
		k[i] = below(&g[i], *end, true);
	/* @k is of the lower ones. */
	order_within(g, *end, within);
	return counts_of_ordered(k, n, within);
}
