// SPDX-License-Identifier: GPL-2.0
/*
 * Parses the formula of --metric into a chain of operations, and computes its value for a row, with
 * the standing that follows from its operands' (base/standing.h).
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables/metric.h"

/* ------------------------------------------------------------------------
 * reading a formula
 */

/* Parentheses within parentheses. */
#define DEPTH_MAX	32

/**
 * struct formula_reader - of a formula
 * @metric: what it becomes
 * @text:   all of it
 * @at:     what is next
 * @depth:  of parentheses
 * @err:    where to say what is wrong
 */
struct formula_reader {
	struct metric *metric;
	const char *text;
	const char *at;
	unsigned int depth;
	struct error *err;
};

static int report_syntax(const struct formula_reader *r, const char *wanted)
{
	return error_set(r->err, EINVAL, "--metric '%s': %s is needed at '%s'. For instance: --metric 'misses/kI = 1000*cache-misses/instructions'",
			 r->text, wanted, *r->at ? r->at : "the end");
}

static void skip_blanks(struct formula_reader *r)
{
	while (isspace((unsigned char)*r->at))
		r->at++;
}

static int append_step(struct formula_reader *r, struct metric_step step)
{
	if (r->metric->nr == METRIC_STEPS) {
		free(step.column);
		return report_syntax(r, "a shorter formula");
	}
	r->metric->steps[r->metric->nr++] = step;
	return 0;
}

static bool is_name_character(const char *at)
{
	return *at && (isalnum((unsigned char)*at) || strchr("_.:%", *at));
}

/*
 * A "-" between characters of a name belongs to the name: a subtraction needs a space before what
 * is subtracted.
 */
static size_t name_length(const char *at)
{
	size_t length = 0;

	while (is_name_character(at + length) ||
	       (length && at[length] == '-' && is_name_character(at + length + 1)))
		length++;
	return length;
}

static int read_name(struct formula_reader *r)
{
	bool quoted = *r->at == '"';
	const char *from = r->at + quoted;
	size_t length = quoted ? strcspn(from, "\"") : name_length(from);
	char *name;

	if (!length || (quoted && !from[length]))
		return report_syntax(r, "a number, the name of a column, or '('");
	name = strndup(from, length);
	if (!name)
		return error_set(r->err, ENOMEM, "out of memory");
	r->at = from + length + quoted;
	return append_step(r, (struct metric_step){ .does = 'c', .column = name });
}

static int read_sum(struct formula_reader *r);

static int read_operand(struct formula_reader *r)
{
	char *end;
	double number;

	skip_blanks(r);
	if (*r->at == '(') {
		if (++r->depth > DEPTH_MAX)
			return report_syntax(r, "a simpler formula");
		r->at++;
		if (read_sum(r))
			return -1;
		if (*r->at != ')')
			return report_syntax(r, "')'");
		r->at++;
		r->depth--;
		return 0;
	}
	if (!isdigit((unsigned char)*r->at) && *r->at != '.')
		return read_name(r);
	number = strtod(r->at, &end);
	if (end == r->at || is_name_character(end) || !isfinite(number))
		return report_syntax(r, "a number");
	r->at = end;
	return append_step(r, (struct metric_step){ .does = '#', .number = number });
}

/* Reads operands with @operations between them, which apply from left to right. */
static int read_chain(struct formula_reader *r, const char *operations,
		      int (*operand)(struct formula_reader *r))
{
	if (operand(r))
		return -1;
	for (skip_blanks(r); *r->at && strchr(operations, *r->at); skip_blanks(r)) {
		char does = *r->at++;

		if (operand(r) || append_step(r, (struct metric_step){ .does = does }))
			return -1;
	}
	return 0;
}

static int read_product(struct formula_reader *r)
{
	return read_chain(r, "*/", read_operand);
}

static int read_sum(struct formula_reader *r)
{
	return read_chain(r, "+-", read_product);
}

static char *copy_trimmed(const char *from, const char *to)
{
	while (from < to && isspace((unsigned char)*from))
		from++;
	while (to > from && isspace((unsigned char)to[-1]))
		to--;
	return strndup(from, (size_t)(to - from));
}

int metric_parse(struct metric *m, const char *text, struct error *err)
{
	const char *equals = strchr(text, '='), *formula = equals ? equals + 1 : text;
	struct formula_reader r = { .metric = m, .text = text, .at = formula, .err = err };
	int ret;

	*m = (struct metric){ .name = copy_trimmed(text, equals ? equals : text + strlen(text)) };
	if (!m->name || asprintf(&m->says, "by its formula:%s%s", equals ? "" : " ", formula) < 0)
		ret = error_set(err, ENOMEM, "out of memory");
	else if (!*m->name || strchr(m->name, ','))
		ret = error_set(err, EINVAL,
				"--metric '%s': a name without commas is needed before '='", text);
	else
		ret = read_sum(&r);
	if (!ret && *r.at)
		ret = report_syntax(&r, "'+', '-', '*', '/' or the end");
	if (ret)
		metric_free(m);
	return ret;
}

void metric_free(struct metric *m)
{
	for (unsigned int i = 0; i < m->nr; i++)
		free(m->steps[i].column);
	free(m->name);
	free(m->says);
	*m = (struct metric){ 0 };
}

/* ------------------------------------------------------------------------
 * what it gives
 */

static enum combine combination_of(char does)
{
	return does == '+' ? COMBINE_SUM : does == '-' ? COMBINE_DIFFERENCE :
	       does == '*' ? COMBINE_PRODUCT : COMBINE_QUOTIENT;
}

/*
 * True if one operand is negative and the other not exact: a negative factor turns a lower bound
 * into an upper one, for which there is no rule.
 */
static bool may_turn_bounds(const struct metric_operand *a, const struct metric_operand *b)
{
	return (a->value < 0 && b->standing != STANDING_COUNTED) ||
	       (b->value < 0 && a->standing != STANDING_COUNTED);
}

static void apply_operation(struct metric_operand *a, const struct metric_operand *b, char does)
{
	if ((does == '*' || does == '/') && may_turn_bounds(a, b))
		a->standing = STANDING_NA;
	else
		a->standing = standing_combined(combination_of(does), a->standing, b->standing);
	a->value = does == '+' ? a->value + b->value : does == '-' ? a->value - b->value :
		   does == '*' ? a->value * b->value : a->value / b->value;
}

struct cell metric_cell(const struct metric *m, const struct metric_operand *operands)
{
	struct metric_operand stack[METRIC_STEPS];
	unsigned int n = 0;

	for (unsigned int i = 0; i < m->nr; i++) {
		const struct metric_step *s = &m->steps[i];

		if (s->does == '#') {
			stack[n++] = (struct metric_operand){ s->number, STANDING_COUNTED };
		} else if (s->does != 'c') {
			n--;
			apply_operation(&stack[n - 1], &stack[n], s->does);
		} else if (standing_has_value(operands[i].standing)) {
			stack[n++] = operands[i];
		} else {
			/*
			 * Rows that are summed are parts of one thing, of which a part without a
			 * figure leaves a lower bound. The operands of a formula are not: without
			 * one of them what the formula means is not known at all.
			 */
			return (struct cell){ .standing = operands[i].standing };
		}
	}
	if (standing_has_value(stack[0].standing) && !isfinite(stack[0].value))
		return (struct cell){ .standing = STANDING_NA };
	return (struct cell){
		.standing = stack[0].standing,
		.fraction = standing_has_value(stack[0].standing) ? stack[0].value : 0,
	};
}
