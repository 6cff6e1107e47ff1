// SPDX-License-Identifier: GPL-2.0
/*
 * Parses --fail-if, finds the changes that a condition names, and judges them. Relies on verdicts
 * that diff/diff.c has given.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "diff/diff.h"
#include "diff/gate.h"
#include "diff/noise.h"
#include "diff/verdict.h"
#include "diff/words.h"

#define SPACES		" \t"
#define GRAMMAR		"FIGURE > +N%% or FIGURE < -N%%, such as 'instructions/slice > +5%%': FIGURE is one that labels, spans or functions are compared by, see coroprof diff OLD.cprof NEW.cprof --table changes"
#define TEXT_SIZE	1024
#define FIGURE_NAME	168

/* ------------------------------------------------------------------------
 * grammar
 */

static const char *skip(const char *text)
{
	return text + strspn(text, SPACES);
}

/* "> +5%": the sign is that of the comparison, so that what is meant is said twice. */
static bool parse_limit(struct gate *gate, const char *text)
{
	char *end;

	gate->less = *text == '<';
	if (*text != '<' && *text != '>')
		return false;
	text = skip(text + 1);
	if (*text != (gate->less ? '-' : '+') || !(text[1] >= '0' && text[1] <= '9'))
		return false;
	gate->limit = strtod(text, &end) / 100;
	end = (char *)skip(end);
	return *end == '%' && !*skip(end + 1) && isfinite(gate->limit);
}

int gate_parse(struct gate *gate, const char *text, struct error *err)
{
	*gate = (struct gate){ .text = text, .figure = skip(text) };
	gate->length = strcspn(gate->figure, SPACES "<>");
	if (gate->length && parse_limit(gate, skip(gate->figure + gate->length)))
		return 0;
	return error_set(err, EINVAL, "--fail-if '%s': a condition is " GRAMMAR, text);
}

/* ------------------------------------------------------------------------
 * what it is held against
 */

static bool is_figure(const struct model_change *c, const char *text, size_t length)
{
	return strlen(c->figure) == length && !strncmp(c->figure, text, length);
}

/* "p99" is of running time of slices, and may be called so. */
static size_t without_slice(const struct gate *gate)
{
	static const char *const of_slices[] = { "(slice)", "(running)" };

	for (size_t i = 0; i < ARRAY_SIZE(of_slices); i++) {
		size_t end = strlen(of_slices[i]);

		if (gate->length > end &&
		    !strncmp(gate->figure + gate->length - end, of_slices[i], end))
			return gate->length - end;
	}
	return gate->length;
}

static bool is_of(const struct gate *gate, const struct model_change *c)
{
	return is_figure(c, gate->figure, without_slice(gate)) && standing_is_point(c->standing);
}

static const char *word_of(const struct model_change *c)
{
	return c->of == MODEL_OF_SPAN ? "span" : c->of == MODEL_OF_FUNCTION ? "function" : "label";
}

int gates_judge(const struct gate *gates, unsigned int nr, struct model *m)
{
	bool *asked = calloc((size_t)m->nr_changes + 1, sizeof(*asked));
	int ret = -1;

	for (uint32_t i = 0; asked && i < m->nr_changes; i++)
		for (unsigned int g = 0; g < nr; g++)
			asked[i] |= is_of(&gates[g], &m->changes[i]);
	if (asked)
		ret = verdicts_give(m, asked);
	free(asked);
	return ret;
}

/* Where ranks are tested, the median of coroutines must be beyond it as well. */
static bool is_beyond(const struct gate *gate, const struct model_change *c)
{
	double least = c->p < 0 || c->modes ? c->change : fmin(c->change, c->typical);
	double most = c->p < 0 || c->modes ? c->change : fmax(c->change, c->typical);

	return gate->less ? most < gate->limit : least > gate->limit;
}

static bool is_real(const struct model_change *c)
{
	return c->verdict == MODEL_VERDICT_MORE || c->verdict == MODEL_VERDICT_LESS ||
	       c->verdict == MODEL_VERDICT_SMALL;
}

/* No condition is met by it, whatever noise there is: limits are 0 or beyond, see parse_limit(). */
static bool is_unchanged(const struct model_change *c)
{
	return !c->change;
}

static void report_change(const struct gate *gate, const struct model_change *c,
			  void (*report)(const char *text))
{
	char text[TEXT_SIZE], old[FIGURE_SIZE], new[FIGURE_SIZE], change[FIGURE_SIZE];

	words_figure(old, c, MODEL_OLD);
	words_figure(new, c, MODEL_NEW);
	words_difference(change, c);
	if (is_real(c))
		snprintf(text, sizeof(text), "%s %.200s%s%.200s: %.120s was %s, is %s (%s), beyond noise (p %.2g): '%.120s' is met",
			 word_of(c), c->name, c->label ? " in " : "", c->label ? c->label : "",
			 c->figure, old, new, change, c->p, gate->text);
	else
		snprintf(text, sizeof(text), "%s %.200s%s%.200s: %.120s was %s, is %s (%s), which is not held against '%.120s': %s",
			 word_of(c), c->name, c->label ? " in " : "", c->label ? c->label : "",
			 c->figure, old, new, change, gate->text, c->why);
	report(text);
}

