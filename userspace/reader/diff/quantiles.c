// SPDX-License-Identifier: GPL-2.0
/*
 * Quantiles of both sides as changes: from histograms (profile/histogram.h), with their error by
 * runs or by coroutines.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/change.h"
#include "diff/quantiles.h"
#include "diff/runs.h"
#include "profile/histogram.h"
#include "profile/schema.h"

/* Columns of labels are named like these: of their running time. */
static const struct {
	const char *name;
	double share;
	bool always;
} quantiles[] = {
	{ "p50", 0.5, true }, { "p90", 0.9, false }, { "p95", 0.95, false },
	{ "p99", 0.99, true }, { "p99_9", 0.999, false },
};

static const char *const kinds[MODEL_LATENCY_NR] = {
	[MODEL_LATENCY_HELD] = "held",
	[MODEL_LATENCY_BLOCKED] = "blocked",
	[MODEL_LATENCY_READY] = "ready",
	[MODEL_LATENCY_AWAITING] = "awaiting",
	[MODEL_LATENCY_SUSPENDED] = "suspended",
	[MODEL_LATENCY_LIFETIME] = "lifetime",
};

/**
 * struct histogram_side - what one recording, or several runs, have of something
 * @histogram: of all that it is
 * @runs:    of each run
 * @nr_runs: how many
 * @at_least: some are missing
 */
struct histogram_side {
	struct histogram *histogram;
	struct histogram **runs;
	uint32_t nr_runs;
	bool at_least;
};

static int merge(struct histogram **to, const struct histogram *histogram)
{
	if (!*to)
		*to = histogram_new();
	return *to && histogram_merge(*to, histogram) ? 0 : -1;
}

static int side_add(struct histogram_side *s, const struct model *m,
		    const struct histogram *histogram, uint32_t run, bool at_least)
{
	if (!histogram)
		return 0;
	s->nr_runs = m->recordings;
	if (!s->runs)
		s->runs = calloc(s->nr_runs, sizeof(*s->runs));
	s->at_least |= at_least;
	return !s->runs || merge(&s->histogram, histogram) || merge(&s->runs[run], histogram) ? -1 : 0;
}

static void sides_finish(struct histogram_side sides[MODEL_AGES])
{
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		if (sides[age].histogram)
			histogram_finish(sides[age].histogram);
		for (uint32_t i = 0; i < sides[age].nr_runs; i++)
			if (sides[age].runs[i])
				histogram_finish(sides[age].runs[i]);
	}
}

static void sides_free(struct histogram_side sides[MODEL_AGES])
{
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		for (uint32_t i = 0; sides[age].runs && i < sides[age].nr_runs; i++)
			histogram_free(sides[age].runs[i]);
		free(sides[age].runs);
		histogram_free(sides[age].histogram);
	}
}

static bool has_both(const struct histogram_side sides[MODEL_AGES])
{
	return sides[MODEL_OLD].histogram && sides[MODEL_OLD].histogram->nr &&
	       sides[MODEL_NEW].histogram && sides[MODEL_NEW].histogram->nr;
}

/* ------------------------------------------------------------------------
 * a test
 */

/* Of many, quantiles are known to this, so they are off by an error that is even within it. */
#define TOLD_TO		0.016

static struct model_side side_of(const struct histogram_side *side, double share)
{
	bool exact;
	double value = (double)histogram_quantile(side->histogram, share, &exact);

	return (struct model_side){
		.standing = (uint8_t)histogram_standing(exact, side->at_least),
		.value = value,
		.times = (double)side->histogram->nr,
		.spread = -1, .error = -1,
	};
}

/*
 * What a quantile varies by if nothing but chance put so many to each side of it: half of what
 * is between the ranks that are one standard deviation off. Less than that runs agree by chance.
 */
static double error_of(const struct histogram *histogram, double share)
{
	double off = sqrt(share * (1 - share) / (double)histogram->nr);
	bool exact;
	uint64_t low = histogram_quantile(histogram, fmax(share - off, 0), &exact);
	uint64_t high = histogram_quantile(histogram, fmin(share + off, 1), &exact);

	return (double)(high - low) / 2;
}

