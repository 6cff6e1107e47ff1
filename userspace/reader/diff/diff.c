// SPDX-License-Identifier: GPL-2.0
/*
 * Compares two models: pairs rows by name (diff/entities.h), divides sums by what they are per
 * (diff/ratio.h), tests each difference, and writes model.changes. Relies on tables/ to say which
 * columns are compared.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/change.h"
#include "diff/counts.h"
#include "diff/diff.h"
#include "diff/drift.h"
#include "diff/moved.h"
#include "diff/internal.h"
#include "diff/quantiles.h"
#include "diff/runs.h"
#include "diff/serial.h"
#include "diff/units.h"
#include "diff/verdict.h"
#include "events/events.h"
#include "tables/metric.h"

#define NOT_OF_CALLS		"not known of each call"
/* Where there are two modes, their shares have so much of the chance to be wrong. */
#define SHARE_OF_MODES		0.9

/* What is compared: tables, and the columns that name their rows. */
static const struct {
	const char *table;
	enum model_change_of of;
	const char *name;
	const char *label;
} compared[] = {
	{ "labels", MODEL_OF_LABEL, "name", NULL },
	{ "label_spans", MODEL_OF_SPAN, "span", "label" },
	{ "label_functions", MODEL_OF_FUNCTION, "function", "label" },
};

/**
 * struct compared_label - a label that has changes
 * @name:    it
 * @outside: see struct named_row
 * @first:   of its changes
 */
struct compared_label {
	const char *name;
	bool outside;
	uint32_t first;
};

/**
 * struct comparison - of one table, under way
 * @of:     enum model_change_of
 * @sheets: by enum model_age
 * @entities: what the rows are
 * @units:  of labels: their coroutines
 * @model:  what the changes are put into
 * @sides:  see entities_find()
 * @whole:  see diff_figures()
 * @many:   several recordings are on a side: they say what differs between runs
 * @effective: of spans, of each label: see effective_of()
 * @drifts: what labels say of drifts
 * @rows:   room for those of a thing
 * @labels: in order of their names, once they are compared
 * @nr_labels: how many
 */
struct comparison {
	enum model_change_of of;
	struct sheet sheets[MODEL_AGES];
	struct entities entities;
	struct units units[MODEL_AGES];
	struct model *model;
	const uint8_t *sides;
	bool whole;
	bool many;
	double *effective[MODEL_AGES];
	struct drifts drifts;
	uint32_t *rows;
	struct compared_label *labels;
	uint32_t nr_labels;
};

/* Each coroutine says it. */
static bool has_units(const struct comparison *c)
{
	return c->of == MODEL_OF_LABEL && c->whole;
}

/* What is on one side of a threshold was not put there by chance. */
static bool of_recordings(const struct comparison *c)
{
	return !c->sides;
}

/* ------------------------------------------------------------------------
 * a figure
 */

/**
 * struct asked - what a change is to be of
 * @entity: which
 * @of:     sheet that has the column
 * @column: it
 * @whole:  for each coroutine seen whole, not for each slice
 */
struct asked {
	uint32_t entity;
	const struct sheet *of;
	unsigned int column;
	bool whole;
};

/* What each coroutine says, and, of whole ones, what all of them do. */
static void set_units(struct model_change *change, struct comparison *c, const struct asked *asked,
		      struct group groups[MODEL_AGES])
{
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		struct units *u = &c->units[age];
		struct model_side *side = &change->side[age];
		struct ratio ratio = ratio_find(&u->sheet, asked->of, asked->column, asked->whole);

		groups[age] = units_group(u, asked->entity, ratio, asked->whole, UNITS_ALL);
		if (asked->whole && c->entities.list[asked->entity].nr[age])
			*side = units_mean(u, &groups[age]);
		side->units = groups[age].nr;
		side->spread = noise_spread(&groups[age]);
		side->error = units_error(u, &groups[age]);
	}
}