/* Of figures that have a test, whether it is the first of its name. */
static bool is_first(const struct model *m, uint32_t change)
{
	for (uint32_t i = 0; i < change; i++)
		if (m->changes[i].p >= 0 &&
		    !strcmp(m->changes[i].figure, m->changes[change].figure))
			return false;
	return true;
}

/* Figures that have a test, each once: as many as there is room for. */
static void name_figures(const struct model *m, char *to, size_t capacity)
{
	size_t used = 0;

	for (uint32_t i = 0; i < m->nr_changes && used + FIGURE_NAME < capacity; i++)
		if (m->changes[i].p >= 0 && is_first(m, i))
			used += (size_t)snprintf(to + used, capacity - used, "%s%.*s",
						 used ? ", " : "", FIGURE_NAME - 8,
						 m->changes[i].figure);
	if (used + FIGURE_NAME >= capacity)
		snprintf(to + used, capacity - used, ", ...");
}

/* @why: it is in both recordings, has changed, and has no verdict; NULL: it is in one at most. */
static int none(const struct gate *gate, const struct model *m, const char *why,
		struct error *err)
{
	char figures[TEXT_SIZE] = "";

	name_figures(m, figures, sizeof(figures));
	if (why)
		return error_set(err, ENODATA, "--fail-if '%s': no verdict on %.*s can be given for any label, span or function (%s); there are verdicts on: %s",
				 gate->text, (int)gate->length, gate->figure, why,
				 *figures ? figures : "nothing");
	return error_set(err, ENODATA, "--fail-if '%s': no label, span or function has %.*s in both recordings; there are verdicts on: %s",
			 gate->text, (int)gate->length, gate->figure, *figures ? figures : "nothing");
}

int gate_check(const struct gate *gate, const struct model *m, bool *met,
	       void (*report)(const char *text), struct error *err)
{
	const char *why = NULL;
	uint32_t tested = 0;

	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];
		bool unjudged = c->verdict == MODEL_VERDICT_NONE;

		if (!is_of(gate, c))
			continue;
		if (!why)
			why = c->why ? c->why : "";
		tested += !unjudged || is_unchanged(c);
		if (!is_beyond(gate, c) || !(unjudged || is_real(c)))
			continue;
		*met |= !unjudged;
		report_change(gate, c, report);
	}
	return tested ? 0 : none(gate, m, why, err);
}

/* ------------------------------------------------------------------------
 * what can be held against nothing
 */

static bool is_running(const struct model_change *c)
{
	return c->of == MODEL_OF_LABEL && !strcmp(c->figure, "running/slice");
}

static double running_of(const struct model_change *c, enum model_age age)
{
	return c->side[age].value * c->side[age].times;
}

/*
 * The one recording that has the label; MODEL_AGES: both have it. Labels in brackets are the
 * reader's own: there is no code behind "(other labels)".
 */
static unsigned int only_in(const struct model_change *c)
{
	if (!is_running(c) || *c->name == '(')
		return MODEL_AGES;
	return c->verdict == MODEL_VERDICT_ADDED ? MODEL_NEW :
	       c->verdict == MODEL_VERDICT_GONE ? MODEL_OLD : MODEL_AGES;
}

bool gate_paired(const struct model *m, void (*report)(const char *text))
{
	static const char *const words[MODEL_AGES] = { [MODEL_OLD] = "old", [MODEL_NEW] = "new" };
	double all[MODEL_AGES] = { 0 };
	bool paired = true;

	for (uint32_t i = 0; i < m->nr_changes; i++)
		for (unsigned int age = 0; is_running(&m->changes[i]) && age < MODEL_AGES; age++)
			all[age] += running_of(&m->changes[i], age);
	for (uint32_t i = 0; i < m->nr_changes; i++) {
		const struct model_change *c = &m->changes[i];
		unsigned int age = only_in(c);
		char share[FIGURE_SIZE], text[TEXT_SIZE];

		if (age == MODEL_AGES || running_of(c, age) < DIFF_SMALL * all[age])
			continue;
		figure_share(share, running_of(c, age) / all[age]);
		snprintf(text, sizeof(text), "label %.200s is in the %s recording only, with %s of its running time: no condition can be held against it",
			 c->name, words[age], share);
		report(text);
		paired = false;
	}
	return paired;
}