/* Of the mean of all runs, with what they are rounded to. */
static double error_of_runs(const struct histogram_side *side, double share, double mean)
{
	double told = mean * TOLD_TO, sum = 0;

	for (uint32_t i = 0; i < side->nr_runs; i++) {
		const struct histogram *l = side->runs[i];
		double error = l && l->nr ? error_of(l, share) : 0;

		sum += error * error + told * told / 12;
	}
	return sqrt(sum) / side->nr_runs;
}

/* A quantile is a time: only several runs say what it varies by. */
static void set_test(struct model_change *change, const struct histogram_side sides[MODEL_AGES],
		     double share)
{
	struct runs runs = { 0 };

	if (sides[MODEL_OLD].nr_runs < 2 && sides[MODEL_NEW].nr_runs < 2) {
		change->why = RUNS_ONE_EACH;
		return;
	}
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		for (uint32_t i = 0; i < sides[age].nr_runs; i++) {
			const struct histogram_side of = { .histogram = sides[age].runs[i] };
			struct model_side side = { .standing = STANDING_NA };

			if (of.histogram && of.histogram->nr)
				side = side_of(&of, share);
			runs_add(&runs, age, &side);
		}
		change->side[age].error = error_of_runs(&sides[age], share, runs.mean[age]);
	}
	runs_test(&runs, change);
}

