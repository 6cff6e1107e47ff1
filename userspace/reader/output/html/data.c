// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "output/html/data.h"
#include "output/html/packed.h"
#include "tables/figure.h"
#include "tables/summary.h"

#define FORMAT		"coroprof-report"
#define FORMAT_VERSION	3

static void member_number(struct json *j, const char *key, double number)
{
	json_key(j, key);
	json_double(j, number);
}

/* ------------------------------------------------------------------------
 * figures
 */

static void put_units(struct json *j, const char *key, const struct figure_unit *units,
		      unsigned int nr)
{
	json_key(j, key);
	json_open(j, '[');
	for (unsigned int i = 0; i < nr; i++) {
		json_open(j, '[');
		json_u64(j, units[i].size);
		json_string(j, units[i].name);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_digits(struct json *j)
{
	json_key(j, "digits");
	json_open(j, '[');
	for (unsigned int i = 0; i < figure_nr_digits; i++) {
		json_open(j, '[');
		json_double(j, figure_digits[i].below);
		json_u64(j, (uint64_t)figure_digits[i].decimals);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void put_fraction(struct json *j, const char *key, const struct figure_fraction *rule)
{
	json_key(j, key);
	json_open(j, '{');
	member_number(j, "factor", rule->factor);
	member_number(j, "decimals", rule->decimals);
	member_number(j, "least", rule->least);
	json_member(j, "unit", rule->unit);
	json_close(j, '}');
}

static void put_figures(struct json *j)
{
	json_key(j, "figures");
	json_open(j, '{');
	member_number(j, "whole", FIGURE_WHOLE);
	put_digits(j);
	put_units(j, kind_name(KIND_NS), figure_ns_units, figure_nr_ns_units);
	put_units(j, kind_name(KIND_EVENTS), figure_count_units, figure_nr_count_units);
	put_fraction(j, kind_name(KIND_SHARE), &figure_of_shares);
	put_fraction(j, kind_name(KIND_RATIO), &figure_of_ratios);
	json_close(j, '}');
}

static void put_standings(struct json *j)
{
	json_key(j, "standings");
	json_open(j, '[');
	for (enum standing s = 0; s < STANDING_NR; s++) {
		json_open(j, '{');
		json_member(j, "name", standing_name(s));
		json_member(j, "mark", standing_mark(s));
		json_member(j, "says", standing_says(s));
		json_key(j, "value");
		json_bool(j, has_value((struct cell){ .standing = s }));
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* ------------------------------------------------------------------------
 * columns
 */

/**
 * struct cells - all of a column
 * @numbers:   of most kinds
 * @fractions: of the others
 * @standings: of each, or of none if @plain
 * @plain:     all are STANDING_COUNTED
 */
struct cells {
	uint64_t *numbers;
	double *fractions;
	uint64_t *standings;
	bool plain;
};

static bool is_fraction(enum kind kind)
{
	return kind == KIND_SHARE || kind == KIND_RATIO;
}

static void get_cells(struct cells *c, const struct sheet *s, unsigned int column)
{
	bool fraction = is_fraction(s->columns[column].kind);

	c->plain = true;
	for (uint32_t row = 0; row < s->rows; row++) {
		struct cell cell = sheet_cell(s, row, column);

		if (fraction)
			c->fractions[row] = cell.fraction;
		else
			c->numbers[row] = cell.number;
		c->standings[row] = cell.standing;
		c->plain &= cell.standing == STANDING_COUNTED;
	}
}

static void put_texts(struct json *j, const struct sheet *s, unsigned int column)
{
	json_key(j, "texts");
	json_open(j, '[');
	for (uint32_t row = 0; row < s->rows; row++) {
		struct cell cell = sheet_cell(s, row, column);

		json_string(j, has_value(cell) ? cell.text : NULL);
	}
	json_close(j, ']');
}

/* What was counted of a counter is mostly what its figure is. */
static bool is_repeated(const struct sheet *s, unsigned int column, const struct cells *c)
{
	if (!column || s->columns[column - 1].is->aside ||
	    s->columns[column - 1].kind != s->columns[column].kind ||
	    is_fraction(s->columns[column].kind))
		return false;
	for (uint32_t row = 0; row < s->rows; row++)
		if (c->numbers[row] != sheet_cell(s, row, column - 1).number)
			return false;
	return true;
}

static void put_cells(struct json *j, struct cells *c, const struct sheet *s, unsigned int column)
{
	enum kind kind = s->columns[column].kind;

	if (kind == KIND_TEXT) {
		put_texts(j, s, column);
		return;
	}
	get_cells(c, s, column);
	json_key(j, "cells");
	if (is_repeated(s, column, c))
		json_string(j, s->columns[column - 1].name);
	else if (is_fraction(kind))
		packed_fractions(j, c->fractions, s->rows);
	else
		packed_numbers(j, c->numbers, s->rows);
	if (c->plain)
		return;
	json_key(j, "standing");
	packed_numbers(j, c->standings, s->rows);
}

static void put_words(struct json *j, const char *const *words)
{
	json_key(j, "words");
	json_open(j, '[');
	for (; *words; words++)
		json_string(j, *words);
	json_close(j, ']');
}

static void put_description(struct json *j, const struct sheet_column *column)
{
	json_member(j, "name", column->name);
	json_member(j, "title", column->title);
	json_member(j, "says", column->says);
	json_member(j, "kind", kind_name(column->kind));
	json_member(j, "sums", sums_name(column->is->sums));
	json_key(j, "shown");
	json_bool(j, column->shown & SHOWN_PAGE);
	if (column->is->words)
		put_words(j, column->is->words);
	if (column->is->refers)
		json_member(j, "refers", column->is->refers);
	if (column->is->counted) {
		json_member(j, "each", column->is->name);
		json_key(j, "counter");
		json_u64(j, column->counter);
	}
}

static void put_columns(struct json *j, struct cells *c, const struct sheet *s)
{
	json_key(j, "columns");
	json_open(j, '[');
	for (unsigned int i = 0; i < s->nr_columns; i++) {
		if (s->columns[i].is->aside)
			continue;
		json_open(j, '{');
		put_description(j, &s->columns[i]);
		put_cells(j, c, s, i);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* ------------------------------------------------------------------------
 * tables
 */

/* Whether cells that the page shows are called what the rows here are. */
static bool is_referred_to(const struct table *table)
{
	for (unsigned int t = 0; t < nr_tables; t++)
		for (unsigned int c = 0; c < tables[t]->nr; c++) {
			const struct column *column = &tables[t]->columns[c];

			if (column->refers && (column->shown & SHOWN_PAGE) &&
			    table_named(column->refers) == table)
				return true;
		}
	return false;
}

static void put_titles(struct json *j, const struct sheet *s)
{
	char room[ROW_TITLE_ROOM];

	json_key(j, "titles");
	json_open(j, '[');
	for (uint32_t row = 0; row < s->rows; row++)
		json_string(j, row_title(s->table, s->model, row, room));
	json_close(j, ']');
}

static void put_sheet(struct json *j, struct cells *c, const struct sheet *s)
{
	json_key(j, s->table->name);
	json_open(j, '{');
	json_member(j, "title", s->table->title);
	json_key(j, "rows");
	json_u64(j, s->rows);
	if (table_has_names(s->table) && is_referred_to(s->table))
		put_titles(j, s);
	put_columns(j, c, s);
	json_close(j, '}');
}

static int put_table(struct json *j, const struct table *table, const struct model *model)
{
	struct cells c = { 0 };
	struct sheet s;
	int ret = -1;

	if (sheet_open(&s, table, model))
		return -1;
	c.numbers = calloc((size_t)s.rows + 1, sizeof(*c.numbers));
	c.fractions = calloc((size_t)s.rows + 1, sizeof(*c.fractions));
	c.standings = calloc((size_t)s.rows + 1, sizeof(*c.standings));
	if (c.numbers && c.fractions && c.standings) {
		put_sheet(j, &c, &s);
		ret = 0;
	}
	free(c.numbers);
	free(c.fractions);
	free(c.standings);
	sheet_close(&s);
	return ret;
}

int html_data(const struct model *model, FILE *file)
{
	struct json j = { .file = file };
	char summary[SUMMARY_ROOM];
	int ret = 0;

	errno = ENOMEM;
	json_open(&j, '{');
	json_member(&j, "format", FORMAT);
	member_number(&j, "version", FORMAT_VERSION);
	summary_write(model, summary);
	json_member(&j, "summary", summary);
	put_figures(&j);
	put_standings(&j);
	json_key(&j, "tables");
	json_open(&j, '{');
	for (unsigned int i = 0; !ret && i < nr_tables; i++)
		ret = put_table(&j, tables[i], model);
	json_close(&j, '}');
	json_close(&j, '}');
	return ret;
}
