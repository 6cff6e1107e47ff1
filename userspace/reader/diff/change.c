// SPDX-License-Identifier: GPL-2.0
/*
 * A row of model.changes: made, and given what it differs by and what came of its test. The verdict
 * follows once all tests are known (diff/verdict.c).
 */
#include <math.h>

#include "base/util.h"
#include "diff/change.h"

struct model_change *change_add(struct model *m)
{
	if (!array_grow(&m->changes, m->nr_changes, sizeof(*m->changes)))
		return NULL;
	return &m->changes[m->nr_changes++];
}

double change_share(double old, double new)
{
	if (old)
		return (new - old) / old;
	return new ? INFINITY : 0;
}

void change_set_difference(struct model_change *change)
{
	const struct model_side *old = &change->side[MODEL_OLD], *new = &change->side[MODEL_NEW];

	change->standing = (uint8_t)standing_combined(COMBINE_CHANGE, new->standing, old->standing);
	change->change = standing_has_value(change->standing) ? change_share(old->value, new->value) : 0;
}

void change_set_test(struct model_change *change, const struct counts_test *result)
{
	change->p = result->p;
	change->least = result->least;
	change->typical = change->change;
}
