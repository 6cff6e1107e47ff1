// SPDX-License-Identifier: GPL-2.0
/*
 * What has changed, in words, what adds up to most first: a line for each label that has a
 * figure beyond noise. It begins with the figure that says most of the label: work first, for
 * counts of instructions differ for fewer other reasons than times do.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/moved.h"
#include "diff/internal.h"
#include "diff/runs.h"
#include "diff/words.h"
#include "tables/table.h"

/* A time that adds up to so many times as much is reported before work. */
#define MUCH_MORE	2

#define NO_CHANGE	"nothing has changed beyond noise: no label, span or function"
#define UNCERTAIN	"nothing has changed for certain"
#define NOT_KNOWN	"whether anything has changed is not known"

/**
 * struct weighed - a change, and what it adds up to
 * @label:  of which label it is
 * @effect: what all slices, coroutines or calls make of it, in its unit
 * @part:   that, as a share of what there is of the kind; negative: it adds up to nothing
 * @work:   the less, the more it says; WORK_NONE: it is no work
 */
struct weighed {
	const struct model_change *change;
	const char *label;
	double effect;
	double part;
	unsigned int work;
};

/**
 * struct answer_group - changes of one label
 * @all:  them, @nr
 * @main: what is reported first; NULL: nothing is beyond noise
 */
struct answer_group {
	const struct weighed *all;
	uint32_t nr;
	const struct weighed *main;
};

#define CALLS		"calls"

static const char *const works[] = { "instructions", "cycles", "running", CALLS };
static const char *const waits[] = { "suspended", "awaiting", "ready" };

#define WORK_NONE	ARRAY_SIZE(works)

static const char *label_of(const struct model_change *c)
{
	return c->label ? c->label : c->name;
}

/* Samples are taken by chance: one recording alone has so many once in a million times. */
#define SAMPLES_SURE	20

static double effect_of(const struct model_change *c)
{
	const struct model_side *old = &c->side[MODEL_OLD], *new = &c->side[MODEL_NEW];

	if (c->verdict == MODEL_VERDICT_GONE)
		return -old->value * old->times;
	if (c->verdict == MODEL_VERDICT_ADDED)
		return new->value * new->times;
	return standing_is_point(c->standing) ? (new->value - old->value) * new->times : 0;
}

static bool has_verdict(const struct model_change *c)
{
	if (c->verdict == MODEL_VERDICT_ADDED || c->verdict == MODEL_VERDICT_GONE)
		return c->of != MODEL_OF_FUNCTION || fabs(effect_of(c)) >= SAMPLES_SURE;
	return c->verdict == MODEL_VERDICT_MORE || c->verdict == MODEL_VERDICT_LESS ||
	       c->verdict == MODEL_VERDICT_MIXED;
}

/* ------------------------------------------------------------------------
 * weight
 */

/* "instructions/slice", "own_instructions/call": what is divided. */
static bool is_stem(const struct model_change *c, const char *stem)
{
	const char *figure = c->figure + (strncmp(c->figure, "own_", 4) ? 0 : 4);
	size_t length = strlen(stem);

	return !strncmp(figure, stem, length) && figure[length] == '/';
}

static unsigned int stem_in(const struct model_change *c, const char *const *stems, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (is_stem(c, stems[i]))
			return i;
	return nr;
}

/* Of times of slices all of these; 0: it is no part of anything. */
static double all_of(const struct model *m, const struct model_change *c)
{
	const struct model_times *t = &m->times;
	double held = (double)(t->running_ns + t->preempted_ns + t->blocked_ns);

	if (c->of == MODEL_OF_FUNCTION)
		return (double)m->samples;
	if (is_stem(c, CALLS))
		return (double)m->nr_span_calls;
	if (c->time && strchr(c->figure, '/'))
		return stem_in(c, waits, ARRAY_SIZE(waits)) < ARRAY_SIZE(waits) ?
			       held + (double)t->suspended_ns : held;
	for (uint32_t i = 0; i < m->nr_counters; i++)
		if (is_stem(c, m->counters[i].name))
			return (double)model_total_value(m, i).estimate;
	return 0;
}

static struct weighed weigh(const struct model *m, const struct model_change *c)
{
	double all = all_of(m, c), effect = effect_of(c);

	return (struct weighed){
		.change = c, .label = label_of(c), .effect = effect,
		.part = all > 0 ? fabs(effect) / all : -1,
		.work = c->of == MODEL_OF_LABEL ? stem_in(c, works, WORK_NONE) : WORK_NONE,
	};
}