/*
 * What is found by chance hides changes: with these limits no more of them than a test of means
 * by permutation misses, which knows of no dependence. Shares of modes have less to spare. Trends
 * of ranks are held against what they would explain: see drift.h.
 */
static const struct serial_limits limits_of_ranks = { 2.5, INFINITY, INFINITY };
static const struct serial_limits limits_of_modes = { 3, 3, 2.2 };

/**
 * struct tests - of two groups, as if the coroutines of each did not depend on each other
 * @of_ranks: what noise_test() says
 * @of_modes: what noise_modes() does
 * @end:      likewise
 * @sign:     of what the new ones are off
 */
struct tests {
	double of_ranks;
	double of_modes;
	double end;
	int sign;
};

static void keep_order(struct comparison *c, const struct group groups[MODEL_AGES])
{
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		memcpy(c->units[age].scores, groups[age].list, groups[age].nr * sizeof(double));
}

/* Groups are in order: what ranks the figures have in both of them together. */
static void rank_scores(double *scores, uint32_t nr, const struct group groups[MODEL_AGES])
{
	for (uint32_t i = 0; i < nr; i++) {
		double rank = 0;

		for (unsigned int age = 0; age < MODEL_AGES; age++)
			rank += noise_rank(&groups[age], scores[i]);
		scores[i] = rank;
	}
}

/* Of what keep_order() has kept, it makes ranks, so that modes come before. */
static struct serial serial_of_ranks(struct model_change *change, struct comparison *c,
				     const struct group groups[MODEL_AGES], int sign)
{
	struct serial_side sides[MODEL_AGES];

	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		double *scores = c->units[age].scores;

		rank_scores(scores, groups[age].nr, groups);
		sides[age] = serial_side_of(scores, groups[age].nr);
		change->side[age].trend = sides[age].slope;
	}
	return serial_of(&sides[MODEL_OLD], &sides[MODEL_NEW], sign, &limits_of_ranks);
}

/* Of the modes alone: 1 for what is in the upper one. -1 for no memory. */
static int serial_of_modes(const struct comparison *c, const struct group groups[MODEL_AGES],
			   double end, struct serial *to)
{
	struct serial_side sides[MODEL_AGES];
	double mean[MODEL_AGES] = { 0 };

	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		uint32_t nr = groups[age].nr;
		double *upper = calloc((size_t)nr + 1, sizeof(*upper));

		if (!upper)
			return -1;
		for (uint32_t i = 0; i < nr; i++) {
			upper[i] = c->units[age].scores[i] > end;
			mean[age] += upper[i] / nr;
		}
		sides[age] = serial_side_of(upper, nr);
		free(upper);
	}
	*to = serial_of(&sides[MODEL_OLD], &sides[MODEL_NEW],
			mean[MODEL_NEW] > mean[MODEL_OLD] ? 1 : -1, &limits_of_modes);
	return 0;
}

/* What the figures for each slice depend on, those for each coroutine do as well. */
static struct serial serial_of_slices(const struct comparison *c, const struct asked *asked)
{
	const struct named_row *is = &c->entities.list[asked->entity].is;
	struct serial none = { .factor = 1, .freedom = INFINITY };
	char figure[RATIO_NAME];

	if (!asked->whole)
		return none;
	snprintf(figure, sizeof(figure), "%.120s/slice", asked->of->columns[asked->column].name);
	for (uint32_t i = c->model->nr_changes; i; i--) {
		const struct model_change *r = &c->model->changes[i - 1];

		if (r->of != MODEL_OF_LABEL || strcmp(r->name, is->name))
			break;
		if (!strcmp(r->figure, figure))
			return (struct serial){ .factor = r->factor, .freedom = r->freedom };
	}
	return none;
}

/*
 * Where coroutines depend on each other. Ranks don't say how far groups are apart that have
 * nothing in common, which means do.
 */
