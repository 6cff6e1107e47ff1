// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "diff/units.h"

/* Of each label, the thing that it is; NULL when out of memory. */
static uint32_t *things_of(const struct model *m, const struct things *labels, uint32_t age)
{
	uint32_t *of = calloc((size_t)m->nr_labels + 1, sizeof(*of));

	for (uint32_t t = 0; of && t < labels->nr; t++)
		for (uint32_t i = 0; i < labels->list[t].nr[age]; i++)
			of[labels->list[t].rows[age][i]] = t;
	return of;
}

static void divide(struct units *u, const struct model *m, const uint32_t *of, uint32_t things)
{
	for (uint32_t c = 0; c < m->nr_coroutines; c++)
		u->first[of[m->coroutines[c].label] + 1]++;
	for (uint32_t t = 0; t < things; t++)
		u->first[t + 1] += u->first[t];
	for (uint32_t c = 0; c < m->nr_coroutines; c++)
		u->rows[u->first[of[m->coroutines[c].label]]++] = c;
	/* Now each is where the next begins. */
	for (uint32_t t = things; t; t--)
		u->first[t] = u->first[t - 1];
	u->first[0] = 0;
}

int units_open(struct units *u, const struct model *m, const struct things *labels, uint32_t age)
{
	uint32_t *of = things_of(m, labels, age);

	*u = (struct units){
		.rows = calloc((size_t)m->nr_coroutines + 1, sizeof(*u->rows)),
		.first = calloc((size_t)labels->nr + 2, sizeof(*u->first)),
		.list = calloc((size_t)m->nr_coroutines + 1, sizeof(*u->list)),
	};
	if (!of || !u->rows || !u->first || !u->list ||
	    sheet_open(&u->sheet, table_named("coroutines"), m)) {
		free(of);
		units_close(u);
		return -1;
	}
	divide(u, m, of, labels->nr);
	free(of);
	return 0;
}

void units_close(struct units *u)
{
	sheet_close(&u->sheet);
	free(u->rows);
	free(u->first);
	free(u->list);
	*u = (struct units){ 0 };
}

struct group units_group(struct units *u, uint32_t thing, struct ratio ratio)
{
	struct group g = { .list = u->list };

	for (uint32_t i = u->first[thing]; i < u->first[thing + 1]; i++) {
		struct model_side side = ratio_of(&u->sheet, ratio, &u->rows[i], 1);

		if (ratio_difference((enum standing)side.standing, STANDING_COUNTED) < STANDING_NA)
			g.list[g.nr++] = side.value;
	}
	return g;
}
