// SPDX-License-Identifier: GPL-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/counts.h"
#include "diff/parts.h"
#include "diff/quantiles.h"
#include "profile/lengths.h"

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
 * struct lengths_side - what one recording has of something
 * @lengths: of all that it is
 * @units:   how many of them are counted as not depending on each other
 * @at_least: some are missing
 */
struct lengths_side {
	struct model_lengths *lengths;
	double units;
	bool at_least;
};

static int side_add(struct lengths_side *s, const struct model_lengths *lengths, uint64_t units,
		    bool at_least)
{
	if (!lengths)
		return 0;
	if (!s->lengths)
		s->lengths = lengths_new();
	if (!s->lengths || !lengths_append(s->lengths, lengths))
		return -1;
	s->units += (double)units;
	s->at_least |= at_least;
	return 0;
}

static void sides_finish(struct lengths_side sides[MODEL_AGES])
{
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		if (sides[age].lengths) {
			lengths_finish(sides[age].lengths);
			sides[age].units = fmin(sides[age].units, (double)sides[age].lengths->nr);
		}
}

static void sides_free(struct lengths_side sides[MODEL_AGES])
{
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		lengths_free(sides[age].lengths);
}

static bool has_both(const struct lengths_side sides[MODEL_AGES])
{
	return sides[MODEL_OLD].lengths && sides[MODEL_OLD].lengths->nr &&
	       sides[MODEL_NEW].lengths && sides[MODEL_NEW].lengths->nr;
}

/* ------------------------------------------------------------------------
 * a test
 */

/* The longest that is not told apart from that quantile of both. False: no memory. */
static bool find_threshold(const struct lengths_side sides[MODEL_AGES], double share, uint64_t *to)
{
	struct model_lengths *all = lengths_new();
	bool exact, done = all && lengths_append(all, sides[MODEL_OLD].lengths) &&
			   lengths_append(all, sides[MODEL_NEW].lengths);

	if (done) {
		lengths_finish(all);
		*to = lengths_quantile(all, share, &exact);
		if (all->many)
			*to = lengths_last(*to);
	}
	lengths_free(all);
	return done;
}

static int set_test(struct model_change *change, const struct lengths_side sides[MODEL_AGES],
		    double share)
{
	double k[MODEL_AGES], n[MODEL_AGES];
	struct counts_test result;
	uint64_t above;

	if (!find_threshold(sides, share, &above))
		return -1;
	for (unsigned int age = 0; age < MODEL_AGES; age++) {
		const struct model_lengths *l = sides[age].lengths;
		double longer = above == UINT64_MAX ? 0 :
				(double)lengths_between(l, above + 1, 0);

		n[age] = sides[age].units;
		k[age] = round(longer * n[age] / (double)l->nr);
		change->side[age].units = (uint32_t)fmin(n[age], UINT32_MAX);
	}
	result = counts_of(k, n);
	diff_set_test(change, &result);
	return 0;
}

static struct model_side side_of(const struct lengths_side *side, double share)
{
	bool exact;
	double value = (double)lengths_quantile(side->lengths, share, &exact);

	return (struct model_side){
		.standing = side->at_least ? STANDING_SCALED : exact ? STANDING_COUNTED :
							       STANDING_NEAR,
		.value = value,
		.times = (double)side->lengths->nr,
		.spread = -1,
	};
}

static int add(struct model *to, enum model_change_of of, const char *name, const char *kind,
	       const struct lengths_side sides[MODEL_AGES])
{
	for (size_t i = 0; i < ARRAY_SIZE(quantiles); i++) {
		struct model_change *c;
		char figure[64];

		if (!quantiles[i].always)
			continue;
		c = diff_add(to);
		if (!c)
			return -1;
		snprintf(figure, sizeof(figure), "%s(%s)", quantiles[i].name, kind);
		*c = (struct model_change){
			.of = of, .name = strdup(name), .figure = strdup(figure), .time = true,
			.side = { side_of(&sides[MODEL_OLD], quantiles[i].share),
				  side_of(&sides[MODEL_NEW], quantiles[i].share) },
			.p = -1, .verdict = MODEL_VERDICT_NONE,
		};
		diff_set_difference(c);
		if (!c->name || !c->figure || set_test(c, sides, quantiles[i].share))
			return -1;
	}
	return 0;
}

/* ------------------------------------------------------------------------
 * labels
 */

