// SPDX-License-Identifier: GPL-2.0
/*
 * Gives each change its verdict: whether it is more than noise, with all tests of a comparison
 * taken into account (diff/noise.h), and how much it may really be.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/change.h"
#include "diff/diff.h"
#include "diff/noise.h"
#include "diff/runs.h"
#include "diff/verdict.h"

/* In so many cases, a change as large as what would have been seen is found. */
#define POWER	0.8

static void set_without_verdict(struct model_change *change)
{
	if (change->verdict == MODEL_VERDICT_ADDED || change->verdict == MODEL_VERDICT_GONE)
		return;
	if (!standing_is_point(change->standing))
		change->why = standing_has_value(change->standing) ?
			      "a bound: by how much it differs is not known" :
			      "not known of both recordings";
	else if (!change->change)
		change->why = "the same in both";
	else if (!change->why)
		change->why = change->p < 0 ? "not known of each coroutine" :
			      change->of == MODEL_OF_FUNCTION ? "too few samples" :
								CHANGE_TOO_FEW;
	change->p = -1;
	change->verdict = MODEL_VERDICT_NONE;
}

static bool is_tested(const struct model *m, uint32_t change, const bool *asked)
{
	return (!asked || asked[change]) && m->changes[change].alone >= 0;
}

/* The limit of what is tested; negative when out of memory. */
static double find_limit(const struct model *m, const bool *asked)
{
	double *least = calloc((size_t)m->nr_changes + 1, sizeof(*least)), limit = -1;
	uint32_t nr = 0;

	for (uint32_t i = 0; least && i < m->nr_changes; i++)
		if (is_tested(m, i, asked))
			least[nr++] = m->changes[i].least;
	if (least)
		limit = noise_limit(least, nr);
	free(least);
	return limit;
}

static int by_chance(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

static void set_verdict(struct model_change *c)
{
	/* A few that are far off move the sum, and a hair's breadth moves all ranks. */
	bool small = fabs(c->change) < DIFF_SMALL ||
		     (!c->modes && fabs(c->typical) < DIFF_SMALL);

	if (c->p > NOISE_CHANCE || !c->change)
		c->verdict = MODEL_VERDICT_NOISE;
	else if (small)
		c->verdict = MODEL_VERDICT_SMALL;
	else if (!c->modes && (c->change > 0) != (c->typical > 0))
		c->verdict = MODEL_VERDICT_MIXED;
	else
		c->verdict = c->change > 0 ? MODEL_VERDICT_MORE : MODEL_VERDICT_LESS;
	if (c->verdict == MODEL_VERDICT_NOISE || !c->drift)
		return;
	c->verdict = MODEL_VERDICT_NONE;
	c->why = RUNS_DRIFT;
	c->p = -1;
}

/* Of the logarithm of what the new one is of the old one; @nr: of how many tests. */
static void set_interval(struct model_change *c, uint32_t nr)
{
	double sum = 0, is = log1p(c->change), off;

	c->low = c->high = c->seen = NAN;
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		const struct model_side *side = &c->side[age];

		if (side->error < 0 || side->value <= 0)
			return;
		sum += side->error / side->value * (side->error / side->value);
	}
	off = sqrt(sum) * noise_t_limit(NOISE_CHANCE, c->freedom);
	c->low = expm1(is - off);
	c->high = expm1(is + off);
	off = noise_t_limit(NOISE_CHANCE / nr, c->freedom) +
	      noise_t_limit(2 * (1 - POWER), c->freedom);
	c->seen = expm1(sqrt(sum) * off);
}

static void begin_verdict(struct model_change *c, double limit)
{
	c->p = c->alone;
	c->why = c->p < 0 ? c->why : NULL;
	if (c->p < 0 || c->least > limit)
		set_without_verdict(c);
}

int verdicts_give(struct model *m, const bool *asked)
{
	double **tests = calloc((size_t)m->nr_changes + 1, sizeof(*tests));
	double limit = find_limit(m, asked);
	uint32_t nr = 0;

	if (!tests || limit < 0) {
		free(tests);
		return -1;
	}
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		if (asked && !asked[i])
			continue;
		begin_verdict(&m->changes[i], limit);
		if (m->changes[i].p >= 0)
			tests[nr++] = &m->changes[i].p;
	}
	qsort(tests, nr, sizeof(*tests), by_chance);
	noise_correct(tests, nr);
	for (uint32_t i = 0; i < m->nr_changes; i++)
		if ((!asked || asked[i]) && m->changes[i].p >= 0) {
			set_interval(&m->changes[i], nr);
			set_verdict(&m->changes[i]);
		}
	free(tests);
	return 0;
}