static int by_label(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;
	int order = strcmp(x->label, y->label);

	return order ? order : (x->change > y->change) - (x->change < y->change);
}

/* ------------------------------------------------------------------------
 * what is reported of a label
 */

/* Of each coroutine before of each slice: a slice may have been cut in two. */
static bool says_more(const struct weighed *one, const struct weighed *other)
{
	bool one_whole = strstr(one->change->figure, "/coroutine") != NULL;
	bool other_whole = strstr(other->change->figure, "/coroutine") != NULL;

	if (one->work != other->work)
		return one->work < other->work;
	if (one->work != WORK_NONE && one_whole != other_whole)
		return one_whole;
	return one->part > other->part;
}

/* The first by says_more() of those the label itself has, or of those in it. */
static const struct weighed *first_of(const struct answer_group *g, bool itself)
{
	const struct weighed *first = NULL;

	for (uint32_t i = 0; i < g->nr; i++) {
		const struct weighed *w = &g->all[i];

		if (has_verdict(w->change) && (w->change->of == MODEL_OF_LABEL) == itself &&
		    (!first || says_more(w, first)))
			first = w;
	}
	return first;
}

static const struct weighed *main_of(const struct answer_group *g)
{
	const struct weighed *first = first_of(g, true), *work = first;

	for (uint32_t i = 0; first && i < g->nr; i++) {
		const struct weighed *w = &g->all[i];

		if (w->change->time && w->change->of == MODEL_OF_LABEL && has_verdict(w->change) &&
		    w->part > MUCH_MORE * work->part && w->part > first->part)
			first = w;
	}
	return first ? first : first_of(g, false);
}

/*
 * What changed in the label. Where it makes more calls, or fewer, it is the span that is called
 * most more, or less, often: that of the label is beyond noise, of each span it is not known.
 */
static const struct weighed *within(const struct answer_group *g)
{
	const struct weighed *most = NULL;
	bool calls = false;

	for (uint32_t i = 0; i < g->nr; i++) {
		const struct weighed *w = &g->all[i];

		if (!is_stem(w->change, CALLS))
			continue;
		/*
		 * More slices have fewer calls each: that of coroutines, which comes last, decides.
		 */
		if (w->change->of == MODEL_OF_LABEL && w->change->verdict != MODEL_VERDICT_NONE)
			calls = has_verdict(w->change);
		if (w->change->of == MODEL_OF_SPAN &&
		    (!most || fabs(w->effect) > fabs(most->effect)))
			most = w;
	}
	return calls && most && most->effect ? most : first_of(g, false);
}

/* As large a part as a label has first; what adds up to nothing last. */
static int by_weight(const void *a, const void *b)
{
	const struct answer_group *x = a, *y = b;
	double x_part = x->main ? x->main->part : -2, y_part = y->main ? y->main->part : -2;

	if (x_part != y_part)
		return x_part < y_part ? 1 : -1;
	return (x->all->change > y->all->change) - (x->all->change < y->all->change);
}

/* ------------------------------------------------------------------------
 * words
 */

static void say(FILE *to, const struct model *m, const struct weighed *w, bool with_label)
{
	const struct model_change *c = w->change;
	const char *from = moved_from(m, c->name);
	char old[FIGURE_SIZE], new[FIGURE_SIZE], difference[FIGURE_SIZE];

	words_figure(old, c, MODEL_OLD);
	words_figure(new, c, MODEL_NEW);
	words_difference(difference, c);
	fprintf(to, "%s%s%s%s%s", c->name, from ? ", which was " : "", from ? from : "",
		with_label && c->label ? " in " : "",
		with_label && c->label ? c->label : "");
	if (c->verdict == MODEL_VERDICT_ADDED)
		fprintf(to, " is new: %s %s", c->figure, new);
	else if (c->verdict == MODEL_VERDICT_GONE)
		fprintf(to, " is gone: %s was %s", c->figure, old);
	else
		fprintf(to, ": %s %s, %s -> %s", c->figure, difference, old, new);
}

/* Of all differences of the figure; negative: it adds up to nothing, or one side has none. */
static double share_of(const struct weighed *w, const struct weighed *all, uint32_t nr)
{
	double sum = 0;

	for (uint32_t i = 0; i < nr; i++)
		if (all[i].change->of == w->change->of &&
		    !strcmp(all[i].change->figure, w->change->figure))
			sum += fabs(all[i].effect);
	return w->part >= 0 && sum > 0 && standing_is_point(w->change->standing) ?
	       fabs(w->effect) / sum : -1;
}

