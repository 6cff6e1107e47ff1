// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions on the cells of a column, as --where has them: parses them, checks whether they suit a
 * column, and whether a row fits.
 */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/util.h"
#include "output/plain.h"
#include "output/where.h"

enum test {
	TEST_NONE,
	TEST_IS_NOT,
	TEST_HAS_NOT,
	TEST_AT_MOST,
	TEST_AT_LEAST,
	TEST_IS,
	TEST_HAS,
	TEST_LESS,
	TEST_MORE,
};

/* Longer ones before those that they begin with. */
static const struct {
	const char *sign;
	enum test test;
} signs[] = {
	{ "!=", TEST_IS_NOT }, { "!~", TEST_HAS_NOT }, { "<=", TEST_AT_MOST }, { ">=", TEST_AT_LEAST },
	{ "=", TEST_IS }, { "~", TEST_HAS }, { "<", TEST_LESS }, { ">", TEST_MORE },
};

size_t where_name(const char *where)
{
	size_t length = strcspn(where, "=!<>~");

	return where[length] ? length : 0;
}

static enum test parse_test(const char *where, const char **value)
{
	const char *sign = where + where_name(where);

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (!strncmp(sign, signs[i].sign, strlen(signs[i].sign))) {
			*value = sign + strlen(signs[i].sign);
			return signs[i].test;
		}
	return TEST_NONE;
}

static bool is_pattern(enum test test)
{
	return test == TEST_HAS || test == TEST_HAS_NOT;
}

static bool is_figure(enum test test)
{
	return test == TEST_LESS || test == TEST_MORE || test == TEST_AT_MOST ||
	       test == TEST_AT_LEAST;
}

/* False of names and words, of which none is more or less than another. */
static bool has_order(enum kind kind)
{
	return kind != KIND_TEXT && kind != KIND_WORD && kind != KIND_FLAGS && kind != KIND_ROW;
}

/* How a figure is written. */
enum written {
	WRITTEN_NUMBER,
	WRITTEN_COUNT,	/* "2k" */
	WRITTEN_SHARE,	/* "3%" */
	WRITTEN_TIME,	/* "10ms" */
};

/* Parses a number with its unit. Without a unit it is as in CSV, where times are in nanoseconds. */
static bool parse_figure(const char *text, double *number, enum written *written)
{
	uint64_t ns;
	char *end;

	*number = strtod(text, &end);
	*written = WRITTEN_NUMBER;
	if (end != text && !*end)
		return !isnan(*number);
	if (end != text && !strcmp(end, "%")) {
		*number /= 100;
		*written = WRITTEN_SHARE;
		return true;
	}
	*written = WRITTEN_COUNT;
	if (units_count(text, number))
		return true;
	*written = WRITTEN_TIME;
	if (!units_time(text, &ns))
		return false;
	*number = (double)ns;
	return true;
}

int where_check(const char *where, struct error *err)
{
	const char *value = "";
	enum test test = where_name(where) ? parse_test(where, &value) : TEST_NONE;
	enum written written;
	char why[128];
	double number;
	regex_t regex;
	int ret;

	if (test == TEST_NONE)
		return error_set(err, EINVAL, "--where %s: a column, one of = != ~ !~ < <= > >=, and a value, such as tag=0, 'label=handle_*' or 'running>10ms'",
				 where);
	if (is_figure(test) && !parse_figure(value, &number, &written))
		return error_set(err, EINVAL, "--where %s: '%s' is no figure: a number, 2k, 5%%, or a time such as 10ms",
				 where, value);
	if (!is_pattern(test))
		return 0;
	ret = regcomp(&regex, value, REG_EXTENDED | REG_NOSUB);
	if (!ret) {
		regfree(&regex);
		return 0;
	}
	regerror(ret, &regex, why, sizeof(why));
	return error_set(err, EINVAL, "--where %s: '%s' is no regular expression: %s", where, value,
			 why);
}

/* True if a figure of this kind may be written so. A ratio may be of anything. */
static bool suits_kind(enum kind kind, enum written written, double number)
{
	switch (kind) {
	case KIND_RATIO:
		return true;
	case KIND_SHARE:
		return written == WRITTEN_SHARE || (written == WRITTEN_NUMBER && fabs(number) <= 1);
	case KIND_NS:
	case KIND_TIME:
		return written == WRITTEN_NUMBER || written == WRITTEN_TIME;
	default:
		return has_order(kind) && (written == WRITTEN_NUMBER || written == WRITTEN_COUNT);
	}
}

