// SPDX-License-Identifier: GPL-2.0
/*
 * The figures of single coroutines of a label, in the order of time, as groups for a test. Reads
 * them from the table of coroutines.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/units.h"

/* Of each label, the thing that it is, MODEL_NONE for none; NULL when out of memory. */
static uint32_t *entities_of(const struct model *m, const struct entities *labels, uint32_t age)
{
	uint32_t *of = calloc((size_t)m->nr_labels + 1, sizeof(*of));

	for (uint32_t i = 0; of && i < m->nr_labels; i++)
		of[i] = MODEL_NONE;
	for (uint32_t t = 0; of && t < labels->nr; t++)
		for (uint32_t i = 0; i < labels->list[t].nr[age]; i++)
			of[labels->list[t].rows[age][i]] = t;
	return of;
}

static void divide(struct units *u, const struct model *m, const uint32_t *of, uint32_t entities)
{
	for (uint32_t c = 0; c < m->nr_coroutines; c++)
		if (of[m->coroutines[c].label] != MODEL_NONE)
			u->first[of[m->coroutines[c].label] + 1]++;
	for (uint32_t t = 0; t < entities; t++)
		u->first[t + 1] += u->first[t];
	for (uint32_t c = 0; c < m->nr_coroutines; c++)
		if (of[m->coroutines[c].label] != MODEL_NONE)
			u->rows[u->first[of[m->coroutines[c].label]]++] = c;
	/* Now each is where the next begins. */
	for (uint32_t t = entities; t; t--)
		u->first[t] = u->first[t - 1];
	u->first[0] = 0;
}

/**
 * struct begin - when a coroutine of a thing first ran
 */
struct begin {
	uint32_t recording;
	uint64_t ns;
	uint32_t row;
};

static int by_time(const void *a, const void *b)
{
	const struct begin *x = a, *y = b;

	if (x->recording != y->recording)
		return x->recording < y->recording ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return (x->row > y->row) - (x->row < y->row);
}

/* False: no memory. */
static bool order(struct units *u, const struct model *m, uint32_t entities)
{
	struct begin *list = calloc((size_t)m->nr_coroutines + 1, sizeof(*list));
	bool done;

	for (uint32_t t = 0; list && t < entities; t++) {
		uint32_t from = u->first[t], nr = u->first[t + 1] - from;

		for (uint32_t i = 0; i < nr; i++) {
			const struct model_coroutine *c = &m->coroutines[u->rows[from + i]];

			list[i] = (struct begin){ m->processes[c->process].recording,
						  c->first_ns, u->rows[from + i] };
		}
		qsort(list, nr, sizeof(*list), by_time);
		for (uint32_t i = 0; i < nr; i++)
			u->rows[from + i] = list[i].row;
	}
	done = list;
	free(list);
	return done;
}

int units_open(struct units *u, const struct model *m, const struct entities *labels, uint32_t age)
{
	uint32_t *of = entities_of(m, labels, age);

	*u = (struct units){
		.rows = calloc((size_t)m->nr_coroutines + 1, sizeof(*u->rows)),
		.first = calloc((size_t)labels->nr + 2, sizeof(*u->first)),
		.list = calloc((size_t)m->nr_coroutines + 1, sizeof(*u->list)),
		.weights = calloc((size_t)m->nr_coroutines + 1, sizeof(*u->weights)),
		.scores = calloc((size_t)m->nr_coroutines + 1, sizeof(*u->scores)),
	};
	if (!of || !u->rows || !u->first || !u->list || !u->weights || !u->scores ||
	    sheet_open(&u->sheet, table_named("coroutines"), m)) {
		free(of);
		units_close(u);
		return -1;
	}
	divide(u, m, of, labels->nr);
	free(of);
	if (order(u, m, labels->nr))
		return 0;
	units_close(u);
	return -1;
}

void units_close(struct units *u)
{
	sheet_close(&u->sheet);
	free(u->rows);
	free(u->first);
	free(u->list);
	free(u->weights);
	free(u->scores);
	*u = (struct units){ 0 };
}

static bool is_whole(const struct units *u, uint32_t row)
{
	uint32_t both = MODEL_COROUTINE_BORN | MODEL_COROUTINE_ENDED;

	return (u->sheet.model->coroutines[row].flags & both) == both;
}

static bool is_of_run(const struct units *u, uint32_t row, uint32_t run)
{
	const struct model *m = u->sheet.model;

	return run == UNITS_ALL || m->processes[m->coroutines[row].process].recording == run;
}

struct group units_group(struct units *u, uint32_t entity, struct ratio ratio, bool whole,
			 uint32_t run)
{
	struct group g = { .list = u->list };

	u->standing = STANDING_NONE;
	for (uint32_t i = u->first[entity]; i < u->first[entity + 1]; i++) {
		struct model_side side;

		if ((whole && !is_whole(u, u->rows[i])) || !is_of_run(u, u->rows[i], run))
			continue;
		side = ratio_of(&u->sheet, ratio, &u->rows[i], 1);
		if (!standing_is_point(side.standing))
			continue;
		u->weights[g.nr] = side.times;
		g.list[g.nr++] = side.value;
		u->standing = standing_combined(COMBINE_SUM, u->standing, side.standing);
	}
	return g;
}

double units_error(const struct units *u, const struct group *g)
{
	double weight = 0, mean = 0, square = 0;

	if (g->nr < 2)
		return -1;
	for (uint32_t i = 0; i < g->nr; i++) {
		weight += u->weights[i];
		mean += u->weights[i] * g->list[i];
	}
	mean /= weight;
	for (uint32_t i = 0; i < g->nr; i++) {
		double off = u->weights[i] * (g->list[i] - mean);

		square += off * off;
	}
	return sqrt(square * g->nr / (g->nr - 1)) / weight;
}

struct model_side units_mean(const struct units *u, const struct group *g)
{
	struct model_side side = { .standing = STANDING_NA, .spread = -1, .error = -1 };

	if (!g->nr)
		return side;
	side.standing = (uint8_t)u->standing;
	side.times = g->nr;
	for (uint32_t i = 0; i < g->nr; i++)
		side.value += g->list[i];
	side.value /= g->nr;
	return side;
}