static int add(struct model *to, enum model_change_of of, const char *name, const char *kind,
	       const struct histogram_side sides[MODEL_AGES])
{
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		struct model_change *c;
		char figure[64];

		if (!quantiles[i].always)
			continue;
		c = change_add(to);
		if (!c)
			return -1;
		snprintf(figure, sizeof(figure), "%s(%s)", quantiles[i].name, kind);
		*c = (struct model_change){
			.of = of, .name = strdup(name), .figure = strdup(figure), .time = true,
			.side = { side_of(&sides[MODEL_OLD], quantiles[i].share),
				  side_of(&sides[MODEL_NEW], quantiles[i].share) },
			.p = -1, .verdict = MODEL_VERDICT_NONE, .factor = 1,
		};
		change_set_difference(c);
		if (!c->name || !c->figure)
			return -1;
		set_test(c, sides, quantiles[i].share);
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * labels
 */

static int collect(struct histogram_side sides[MODEL_AGES],
		   const struct model *const models[MODEL_AGES], const struct entity *entity,
		   enum model_latency kind)
{
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		for (uint32_t i = 0; i < entity->nr[age]; i++) {
			const struct model_label *l = &models[age]->labels[entity->rows[age][i]];

			if (side_add(&sides[age], models[age], l->histograms[kind],
				     runs_of_label(models[age], entity->rows[age][i]),
				     schema_lacks(models[age], SCHEMA_LABELS, l,
						  MODEL_PARTIAL_SLICES)))
				return -1;
		}
	sides_finish(sides);
	return 0;
}

/* Those of running time are there already, as columns of labels. */
static void test_running(struct model *to, const struct entity *entity,
			const struct histogram_side sides[MODEL_AGES])
{
	for (uint32_t i = entity->first; i < to->nr_changes; i++) {
		struct model_change *c = &to->changes[i];

		if (c->of != MODEL_OF_LABEL || strcmp(c->name, entity->is.name))
			break;
		for (size_t q = 0; q < ARRAY_SIZE(quantiles); q++)
			if (!strcmp(c->figure, quantiles[q].name))
				set_test(c, sides, quantiles[q].share);
	}
}

static int add_label(struct model *to, const struct model *const models[MODEL_AGES],
		     const struct entity *entity, enum model_latency kind)
{
	struct histogram_side sides[MODEL_AGES] = { 0 };
	int ret = collect(sides, models, entity, kind);

	if (!ret && has_both(sides) && kind == MODEL_LATENCY_RUNNING)
		test_running(to, entity, sides);
	else if (!ret && has_both(sides))
		ret = add(to, MODEL_OF_LABEL, entity->is.name, kinds[kind], sides);
	sides_free(sides);
	return ret;
}

int quantiles_of_labels(struct model *to, const struct model *const models[MODEL_AGES],
			const struct entities *labels)
{
	for (uint32_t i = 0; i < labels->nr; i++)
		for (unsigned int kind = 0; !labels->list[i].is.outside && kind < MODEL_LATENCY_NR;
		     kind++)
			if (add_label(to, models, &labels->list[i], kind))
				return -1;
	return 0;
}

/* ------------------------------------------------------------------------
 * spans
 */

/**
 * struct spans - of a recording
 * @of:         it
 * @rows:       in order of their names
 */
struct spans {
	const struct model *of;
	const struct model_span **rows;
};

static int by_name(const void *a, const void *b)
{
	const struct model_span *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int spans_open(struct spans *s, const struct model *m)
{
	s->of = m;
	s->rows = calloc((size_t)m->nr_spans + 1, sizeof(*s->rows));
	if (!s->rows)
		return -1;
	for (uint32_t i = 0; i < m->nr_spans; i++)
		s->rows[i] = &m->spans[i];
	qsort(s->rows, m->nr_spans, sizeof(*s->rows), by_name);
	return 0;
}

static void spans_close(struct spans *s)
{
	free(s->rows);
}

/* Those of this name, of which each recording has one at most; 0: there is none, or another. */
static uint32_t spans_named(const struct spans *s, const struct model_span *like,
			    const struct model_span ***first)
{
	const struct model_span **end = s->rows + s->of->nr_spans, **at, **to;
	const struct model_process *processes = s->of->processes;

	at = bsearch(&like, s->rows, s->of->nr_spans, sizeof(*s->rows), by_name);
	if (!at)
		return 0;
	for (to = at + 1; to < end && !by_name(at, to); to++)
		;
	while (at > s->rows && !by_name(at, at - 1))
		at--;
	*first = at;
	for (const struct model_span **i = at; i < to; i++)
		for (const struct model_span **j = at; j < i; j++)
			if (processes[(*i)->process].recording ==
			    processes[(*j)->process].recording)
				return 0;
	return (uint32_t)(to - at);
}

static int add_span(struct model *to, const struct spans spans[MODEL_AGES],
		    const struct model_span *like)
{
	struct histogram_side sides[MODEL_AGES] = { 0 };
	int ret = 0;

	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		const struct model_span **rows;
		uint32_t nr = spans_named(&spans[age], like, &rows);

		for (uint32_t i = 0; !ret && i < nr; i++)
			ret = side_add(&sides[age], spans[age].of, rows[i]->histogram,
				       spans[age].of->processes[rows[i]->process].recording,
				       schema_lacks(spans[age].of, SCHEMA_SPANS, rows[i],
						    MODEL_PARTIAL_SPANS));
	}
	sides_finish(sides);
	if (!ret && has_both(sides))
		ret = add(to, MODEL_OF_SPAN, like->name, "wall", sides);
	sides_free(sides);
	return ret;
}

/* Each name once. */
static bool is_first(const struct spans *s, const struct model_span *span)
{
	const struct model_span **rows;

	return spans_named(s, span, &rows) && *rows == span;
}

int quantiles_of_spans(struct model *to, const struct model *const models[MODEL_AGES])
{
	const struct model *new = models[MODEL_NEW];
	struct spans spans[MODEL_AGES] = { 0 };
	int ret = spans_open(&spans[MODEL_OLD], models[MODEL_OLD]);

	if (!ret)
		ret = spans_open(&spans[MODEL_NEW], new);
	for (uint32_t i = 0; !ret && i < new->nr_spans; i++)
		if (is_first(&spans[MODEL_NEW], &new->spans[i]))
			ret = add_span(to, spans, &new->spans[i]);
	spans_close(&spans[MODEL_OLD]);
	spans_close(&spans[MODEL_NEW]);
	return ret;
}
