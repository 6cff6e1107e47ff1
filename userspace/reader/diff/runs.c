// SPDX-License-Identifier: GPL-2.0
/* Compares several runs of each side by Student's test, with the run as the unit. */
#include <math.h>

#include "diff/change.h"
#include "diff/noise.h"
#include "diff/ratio.h"
#include "diff/runs.h"

bool runs_are_many(const struct model *const models[MODEL_AGES])
{
	return models[MODEL_OLD]->recordings > 1 || models[MODEL_NEW]->recordings > 1;
}

uint32_t runs_of_label(const struct model *m, uint32_t label)
{
	uint32_t process = m->labels[label].process;

	return process == MODEL_NONE ? 0 : m->processes[process].recording;
}

void runs_add(struct runs *r, enum model_age age, const struct model_side *side)
{
	double off = side->value - r->mean[age];

	r->unknown |= !standing_is_point(side->standing);
	r->nr[age]++;
	r->mean[age] += off / r->nr[age];
	r->squares[age] += off * (side->value - r->mean[age]);
}

/* What has no sum, such as a quantile, is a mean of runs. */
static void set_side(const struct runs *r, struct model_change *c, enum model_age age)
{
	struct model_side *side = &c->side[age];

	side->runs = r->nr[age];
	if (standing_has_value(side->standing))
		return;
	side->standing = STANDING_SCALED;
	side->value = r->mean[age];
}

void runs_test(const struct runs *r, struct model_change *c)
{
	uint32_t nr = r->nr[MODEL_OLD] + r->nr[MODEL_NEW];
	double squares = r->squares[MODEL_OLD] + r->squares[MODEL_NEW];
	double between = 0, within = 0, difference, error;

	if (r->unknown || nr < RUNS_LEAST) {
		c->why = r->unknown ? "not known of each run" : "too few runs";
		return;
	}
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		error = fmax(c->side[age].error, 0);
		within += error * error;
		between += squares / (nr - 2) / r->nr[age];
		set_side(r, c, age);
	}
	change_set_difference(c);
	error = sqrt(fmax(between, within));
	difference = fabs(r->mean[MODEL_NEW] - r->mean[MODEL_OLD]);
	c->p = !difference ? 1 : error > 0 ? noise_t(difference / error, nr - 2) : 0;
	c->least = 0;
	c->freedom = nr - 2;
	c->typical = r->mean[MODEL_OLD] ? r->mean[MODEL_NEW] / r->mean[MODEL_OLD] - 1 : c->change;
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		c->side[age].error = error * sqrt(r->nr[!age] / (double)nr);
}