static double widen_ranks(struct model_change *change, double p, struct serial serial)
{
	double squares = 0,
	       difference = change->side[MODEL_NEW].value - change->side[MODEL_OLD].value;

	change->factor = serial.factor;
	change->freedom = fmin(change->freedom, serial.freedom);
	if (serial.factor <= 1)
		return p;
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		change->side[age].error *= sqrt(serial.factor);
		squares += change->side[age].error * change->side[age].error;
	}
	p = noise_widen(p, serial.factor, serial.freedom);
	return squares > 0 ? fmin(p, noise_t(difference / sqrt(squares), change->freedom)) : p;
}

/* Each by what its own scores depend on. False: no memory. */
static bool widen(struct model_change *change, struct comparison *c, const struct asked *asked,
		  const struct group groups[MODEL_AGES], struct tests *tests)
{
	struct serial serial;

	if (tests->of_modes < NOISE_NO_MODES) {
		if (serial_of_modes(c, groups, tests->end, &serial))
			return false;
		tests->of_modes = noise_widen(tests->of_modes, serial.factor, serial.freedom);
	}
	serial = serial_most(serial_of_ranks(change, c, groups, tests->sign),
			     serial_of_slices(c, asked));
	tests->of_ranks = widen_ranks(change, tests->of_ranks, serial);
	return true;
}

/* Where there are two modes, any of both tests may find something. */
static void set_chance(struct model_change *change, const struct tests *tests)
{
	double of_ranks = tests->of_ranks / (1 - SHARE_OF_MODES);
	double of_modes = tests->of_modes / SHARE_OF_MODES;

	change->p = tests->of_ranks;
	if (tests->of_modes >= NOISE_NO_MODES)
		return;
	change->modes = of_modes < of_ranks;
	change->p = fmin(1, fmin(of_ranks, of_modes));
}

/* What comes out without taking other tests into account: see verdicts_give(). */
static int test(struct model_change *change, struct comparison *c, const struct asked *asked,
		struct group groups[MODEL_AGES])
{
	uint32_t least = of_recordings(c) ? SERIAL_LEAST : 1;
	struct tests tests;

	if (!standing_is_point(change->standing) || !groups[MODEL_OLD].nr || !groups[MODEL_NEW].nr)
		return 0;
	if (groups[MODEL_OLD].nr < least || groups[MODEL_NEW].nr < least) {
		change->why = CHANGE_TOO_FEW;
		return 0;
	}
	keep_order(c, groups);
	tests.of_ranks = noise_test(&groups[MODEL_OLD], &groups[MODEL_NEW], &tests.sign);
	tests.of_modes = noise_modes(groups, &tests.end);
	change->least = noise_least(groups[MODEL_OLD].nr, groups[MODEL_NEW].nr);
	change->freedom = fmax(1, (double)groups[MODEL_OLD].nr + groups[MODEL_NEW].nr - 2);
	if (tests.of_ranks < 0 || tests.of_modes < 0 ||
	    (of_recordings(c) && !widen(change, c, asked, groups, &tests)))
		return -1;
	set_chance(change, &tests);
	change->typical = change_share(noise_median(&groups[MODEL_OLD]),
				   noise_median(&groups[MODEL_NEW]));
	return 0;
}

/* ------------------------------------------------------------------------
 * runs
 */

/* Instructions and what a program counts are of its work; others of the machine as well. */
static bool is_work(const struct sheet *s, const struct sheet_column *column)
{
	if (column->metric) {
		for (unsigned int i = 0; i < column->metric->nr; i++)
			if (column->metric->steps[i].column &&
			    !is_work(s, &s->columns[column->operands[i]]))
				return false;
		return true;
	}
	if (!column->is->counted)
		return column->kind == KIND_COUNT;
	return event_is_work(&s->model->counters[column->counter].counter);
}

/* Whether one recording a side is enough. Samples are of what they are taken of. */
static bool is_compared_alone(const struct comparison *c, const struct asked *asked)
{
	const char *event = c->sheets[MODEL_NEW].model->sample_event;

	if (!of_recordings(c))
		return true;
	if (c->of == MODEL_OF_FUNCTION)
		return event && !strcmp(event, EVENT_OF_WORK);
	return is_work(asked->of, &asked->of->columns[asked->column]);
}

