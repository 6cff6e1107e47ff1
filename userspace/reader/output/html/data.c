// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the JSON of the page: for each table its description and its columns, packed
 * (output/html/packed.h), and the rules by which the page rounds, combines and sums figures.
 * userspace/report/README.md describes it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "output/html/data.h"
#include "output/html/packed.h"
#include "tables/figure.h"
#include "tables/metric.h"
#include "tables/summary.h"

#define FORMAT		"coroprof-report"
#define FORMAT_VERSION	8

static void write_member(struct json *j, const char *key, double number)
{
	json_key(j, key);
	json_double(j, number);
}

/* ------------------------------------------------------------------------
 * figures
 */

static void write_units(struct json *j, const char *key, const struct figure_unit *units,
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

static void write_digits(struct json *j)
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

static void write_fraction(struct json *j, const char *key, const struct figure_fraction *rule)
{
	json_key(j, key);
	json_open(j, '{');
	write_member(j, "factor", rule->factor);
	write_member(j, "decimals", rule->decimals);
	write_member(j, "least", rule->least);
	json_member(j, "unit", rule->unit);
	json_close(j, '}');
}

static void write_figures(struct json *j)
{
	json_key(j, "figures");
	json_open(j, '{');
	write_member(j, "whole", FIGURE_WHOLE);
	write_member(j, "times", FIGURE_TIMES);
	write_digits(j);
	write_units(j, kind_name(KIND_NS), figure_ns_units, figure_nr_ns_units);
	write_units(j, kind_name(KIND_EVENTS), figure_count_units, figure_nr_count_units);
	write_fraction(j, kind_name(KIND_SHARE), &figure_of_shares);
	write_fraction(j, kind_name(KIND_RATIO), &figure_of_ratios);
	json_close(j, '}');
}

static void write_standings(struct json *j)
{
	json_key(j, "standings");
	json_open(j, '[');
	for (enum standing s = 0; s < STANDING_NR; s++) {
		json_open(j, '{');
		json_member(j, "name", standing_name(s));
		json_member(j, "mark", standing_mark(s));
		json_member(j, "says", standing_says(s));
		json_key(j, "value");
		json_bool(j, standing_has_value(s));
		json_close(j, '}');
	}
	json_close(j, ']');
}

_Static_assert(STANDING_NR <= 10, "each standing is a digit");

static char standing_digit(enum standing s)
{
	return (char)('0' + s);
}

/*
 * Writes the table of how standings combine, so that the page combines figures by the same rules.
 */
static void write_combinations(struct json *j)
{
	char digits[STANDING_NR + 1] = "";

	json_key(j, "combine");
	json_open(j, '{');
	for (enum combine how = 0; how < COMBINE_NR; how++) {
		json_key(j, combine_name(how));
		json_open(j, '[');
		for (enum standing one = 0; one < STANDING_NR; one++) {
			for (enum standing other = 0; other < STANDING_NR; other++)
				digits[other] = standing_digit(standing_combined(how, one, other));
			json_string(j, digits);
		}
		json_close(j, ']');
	}
	for (enum alone how = 0; how < ALONE_NR; how++) {
		for (enum standing of = 0; of < STANDING_NR; of++)
			digits[of] = standing_digit(standing_alone(how, of));
		json_member(j, alone_name(how), digits);
	}
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * columns
 */

/**
 * struct cells - all of a column
 * @numbers:   of most kinds
 * @sums:      of the columns that @numbers are near
 * @fractions: of the others
 * @standings: of each, or of none if @plain
 * @plain:     all are STANDING_COUNTED
 * @packed:    where to
 */
struct cells {
	uint64_t *numbers;
	uint64_t *sums;
	double *fractions;
	uint64_t *standings;
	bool plain;
	struct packed *packed;
};

static bool is_fraction(enum kind kind)
{
	return kind == KIND_SHARE || kind == KIND_RATIO;
}

static void read_cells(struct cells *c, const struct sheet *s, unsigned int column)
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

static void write_texts(struct json *j, const struct sheet *s, unsigned int column)
{
	json_key(j, "texts");
	json_open(j, '[');
	for (uint32_t row = 0; row < s->rows; row++) {
		struct cell cell = sheet_cell(s, row, column);

		json_string(j, has_value(cell) ? cell.text : NULL);
	}
	json_close(j, ']');
}

/*
 * True if the column is equal to the one before: a count mostly equals its figure. The page reads
 * it from there, so the one before must not refer to this one in turn.
 */
static bool is_repeated(const struct sheet *s, unsigned int column, const struct cells *c)
{
	if (!column || s->columns[column - 1].is->aside || s->columns[column - 1].is->near ||
	    s->columns[column - 1].kind != s->columns[column].kind ||
	    is_fraction(s->columns[column].kind))
		return false;
	for (uint32_t row = 0; row < s->rows; row++)
		if (c->numbers[row] > PACKED_EXACT_MAX ||
		    c->numbers[row] != sheet_cell(s, row, column - 1).number)
			return false;
	return true;
}

/*
 * Adds a column's cells, or subtracts them if its name begins with "-". False if the page does not
 * have the column, or a sum is more than a double holds exactly.
 */
static bool add_column_to_sums(struct cells *c, const struct sheet *s, const char *name,
			       size_t length)
{
	bool less = *name == '-';
	int column = sheet_find(s, name + less, length - less);

	if (column < 0 || s->columns[column].is->aside)
		return false;
	for (uint32_t row = 0; row < s->rows; row++) {
		uint64_t number = sheet_cell(s, row, (unsigned int)column).number;

		if (number > PACKED_EXACT_MAX || (less && number > c->sums[row]))
			return false;
		c->sums[row] += less ? -number : number;
	}
	return true;
}

/*
 * True if cells are near the sums of other columns, whose names are in @names, and no sum on the
 * way is more than a double holds exactly.
 */
static bool is_near(struct cells *c, const struct sheet *s, unsigned int column,
		    char *names, size_t capacity)
{
	const char *near = s->columns[column].is->near;
	size_t length;

	if (!near || !s->rows)
		return false;
	memset(c->sums, 0, s->rows * sizeof(*c->sums));
	*names = '\0';
	for (; *near; near += length + (near[length] == ' ')) {
		length = strcspn(near, " ");
		/* Where nothing was idle, there is no such column. */
		if (sheet_find(s, near + (*near == '-'), length - (*near == '-')) < 0)
			continue;
		if (!add_column_to_sums(c, s, near, length))
			return false;
		snprintf(names + strlen(names), capacity - strlen(names), "%s%.*s",
			 *names ? " " : "", (int)length, near);
	}
	for (uint32_t row = 0; row < s->rows; row++)
		if (c->sums[row] > PACKED_EXACT_MAX || c->numbers[row] > PACKED_EXACT_MAX)
			return false;
	return true;
}

/* True if each cell is near the end of the row before, which another column has. */
static bool is_after(struct cells *c, const struct sheet *s, unsigned int column)
{
	const char *after = s->columns[column].is->after;
	uint64_t end = 0;
	int by;

	if (!after)
		return false;
	by = sheet_find(s, after, strlen(after));
	for (uint32_t row = 0; row < s->rows; row++) {
		c->sums[row] = end;
		end = c->numbers[row] + sheet_cell(s, row, (unsigned int)by).number;
		if (end < c->numbers[row] || end > PACKED_EXACT_MAX)
			return false;
	}
	return s->rows;
}

static void write_numbers(struct json *j, struct cells *c, const struct sheet *s,
			  unsigned int column)
{
	char names[256];

	if (is_repeated(s, column, c))
		packed_near(c->packed, j, s->columns[column - 1].name, c->numbers, c->numbers,
			    s->rows);
	else if (is_near(c, s, column, names, sizeof(names)))
		packed_near(c->packed, j, names, c->numbers, c->sums, s->rows);
	else if (is_after(c, s, column))
		packed_after(c->packed, j, s->columns[column].is->after, c->numbers, c->sums,
			     s->rows);
	else
		packed_numbers(c->packed, j, c->numbers, s->rows);
}

/* True if the fractions equal, to the precision of a float, the quotients of two columns. */
static bool is_quotient(const struct cells *c, const struct sheet *s, unsigned int over,
			unsigned int under)
{
	for (uint32_t row = 0; row < s->rows; row++) {
		double x = (double)sheet_cell(s, row, over).number;
		double y = (double)sheet_cell(s, row, under).number;

		if (c->standings[row] < STANDING_NA && (float)(x / y) != (float)c->fractions[row])
			return false;
	}
	return true;
}

static bool write_quotient(struct json *j, const struct cells *c, const struct sheet *s)
{
	const struct sheet_column *of = s->columns;

	for (unsigned int over = 0; over < s->nr_columns; over++)
		for (unsigned int under = 0; under < s->nr_columns; under++) {
			if (over == under || of[over].kind != KIND_EVENTS || of[over].is->aside ||
			    of[under].kind != KIND_EVENTS || of[under].is->aside ||
			    !is_quotient(c, s, over, under))
				continue;
			json_open(j, '{');
			json_key(j, "quotient");
			json_open(j, '[');
			json_string(j, of[over].name);
			json_string(j, of[under].name);
			json_close(j, ']');
			json_close(j, '}');
			return true;
		}
	return false;
}

static void write_cells(struct json *j, struct cells *c, const struct sheet *s, unsigned int column)
{
	enum kind kind = s->columns[column].kind;

	if (kind == KIND_TEXT) {
		write_texts(j, s, column);
		return;
	}
	read_cells(c, s, column);
	json_key(j, "cells");
	if (!is_fraction(kind))
		write_numbers(j, c, s, column);
	else if (kind != KIND_RATIO || !write_quotient(j, c, s))
		packed_fractions(c->packed, j, c->fractions, s->rows);
	if (c->plain)
		return;
	json_key(j, "standing");
	packed_numbers(c->packed, j, c->standings, s->rows);
}

static void write_words(struct json *j, const char *const *words)
{
	json_key(j, "words");
	json_open(j, '[');
	for (; *words; words++)
		json_string(j, *words);
	json_close(j, ']');
}

static void write_formula_step(struct json *j, const struct metric_step *step)
{
	if (step->does == '#') {
		json_double(j, step->number);
	} else if (step->does == 'c') {
		json_open(j, '{');
		json_member(j, "column", step->column);
		json_close(j, '}');
	} else {
		json_string(j, (const char[]){ step->does, 0 });
	}
}

/* The page computes the column of the rows that are selected, so it gets the formula. */
static void write_formula(struct json *j, const struct metric *metric)
{
	json_key(j, "formula");
	json_open(j, '[');
	for (unsigned int i = 0; i < metric->nr; i++)
		write_formula_step(j, &metric->steps[i]);
	json_close(j, ']');
}

/* The page computes the shares of whatever is selected, so it gets only names and texts. */
static void write_bar(struct json *j, const struct sheet *s, const struct sheet_column *whole)
{
	for (unsigned int i = 0; i < s->nr_columns; i++) {
		const struct sheet_column *share = &s->columns[i];

		if (!share->is->part_of || strcmp(share->is->part_of, whole->name) != 0)
			continue;
		json_key(j, "bar");
		json_open(j, '{');
		json_member(j, "name", share->name);
		json_member(j, "title", share->is->bar);
		json_member(j, "says", share->says);
		json_close(j, '}');
	}
}

static void write_description(struct json *j, const struct sheet *s,
			      const struct sheet_column *column)
{
	json_member(j, "name", column->name);
	json_member(j, "title", column->title);
	json_member(j, "says", column->says);
	json_member(j, "kind", kind_name(column->kind));
	json_member(j, "sums", sums_name(column->is->sums));
	json_key(j, "shown");
	json_bool(j, column->shown & SHOWN_PAGE);
	if (column->is->words)
		write_words(j, column->is->words);
	if (column->is->refers)
		json_member(j, "refers", column->is->refers);
	if (column->is->per)
		json_member(j, "per", column->is->per);
	if (column->is->one)
		json_member(j, "one", column->is->one);
	if (column->metric)
		write_formula(j, column->metric);
	write_bar(j, s, column);
	if (column->is->counted) {
		json_member(j, "each", column->is->name);
		json_key(j, "counter");
		json_u64(j, column->counter);
	}
}

static void write_columns(struct json *j, struct cells *c, const struct sheet *s)
{
	json_key(j, "columns");
	json_open(j, '[');
	for (unsigned int i = 0; i < s->nr_columns; i++) {
		if (s->columns[i].is->aside)
			continue;
		json_open(j, '{');
		write_description(j, s, &s->columns[i]);
		write_cells(j, c, s, i);
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* ------------------------------------------------------------------------
 * tables
 */

/* True if cells that the page shows name rows of this table. */
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

static void write_titles(struct json *j, const struct sheet *s)
{
	char text[ROW_TITLE_SIZE];

	json_key(j, "titles");
	json_open(j, '[');
	for (uint32_t row = 0; row < s->rows; row++)
		json_string(j, row_title(s->table, s->model, row, text));
	json_close(j, ']');
}

/* Writes from which columns most titles of rows are made, and the titles that differ from that. */
static void write_unusual_titles(struct json *j, const struct sheet *s)
{
	const struct table *t = s->table;
	unsigned int of = (unsigned int)sheet_find(s, t->title_row, strlen(t->title_row));
	unsigned int nr = (unsigned int)sheet_find(s, t->title_number, strlen(t->title_number));
	char usual[ROW_TITLE_SIZE + 24], one[ROW_TITLE_SIZE], other[ROW_TITLE_SIZE], key[24];
	const char *title;

	json_key(j, "named");
	json_open(j, '[');
	json_string(j, t->title_row);
	json_string(j, t->title_number);
	json_close(j, ']');
	json_key(j, "others");
	json_open(j, '{');
	for (uint32_t row = 0; row < s->rows; row++) {
		snprintf(usual, sizeof(usual), "%s #%" PRIu64,
			 row_title(table_named(s->columns[of].is->refers), s->model,
				   (uint32_t)sheet_cell(s, row, of).number, other),
			 sheet_cell(s, row, nr).number);
		title = row_title(t, s->model, row, one);
		if (!strcmp(title, usual))
			continue;
		snprintf(key, sizeof(key), "%" PRIu32, row);
		json_member(j, key, title);
	}
	json_close(j, '}');
}

static void write_sheet(struct json *j, struct cells *c, const struct sheet *s)
{
	json_key(j, s->table->name);
	json_open(j, '{');
	json_member(j, "title", s->table->title);
	json_key(j, "rows");
	json_u64(j, s->rows);
	if (s->table->title_row)
		write_unusual_titles(j, s);
	else if (table_has_names(s->table) && is_referred_to(s->table))
		write_titles(j, s);
	write_columns(j, c, s);
	json_close(j, '}');
}

static bool cells_open(struct cells *c, struct packed *packed, uint32_t rows)
{
	*c = (struct cells){
		.numbers = calloc((size_t)rows + 1, sizeof(*c->numbers)),
		.sums = calloc((size_t)rows + 1, sizeof(*c->sums)),
		.fractions = calloc((size_t)rows + 1, sizeof(*c->fractions)),
		.standings = calloc((size_t)rows + 1, sizeof(*c->standings)),
		.packed = packed,
	};
	return c->numbers && c->sums && c->fractions && c->standings;
}

static void cells_close(struct cells *c)
{
	free(c->numbers);
	free(c->sums);
	free(c->fractions);
	free(c->standings);
}

static int write_table(struct json *j, struct packed *packed, const struct table *table,
		       const struct model *model)
{
	struct cells c;
	struct sheet s;
	int ret = -1;

	if (sheet_open(&s, table, model))
		return -1;
	if (cells_open(&c, packed, s.rows)) {
		write_sheet(j, &c, &s);
		ret = 0;
	}
	cells_close(&c);
	sheet_close(&s);
	return ret;
}

static int write_data(const struct model *model, struct packed *packed, FILE *file)
{
	struct json j = { .file = file };
	char summary[SUMMARY_SIZE];
	int ret = 0;

	json_open(&j, '{');
	json_member(&j, "format", FORMAT);
	write_member(&j, "version", FORMAT_VERSION);
	summary_write(model, summary);
	json_member(&j, "summary", summary);
	write_figures(&j);
	write_standings(&j);
	write_combinations(&j);
	json_key(&j, "tables");
	json_open(&j, '{');
	for (unsigned int i = 0; !ret && i < nr_tables; i++)
		ret = write_table(&j, packed, tables[i], model);
	json_close(&j, '}');
	json_key(&j, "lines");
	json_u64(&j, packed->lines);
	json_close(&j, '}');
	return ret;
}

int html_data(const struct model *model, FILE *columns, FILE *file)
{
	struct packed *packed = malloc(sizeof(*packed));
	int ret = -1;

	errno = ENOMEM;
	if (packed && !packed_open(packed, columns)) {
		ret = write_data(model, packed, file);
		if (packed_close(packed))
			ret = -1;
	}
	free(packed);
	return ret;
}