static int collect(struct lengths_side sides[MODEL_AGES],
		   const struct model *const models[MODEL_AGES], const struct thing *thing,
		   enum model_latency kind)
{
	for (unsigned int age = 0; age < MODEL_AGES; age++)
		for (uint32_t i = 0; i < thing->nr[age]; i++) {
			const struct model_label *l = &models[age]->labels[thing->rows[age][i]];
			const struct model_lengths *lengths = l->lengths[kind];
			uint64_t units = kind == MODEL_LATENCY_LIFETIME && lengths ? lengths->nr :
										     l->coroutines;

			if (side_add(&sides[age], lengths, units, l->at_least))
				return -1;
		}
	sides_finish(sides);
	return 0;
}

/* Those of running time are there already, as columns of labels. */
static int test_running(struct model *to, const struct thing *thing,
			const struct lengths_side sides[MODEL_AGES])
{
	for (uint32_t i = thing->first; i < to->nr_changes; i++) {
		struct model_change *c = &to->changes[i];

		if (c->of != MODEL_OF_LABEL || strcmp(c->name, thing->is.name))
			break;
		for (size_t q = 0; c->standing < STANDING_NA && q < ARRAY_SIZE(quantiles); q++)
			if (!strcmp(c->figure, quantiles[q].name) &&
			    set_test(c, sides, quantiles[q].share))
				return -1;
	}
	return 0;
}

static int add_label(struct model *to, const struct model *const models[MODEL_AGES],
		     const struct thing *thing, enum model_latency kind)
{
	struct lengths_side sides[MODEL_AGES] = { 0 };
	int ret = collect(sides, models, thing, kind);

	if (!ret && has_both(sides))
		ret = kind == MODEL_LATENCY_RUNNING ? test_running(to, thing, sides) :
		      add(to, MODEL_OF_LABEL, thing->is.name, kinds[kind], sides);
	sides_free(sides);
	return ret;
}

int quantiles_of_labels(struct model *to, const struct model *const models[MODEL_AGES],
			const struct things *labels)
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
 * @coroutines: of each row, of labels that it was seen in: there can't be more that had it
 */
struct spans {
	const struct model *of;
	const struct model_span **rows;
	uint64_t *coroutines;
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
	s->coroutines = calloc((size_t)m->nr_spans + 1, sizeof(*s->coroutines));
	if (!s->rows || !s->coroutines)
		return -1;
	for (uint32_t i = 0; i < m->nr_spans; i++)
		s->rows[i] = &m->spans[i];
	qsort(s->rows, m->nr_spans, sizeof(*s->rows), by_name);
	for (uint32_t i = 0; i < m->nr_label_spans; i++)
		s->coroutines[m->label_spans[i].span] +=
			m->labels[m->label_spans[i].label].coroutines;
	return 0;
}

static void spans_close(struct spans *s)
{
	free(s->rows);
	free(s->coroutines);
}

/* The only one of this name, or NULL. */
static const struct model_span *span_named(const struct spans *s, const struct model_span *like)
{
	uint32_t nr = s->of->nr_spans, at;
	const struct model_span **found = bsearch(&like, s->rows, nr, sizeof(*s->rows), by_name);

	if (!found)
		return NULL;
	at = (uint32_t)(found - s->rows);
	if ((at && !by_name(found, found - 1)) || (at + 1 < nr && !by_name(found, found + 1)))
		return NULL;
	return *found;
}

static int add_span(struct model *to, const struct spans spans[MODEL_AGES],
		    const struct model_span *like)
{
	struct lengths_side sides[MODEL_AGES] = { 0 };
	int ret = 0;

	for (unsigned int age = 0; !ret && age < MODEL_AGES; age++) {
		const struct model_span *span = span_named(&spans[age], like);

		if (span)
			ret = side_add(&sides[age], span->lengths,
				       spans[age].coroutines[span - spans[age].of->spans],
				       span->sums.at_least);
	}
	sides_finish(sides);
	if (!ret && has_both(sides))
		ret = add(to, MODEL_OF_SPAN, like->name, "wall", sides);
	sides_free(sides);
	return ret;
}

int quantiles_of_spans(struct model *to, const struct model *const models[MODEL_AGES])
{
	const struct model *new = models[MODEL_NEW];
	struct spans spans[MODEL_AGES] = { 0 };
	int ret = spans_open(&spans[MODEL_OLD], models[MODEL_OLD]);

	if (!ret)
		ret = spans_open(&spans[MODEL_NEW], new);
	for (uint32_t i = 0; !ret && i < new->nr_spans; i++)
		if (span_named(&spans[MODEL_NEW], &new->spans[i]))
			ret = add_span(to, spans, &new->spans[i]);
	spans_close(&spans[MODEL_OLD]);
	spans_close(&spans[MODEL_NEW]);
	return ret;
}