static uint32_t run_of(const struct comparison *c, enum model_age age, uint32_t row)
{
	const struct sheet *s = &c->sheets[age];
	int column = c->of == MODEL_OF_LABEL ? -1 : sheet_find(s, "label", strlen("label"));
	uint32_t label = column < 0 ? row :
				      (uint32_t)sheet_cell(s, row, (unsigned int)column).number;

	return runs_of_label(s->model, label);
}

/* What one recording says. */
static struct model_side side_of_run(struct comparison *c, enum model_age age,
				     const struct asked *asked, uint32_t run)
{
	const struct entity *entity = &c->entities.list[asked->entity];
	const struct sheet *s = asked->whole ? &c->units[age].sheet : &c->sheets[age];
	struct ratio ratio = ratio_find(s, asked->of, asked->column, asked->whole);
	uint32_t nr = 0;

	if (asked->whole) {
		struct group g = units_group(&c->units[age], asked->entity, ratio, true, run);

		return units_mean(&c->units[age], &g);
	}
	for (uint32_t i = 0; i < entity->nr[age]; i++)
		if (run_of(c, age, entity->rows[age][i]) == run)
			c->rows[nr++] = entity->rows[age][i];
	return ratio_of(s, ratio, c->rows, nr);
}

static void test_runs(struct model_change *change, struct comparison *c,
		      const struct asked *asked)
{
	struct runs runs = { 0 };

	for (unsigned int age = 0; age < MODEL_AGES; age++)
		for (uint32_t run = 0; run < c->sheets[age].model->recordings; run++) {
			struct model_side side = side_of_run(c, age, asked, run);

			runs_add(&runs, age, &side);
		}
	runs_test(&runs, change);
}

/* ------------------------------------------------------------------------
 * spans and functions
 */

static int by_label(const void *a, const void *b)
{
	const struct compared_label *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (int)x->outside - (int)y->outside;
}

static int keep_labels(struct comparison *c)
{
	c->labels = calloc((size_t)c->entities.nr + 1, sizeof(*c->labels));
	if (!c->labels)
		return -1;
	for (uint32_t i = 0; i < c->entities.nr; i++) {
		const struct entity *t = &c->entities.list[i];

		if (t->first != MODEL_NONE)
			c->labels[c->nr_labels++] = (struct compared_label){
				t->is.name, t->is.outside, t->first,
			};
	}
	qsort(c->labels, c->nr_labels, sizeof(*c->labels), by_label);
	return 0;
}

/* The figure of the label that the thing is in, or NULL. */
static const struct model_change *change_of_label(const struct comparison *c,
						  const struct named_row *in, const char *figure)
{
	const struct compared_label key = { in->label, in->outside, 0 };
	const struct compared_label *found = bsearch(&key, c->labels, c->nr_labels, sizeof(key),
						     by_label);

	for (uint32_t i = found ? found->first : c->model->nr_changes; i < c->model->nr_changes;
	     i++) {
		const struct model_change *r = &c->model->changes[i];

		if (r->of != MODEL_OF_LABEL || strcmp(r->name, in->label))
			break;
		if (!strcmp(r->figure, figure))
			return r;
	}
	return NULL;
}

/*
 * What coroutines of the label differ by in what is sampled, samples in its functions do as
 * well: the variance of the mean of all.
 */
static bool spread_of(const struct comparison *c, const struct named_row *function, double rate,
		      double *to)
{
	const struct model_change *r = change_of_label(c, function, EVENT_OF_WORK "/slice");

	*to = 0;
	for (unsigned int age = 0; r && age < MODEL_AGES; age++) {
		const struct model_side *s = &r->side[age];
		double off = s->value > 0 ? rate * s->error / s->value : 0;

		if (r->p < 0 || s->error < 0)
			return false;
		*to += off * off;
	}
	return r;
}