int where_suits(const char *where, const struct sheet *sheet, struct error *err)
{
	int column = sheet_find(sheet, where, where_name(where)), name = (int)where_name(where);
	const char *value = "";
	enum test test = parse_test(where, &value);
	int before = (int)(value - where);
	enum written written;
	enum kind kind;
	double number;

	if (column < 0 || !is_figure(test) || !parse_figure(value, &number, &written))
		return 0;
	kind = sheet->columns[column].kind;
	if (suits_kind(kind, written, number))
		return 0;
	if (!has_order(kind))
		return error_set(err, EINVAL, "--where '%s': the column %.*s has no figures, of which one is more than another: use = != ~ or !~",
				 where, name, where);
	if (kind == KIND_SHARE)
		return error_set(err, EINVAL, "--where '%s': the column %.*s is a share, of which 1 is all: give it in percent, such as '%.*s%s%%'",
				 where, name, where, before, where,
				 written == WRITTEN_NUMBER ? value : "10");
	if (kind == KIND_NS || kind == KIND_TIME)
		return error_set(err, EINVAL, "--where '%s': the column %.*s is a time: give one, such as '%.*s10ms'",
				 where, name, where, before, where);
	return error_set(err, EINVAL, "--where '%s': the column %.*s is a count: give a number, such as '%.*s2000' or '%.*s2k'",
			 where, name, where, before, where, before, where);
}

bool where_is_tag(const char *where)
{
	return name_is("tag", where, where_name(where));
}

bool where_applies(const char *where, const struct sheet *sheet)
{
	return sheet_find(sheet, where, where_name(where)) >= 0 ||
	       (sheet->model->some && sheet->table->by_coroutine && where_is_tag(where));
}

bool where_has(const struct view_options *view, const struct sheet *sheet)
{
	for (uint32_t i = 0; i < view->nr_wheres; i++)
		if (!where_applies(view->wheres[i], sheet))
			return false;
	return true;
}

/* ---- held against rows */

void conditions_open(struct conditions *c, const struct view_options *view,
		     const struct sheet *sheet)
{
	*c = (struct conditions){ .sheet = sheet };
	for (uint32_t i = 0; i < view->nr_wheres; i++) {
		const char *where = view->wheres[i], *value = "";
		int column = sheet_find(sheet, where, where_name(where));
		struct condition *one = &c->all[c->nr];
		enum written written;

		if (column < 0)
			continue;
		*one = (struct condition){
			.column = (unsigned int)column, .test = parse_test(where, &value),
		};
		one->value = value;
		if (is_figure(one->test) && !parse_figure(value, &one->number, &written))
			one->test = TEST_NONE;
		if (is_pattern(one->test) && regcomp(&one->regex, value, REG_EXTENDED | REG_NOSUB))
			one->test = TEST_NONE;
		c->nr++;
	}
}

void conditions_close(struct conditions *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		if (is_pattern(c->all[i].test))
			regfree(&c->all[i].regex);
}

static bool fits_text(const struct condition *c, const char *text)
{
	bool is = is_pattern(c->test) ? !regexec(&c->regex, text, 0, NULL, 0) :
					!strcmp(c->value, text) || !fnmatch(c->value, text, 0);

	return is == (c->test == TEST_IS || c->test == TEST_HAS);
}

static bool fits_figure(const struct condition *c, enum kind kind, struct cell cell)
{
	double figure = kind == KIND_SHARE || kind == KIND_RATIO ? cell.fraction :
								   (double)cell.number;

	switch (c->test) {
	case TEST_LESS:
		return figure < c->number;
	case TEST_AT_MOST:
		return figure <= c->number;
	case TEST_MORE:
		return figure > c->number;
	default:
		return figure >= c->number;
	}
}

/*
 * Parses an id as files have it, "12" or "0x8000000000000001"; any other text is a pattern for the
 * id's text.
 */
static bool parse_id(const char *text, uint64_t *id)
{
	bool hex = !strncmp(text, "0x", 2);
	const char *digits = hex ? text + 2 : text;

	if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
		return false;
	errno = 0;
	*id = strtoull(digits, NULL, hex ? 16 : 10);
	return !errno;
}

static bool fits_id(const struct condition *c, uint64_t id, const char *text)
{
	uint64_t wanted;

	if (is_pattern(c->test) || !parse_id(c->value, &wanted))
		return fits_text(c, text);
	return (id == wanted) == (c->test == TEST_IS);
}

static bool fits_condition(const struct condition *c, const struct sheet *sheet, uint32_t row)
{
	enum kind kind = sheet->columns[c->column].kind;
	struct cell cell = sheet_cell(sheet, row, c->column);
	char text[PLAIN_SIZE];

	if (!has_value(cell) || c->test == TEST_NONE)
		return false;
	if (is_figure(c->test))
		return has_order(kind) && fits_figure(c, kind, cell);
	if (kind == KIND_ID)
		return fits_id(c, cell.number, plain_cell(sheet, c->column, cell, text));
	return fits_text(c, plain_name(sheet, c->column, cell, text));
}

bool conditions_fit(const struct conditions *c, uint32_t row)
{
	for (uint32_t i = 0; i < c->nr; i++)
		if (!fits_condition(&c->all[i], c->sheet, row))
			return false;
	return true;
}
