// SPDX-License-Identifier: GPL-2.0
/*
 * Collects means and trends of labels and asks how much of a difference two drifts explain, by
 * least squares.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/drift.h"
#include "diff/noise.h"

/*
 * By how much less a change of one label has to leave unexplained than drifts do. One of all
 * labels by the same share is rarer, and so are drifts that end alike: these have to be better by
 * more. So has a trend beside a change that both recordings have alike, as that is one thing more
 * to explain. They are a bargain: of fewer drifts that alarm, or more changes that are found. With
 * these a drift as large as what coroutines differ by alarms in 1 % of pairs at most, and changes
 * of one label are found as often as by permutation.
 */
#define BETTER			0.4
#define BETTER_ALL		4
#define BETTER_SETTLING		2.5
#define BETTER_ALIKE		9

/* Ranks that are off by less are not those of groups that have nothing in common. */
#define APART		4

/* At the end a drift is twice as far off as in the mean; the slope of a line varies by 12 / nr. */
#define MEAN_OF_DRIFT	0.5
#define TREND_OF_DRIFT	sqrt(1 / 12.0)

/**
 * struct offset - of the mean of a figure
 * @off:   by how many standard deviations
 * @error: the standard deviation, as a share of the figure; 0: none is known
 */
struct offset {
	double off;
	double error;
};

/* Ranks don't say how far groups are apart that have nothing in common, which means do. */
static struct offset offset_of(const struct model_change *c)
{
	const struct model_side *old = &c->side[MODEL_OLD], *new = &c->side[MODEL_NEW];
	double error = hypot(old->error, new->error), mean = (old->value + new->value) / 2;
	double off;

	if (c->p < 0 || old->error < 0 || new->error < 0 || !error || mean <= 0)
		return (struct offset){ 0, 0 };
	off = noise_t_limit(c->p, INFINITY);
	if (off > APART)
		off = fmax(off, fabs(new->value - old->value) / error);
	return (struct offset){ copysign(off, c->change), error / mean };
}

static struct drift *drift_of(const struct drifts *d, const char *figure)
{
	for (uint32_t i = 0; i < d->nr; i++)
		if (!strcmp(d->list[i].figure, figure))
			return &d->list[i];
	return NULL;
}

/* @sign: 1 to add it, -1 to take it off again. */
static void add_mean(struct drift *to, const struct model_change *c, double sign)
{
	struct offset o = offset_of(c);

	if (!o.error)
		return;
	to->means += sign / (o.error * o.error);
	to->off += sign * o.off / o.error;
}

/* What each side has of the error: by how many there are, as if all varied alike. It is widened. */
static void add_trends(struct drift *to, const struct model_change *c)
{
	double error = offset_of(c).error;
	double both = (double)c->side[MODEL_OLD].units + c->side[MODEL_NEW].units;

	for (unsigned int age = 0; error && age < MODEL_AGES; age++) {
		double own = error * sqrt(c->side[!age].units / both);

		to->trends[age] += 1 / (own * own);
		to->rise[age] += c->side[age].trend / sqrt(c->factor) / own;
	}
}

int drifts_add(struct drifts *d, const struct model_change *c)
{
	struct drift *to = drift_of(d, c->figure);

	if (!to) {
		if (!array_grow(&d->list, d->nr, sizeof(*d->list)))
			return -1;
		to = &d->list[d->nr];
		*to = (struct drift){ .figure = strdup(c->figure) };
		if (!to->figure)
			return -1;
		d->nr++;
	}
	add_mean(to, c, 1);
	add_trends(to, c);
	return 0;
}

void drifts_free(struct drifts *d)
{
	for (uint32_t i = 0; i < d->nr; i++)
		free(d->list[i].figure);
	free(d->list);
	*d = (struct drifts){ 0 };
}

/*
 * Of the sum of squares, what two drifts leave none of: least squares of what is off at both ends.
 * @way: 1 if they begin alike, -1 if they end so.
 */
static double by_drifts(const struct drift *d, int way)
{
	double mean = d->means * MEAN_OF_DRIFT * MEAN_OF_DRIFT;
	double trend = TREND_OF_DRIFT * TREND_OF_DRIFT;
	double old = d->trends[MODEL_OLD] * trend + mean, new = d->trends[MODEL_NEW] * trend + mean;
	double off_old = way * d->rise[MODEL_OLD] * TREND_OF_DRIFT - d->off * MEAN_OF_DRIFT;
	double off_new = way * d->rise[MODEL_NEW] * TREND_OF_DRIFT + d->off * MEAN_OF_DRIFT;

	return (off_old * off_old * new + off_new * off_new * old + 2 * off_old * off_new * mean) /
	       (old * new - mean * mean);
}

/* What a trend explains that is the same in both, and so no difference. */
static double by_trend_alike(const struct drift *d)
{
	double rise = d->rise[MODEL_OLD] + d->rise[MODEL_NEW];

	return rise * rise / (d->trends[MODEL_OLD] + d->trends[MODEL_NEW]);
}

bool drifts_explain(const struct drifts *drifts, const struct model_change *of_label,
		    const struct model_change *c)
{
	const struct drift *all = drift_of(drifts, of_label->figure);
	struct offset o = offset_of(c);
	struct drift d;
	double change, drift;

	if (!all || !o.error || !all->trends[MODEL_OLD])
		return false;
	d = *all;
	add_mean(&d, of_label, -1);
	add_mean(&d, c, 1);
	change = fmax(o.off * o.off, d.off * d.off / d.means - BETTER_ALL);
	change += fmax(0, by_trend_alike(&d) - BETTER_ALIKE);
	drift = fmax(by_drifts(&d, 1), by_drifts(&d, -1) - BETTER_SETTLING);
	return change - drift < BETTER;
}