/* Why their samples can't be held against each other; NULL: they can. */
static const char *samples_fault(const struct model *old, const struct model *new)
{
	if (!old->sample_event || !new->sample_event ||
	    strcmp(old->sample_event, new->sample_event) ||
	    old->sample_period != new->sample_period ||
	    old->sample_frequency != new->sample_frequency ||
	    !(old->sample_period || old->sample_frequency) ||
	    !old->clock_sampled != !new->clock_sampled)
		return "not sampled alike in both recordings";
	return old->lost_samples || new->lost_samples ? "samples were lost" : NULL;
}

/* Samples are taken by chance, so many of each slice. A metric is no number of them. */
static void test_samples(struct model_change *change, const struct comparison *c,
			 const struct entity *entity, const struct asked *asked)
{
	const struct model_side *side = change->side;
	const double times[] = { side[MODEL_OLD].times, side[MODEL_NEW].times };
	const double k[] = { round(side[MODEL_OLD].value * times[0]),
			     round(side[MODEL_NEW].value * times[1]) };
	struct counts_test result;
	double spread;

	if (asked->of->columns[asked->column].metric)
		return;
	if (!standing_is_point(change->standing) || !times[0] || !times[1] ||
	    !entity->is.label)
		return;
	if (!spread_of(c, &entity->is, (k[0] + k[1]) / (times[0] + times[1]), &spread)) {
		change->why = CHANGE_TOO_FEW;
		return;
	}
	result = counts_rates(k, times, spread);
	change_set_test(change, &result);
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		change->side[age].error = sqrt(side[age].value / times[age] + spread / 2);
	change->drift = drifts_explain(&c->drifts,
				       change_of_label(c, &entity->is, EVENT_OF_WORK "/slice"),
				       change);
}

/* Figures without those of the spans within are of all calls, others of outermost ones. */
static bool is_own(const struct sheet_column *column)
{
	return !strcmp(column->is->per, "calls");
}

/* Which sum of squares is of the figure, negative: none. */
static int square_of(const struct sheet *s, unsigned int column)
{
	static const char *const times[MODEL_SQUARE_COUNTERS] = {
		[MODEL_SQUARE_WALL] = "wall",
		[MODEL_SQUARE_OWN_WALL] = "own_wall",
		[MODEL_SQUARE_RUNNING] = "running",
		[MODEL_SQUARE_OWN_RUNNING] = "own_running",
	};
	const struct sheet_column *c = &s->columns[column];

	for (int i = 0; i < MODEL_SQUARE_COUNTERS; i++)
		if (!strcmp(c->name, times[i]))
			return i;
	return c->is->counted ? MODEL_SQUARE_COUNTERS + 2 * (int)c->counter + is_own(c) : -1;
}

/* A part of the calls may be missing, but each that is there must be known in full. */
static bool is_of_each(struct cell cell)
{
	return cell.standing == STANDING_COUNTED || cell.standing == STANDING_AT_LEAST;
}

/*
 * Of each label, how many coroutines with equal numbers of slices say as much as its own do:
 * calls of the same coroutine depend on each other, and a few may have most of them.
 */
static double *effective_of(const struct model *m)
{
	double *squares = calloc((size_t)m->nr_labels + 1, sizeof(*squares));

	for (uint32_t i = 0; squares && i < m->nr_coroutines; i++) {
		double slices = (double)m->coroutines[i].times.slices;

		squares[m->coroutines[i].label] += slices * slices;
	}
	for (uint32_t i = 0; squares && i < m->nr_labels; i++) {
		double slices = (double)m->labels[i].times.slices;

		squares[i] = squares[i] ? fmin((double)m->labels[i].coroutines,
					       slices * slices / squares[i]) : 0;
	}
	return squares;
}