static int add(struct model *m, struct model_answer answer, const char *name)
{
	answer.name = name ? strdup(name) : NULL;
	if (!answer.text || (name && !answer.name) ||
	    !array_grow(&m->answers, m->nr_answers, sizeof(*m->answers))) {
		free(answer.text);
		free(answer.name);
		return -1;
	}
	m->answers[m->nr_answers++] = answer;
	return 0;
}

static int report(struct model *m, const struct answer_group *g, const struct weighed *all,
		  uint32_t nr)
{
	const struct weighed *in = within(g);
	double share = share_of(g->main, all, nr);
	struct model_answer answer = {
		.share = share, .standing = share < 0 ? STANDING_NA : g->main->change->standing,
	};
	char figure[FIGURE_SIZE];
	size_t size;
	FILE *to = open_memstream(&answer.text, &size);

	if (!to)
		return -1;
	say(to, m, g->main, true);
	if (share >= 0) {
		figure_cell(figure, KIND_SHARE, (struct cell){
			.standing = (enum standing)answer.standing, .fraction = share });
		fprintf(to, "; that is %s of all that changed", figure);
	}
	if (in && in != g->main) {
		fputs("; in it ", to);
		say(to, m, in, false);
	}
	if (fclose(to)) {
		free(answer.text);
		answer.text = NULL;
	}
	return add(m, answer, g->main->label);
}

/* What would be a change, if drifts did not explain it. */
static char *drifting(const struct model *m, const struct model_change *c)
{
	struct weighed w = { .change = c };
	size_t size;
	char *text;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fputs(UNCERTAIN "; ", to);
	say(to, m, &w, true);
	fprintf(to, ": %s", c->why);
	if (!fclose(to))
		return text;
	free(text);
	return NULL;
}

static int report_none(struct model *m)
{
	const struct model_change *drift = NULL;
	struct model_answer answer = { .standing = STANDING_NA };
	const char *why = NULL;
	bool known = false;

	for (uint32_t i = 0; i < m->nr_changes; i++) {
		known |= m->changes[i].verdict != MODEL_VERDICT_NONE;
		why = why ? why : m->changes[i].why;
		if (!drift && m->changes[i].why && !strcmp(m->changes[i].why, RUNS_DRIFT))
			drift = &m->changes[i];
	}
	if (drift)
		answer.text = drifting(m, drift);
	else if (known)
		answer.text = strdup(NO_CHANGE);
	else if (asprintf(&answer.text, NOT_KNOWN ": %s", why ? why : "there is nothing in both") < 0)
		answer.text = NULL;
	return add(m, answer, NULL);
}

/* ------------------------------------------------------------------------
 * all of them
 */

/* The changes of a label follow each other, as they were. */
static int reorder(struct model *m, const struct answer_group *groups, uint32_t nr)
{
	struct model_change *to = calloc((size_t)m->nr_changes + 1, sizeof(*to));
	uint32_t n = 0;

	if (!to)
		return -1;
	for (uint32_t i = 0; i < nr; i++)
		for (uint32_t k = 0; k < groups[i].nr; k++)
			to[n++] = *groups[i].all[k].change;
	free(m->changes);
	m->changes = to;
	return 0;
}

static uint32_t group(struct answer_group *groups, const struct weighed *all, uint32_t nr)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < nr; i++) {
		if (!i || strcmp(all[i - 1].label, all[i].label))
			groups[n++] = (struct answer_group){ .all = &all[i] };
		groups[n - 1].nr++;
	}
	for (uint32_t i = 0; i < n; i++)
		groups[i].main = main_of(&groups[i]);
	qsort(groups, n, sizeof(*groups), by_weight);
	return n;
}

int diff_answer(struct model *m)
{
	struct weighed *all = calloc((size_t)m->nr_changes + 1, sizeof(*all));
	struct answer_group *groups = calloc((size_t)m->nr_changes + 1, sizeof(*groups));
	int ret = all && groups ? 0 : -1;
	uint32_t nr = 0;

	for (uint32_t i = 0; !ret && i < m->nr_changes; i++)
		all[i] = weigh(m, &m->changes[i]);
	if (!ret) {
		qsort(all, m->nr_changes, sizeof(*all), by_label);
		nr = group(groups, all, m->nr_changes);
	}
	for (uint32_t i = 0; !ret && i < nr && groups[i].main; i++)
		ret = report(m, &groups[i], all, m->nr_changes);
	if (!ret && !m->nr_answers)
		ret = report_none(m);
	if (!ret)
		ret = reorder(m, groups, nr);
	free(all);
	free(groups);
	return ret;
}