static const char *mean_of(const struct comparison *c, enum model_age age,
			   const struct entity *entity, const struct asked *asked,
			   struct counts_mean *to)
{
	const struct sheet *s = &c->sheets[age];
	const struct model *m = s->model;
	struct ratio ratio = ratio_find(s, asked->of, asked->column, false);
	int square = ratio.over < 0 ? -1 : square_of(s, (unsigned int)ratio.over);
	long double squares = 0, sum = 0;
	double calls = 0;

	for (uint32_t i = 0; i < entity->nr[age]; i++) {
		uint32_t row = entity->rows[age][i];
		const struct model_label_span *span = &m->label_spans[row];
		struct cell cell;

		if (square < 0 || !m->label_span_squares || span->sums.at_most)
			return NOT_OF_CALLS;
		cell = sheet_cell(s, row, (unsigned int)ratio.over);
		if (!is_of_each(cell))
			return "estimated for all calls together, not counted in each";
		squares += m->label_span_squares[(size_t)row * m->nr_squares + (uint32_t)square];
		sum += cell.number;
		calls += (double)(is_own(&s->columns[ratio.over]) ? span->sums.calls :
								    span->sums.outermost);
		to->units += c->effective[age][span->label];
	}
	to->mean = calls ? (double)(sum / calls) : 0;
	to->variance = calls > 1 ? fmax(0, (double)(squares - sum * sum / calls)) / (calls - 1) : 0;
	to->units = fmin(to->units, calls);
	return calls ? NULL : NOT_OF_CALLS;
}

static void test_calls(struct model_change *change, const struct comparison *c,
		       const struct entity *entity, const struct asked *asked)
{
	const struct sheet_column *column = &asked->of->columns[asked->column];
	struct counts_mean means[MODEL_AGES] = { 0 };
	const struct model_change *of_label;
	double units = 0;
	struct counts_test result;
	char figure[RATIO_NAME];

	if (!standing_is_point(change->standing) || asked->whole || !column->is->counted)
		return;
	snprintf(figure, sizeof(figure), "%.120s/slice",
		 asked->of->model->counters[column->counter].name);
	of_label = change_of_label(c, &entity->is, figure);
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		change->why = mean_of(c, age, entity, asked, &means[age]);
		if (change->why)
			return;
		change->side[age].units = (uint32_t)fmin(means[age].units, UINT32_MAX);
		change->side[age].spread = sqrt(means[age].variance);
		means[age].factor = of_label ? fmax(1, of_label->factor) : 1;
		units += means[age].units / means[age].factor;
		change->side[age].error = sqrt(means[age].variance / means[age].units *
					       means[age].factor);
	}
	if (!of_label || of_label->p < 0) {
		change->why = CHANGE_TOO_FEW;
		return;
	}
	result = counts_means(means);
	change_set_test(change, &result);
	change->freedom = fmax(1, units - 2);
	change->drift = drifts_explain(&c->drifts, of_label, change);
}

static bool has_verdict(const struct model_side side[MODEL_AGES])
{
	return side[MODEL_OLD].value || side[MODEL_NEW].value;
}

static enum model_verdict presence(const struct entity *entity)
{
	return !entity->nr[MODEL_OLD] ? MODEL_VERDICT_ADDED :
	       !entity->nr[MODEL_NEW] ? MODEL_VERDICT_GONE : MODEL_VERDICT_NONE;
}

static char *copy(const char *text, bool *failed)
{
	char *to = text ? strdup(text) : NULL;

	*failed |= text && !to;
	return to;
}

static int keep(struct comparison *c, const struct model_change *change,
		const struct asked *asked)
{
	const struct named_row *is = &c->entities.list[asked->entity].is;
	struct model_change *to = change_add(c->model);
	char text[RATIO_NAME];
	bool failed = !to;

	if (!to)
		return -1;
	*to = *change;
	to->name = copy(is->name, &failed);
	to->label = copy(is->label, &failed);
	to->figure = copy(ratio_name(asked->of, asked->column, asked->whole, text), &failed);
	return failed ? -1 : 0;
}

static bool is_single(const struct entity *entity)
{
	return !entity->nr[MODEL_NEW] || !entity->nr[MODEL_OLD];
}

static int add_change(struct comparison *c, const struct asked *asked)
{
	const struct entity *entity = &c->entities.list[asked->entity];
	struct model_change change = {
		.of = c->of, .time = asked->of->columns[asked->column].kind == KIND_NS, .p = -1,
		.verdict = presence(entity), .factor = 1, .freedom = INFINITY,
	};
	struct group groups[MODEL_AGES] = { 0 };

	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		struct ratio ratio = ratio_find(&c->sheets[age], asked->of, asked->column,
						asked->whole);

		change.side[age] = ratio_of(&c->sheets[age], ratio, entity->rows[age],
					    entity->nr[age]);
	}
	if (has_units(c))
		set_units(&change, c, asked, groups);
	/*
	 * A quotient has no sum over runs, but a mean of them; quantiles have figures of their own.
	 */
	if (!has_verdict(change.side) && (!c->many || change.time || is_single(entity)))
		return 0;
	change_set_difference(&change);
	if (is_single(entity))
		return keep(c, &change, asked);
	if (c->of == MODEL_OF_FUNCTION && of_recordings(c))
		change.why = samples_fault(c->sheets[MODEL_OLD].model, c->sheets[MODEL_NEW].model);
	if (change.why)
		return keep(c, &change, asked);
	if (c->many) {
		test_runs(&change, c, asked);
		if (!has_verdict(change.side))
			return 0;
	} else if (!is_compared_alone(c, asked)) {
		change.why = RUNS_ONE_EACH;
	} else if (has_units(c) && test(&change, c, asked, groups)) {
		return -1;
	} else if (c->of == MODEL_OF_FUNCTION && of_recordings(c)) {
		test_samples(&change, c, entity, asked);
	} else if (c->of == MODEL_OF_SPAN && of_recordings(c)) {
		test_calls(&change, c, entity, asked);
	}
	return keep(c, &change, asked);
}

/* ------------------------------------------------------------------------
 * a table
 */

static void forget_all_but(struct model *m, uint32_t nr)
{
	while (m->nr_changes > nr) {
		struct model_change *last = &m->changes[--m->nr_changes];

		free(last->name);
		free(last->label);
		free(last->figure);
	}
}

/* Counters that the new recording has not are those of the old one. */
static bool is_asked(const struct comparison *c, const struct asked *asked)
{
	const struct sheet *new = &c->sheets[MODEL_NEW];

	/* A life is of a coroutine. */
	if (!c->whole && !strncmp(asked->of->columns[asked->column].name, "lifetime", 8))
		return false;
	return ratio_is(asked->of, asked->column, asked->whole) &&
	       (asked->of == new ||
		ratio_find(new, asked->of, asked->column, asked->whole).over < 0);
}

static int add_columns(struct comparison *c, struct asked asked)
{
	for (asked.column = 0; asked.column < asked.of->nr_columns; asked.column++)
		if (is_asked(c, &asked) && add_change(c, &asked))
			return -1;
	return 0;
}

/* What one recording alone has is reported once. */
static int add_entity(struct comparison *c, uint32_t entity)
{
	uint32_t before = c->model->nr_changes;
	const enum model_age ages[] = { MODEL_NEW, MODEL_OLD };
	unsigned int wholes = has_units(c) ? 2 : 1;

	for (unsigned int whole = 0; whole < wholes; whole++)
		for (unsigned int i = 0; i < MODEL_AGES; i++)
			if (add_columns(c, (struct asked){ .entity = entity, .whole = whole,
							   .of = &c->sheets[ages[i]] }))
				return -1;
	if (is_single(&c->entities.list[entity]))
		forget_all_but(c->model, before + 1);
	c->entities.list[entity].first = c->model->nr_changes > before ? before : MODEL_NONE;
	return 0;
}

static int open_all(struct comparison *c, const struct model *const models[MODEL_AGES],
		    unsigned int which)
{
	const struct table *table = table_named(compared[which].table);

	c->of = compared[which].of;
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		if (sheet_open(&c->sheets[age], table, models[age]))
			return -1;
	if (entities_find(&c->entities, c->sheets, c->sides, compared[which].name,
			  compared[which].label))
		return -1;
	for (unsigned int age = 0; has_units(c) && age < MODEL_AGES; age++)
		if (units_open(&c->units[age], models[age], &c->entities, age))
			return -1;
	for (unsigned int age = 0; c->of == MODEL_OF_SPAN && age < MODEL_AGES; age++) {
		c->effective[age] = effective_of(models[age]);
		if (!c->effective[age])
			return -1;
	}
	c->rows = calloc((size_t)c->sheets[MODEL_OLD].rows + c->sheets[MODEL_NEW].rows + 1,
			 sizeof(*c->rows));
	return c->rows ? 0 : -1;
}

static void close_all(struct comparison *c)
{
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		sheet_close(&c->sheets[age]);
		units_close(&c->units[age]);
		free(c->effective[age]);
		c->effective[age] = NULL;
	}
	free(c->rows);
	c->rows = NULL;
	entities_free(&c->entities);
}

/*
 * A drift is in all labels, so that all are tested before. It leaves shares of modes as they are.
 */
static int find_drifts(struct comparison *c)
{
	for (uint32_t i = 0; i < c->model->nr_changes; i++)
		if (c->model->changes[i].p >= 0 && drifts_add(&c->drifts, &c->model->changes[i]))
			return -1;
	for (uint32_t i = 0; i < c->model->nr_changes; i++) {
		struct model_change *change = &c->model->changes[i];

		change->drift = change->p >= 0 && !change->modes &&
				drifts_explain(&c->drifts, change, change);
	}
	return 0;
}

static int compare(struct comparison *c, const struct model *const models[MODEL_AGES],
		   unsigned int which)
{
	int ret = open_all(c, models, which);

	for (uint32_t at = 0; !ret && at < c->entities.nr; at++)
		ret = add_entity(c, at);
	if (!ret && has_units(c) && of_recordings(c) && !c->many)
		ret = find_drifts(c);
	if (!ret && has_units(c) && of_recordings(c))
		ret = keep_labels(c) ? -1 : quantiles_of_labels(c->model, models, &c->entities);
	if (!ret && c->of == MODEL_OF_SPAN && of_recordings(c))
		ret = quantiles_of_spans(c->model, models);
	close_all(c);
	return ret;
}

int diff_figures(struct model *to, const struct model *const models[MODEL_AGES],
		 const uint8_t *sides, bool whole)
{
	struct comparison c = {
		.model = to, .sides = sides, .whole = whole,
		.many = !sides && runs_are_many(models),
	};
	int ret = 0;

	for (unsigned int which = 0; !ret && which < ARRAY_SIZE(compared); which++)
		ret = compare(&c, models, which);
	free(c.labels);
	drifts_free(&c.drifts);
	for (uint32_t i = 0; i < to->nr_changes; i++)
		to->changes[i].alone = to->changes[i].p;
	return ret ? ret : verdicts_give(to, NULL);
}

int diff_models(struct model *new, struct model *old, const struct gate *gates, unsigned int nr,
		struct error *err)
{
	const struct model *const models[MODEL_AGES] = { old, new };
	int ret;

	new->compared = true;
	ret = diff_metadata(new, old);
	if (!ret)
		ret = moved_pair(new, old);
	if (!ret)
		ret = diff_figures(new, models, NULL, true);
	if (!ret && nr)
		ret = gates_judge(gates, nr, new);
	if (!ret)
		ret = diff_answer(new);
	if (!ret)
		ret = diff_trees(new, models, NULL);
	return ret ? error_set(err, ENOMEM, "out of memory while comparing recordings") : 0;
}
