// SPDX-License-Identifier: GPL-2.0
/*
 * Writes tables as JSON, a column at a time. Names of rows and standings of rows that many share
 * are written once and referred to by number.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "output/export.h"
#include "output/json.h"
#include "output/plain.h"
#include "output/standings.h"
#include "tables/summary.h"

#define FORMAT		"coroprof-tables"
/* 1 had an object for each row. */
#define FORMAT_VERSION	2
/* Of a column; counters have the names that a file says. */
#define KEY_SIZE	512

/**
 * struct writing - of tables
 * @j:     where to
 * @model: what of
 * @view:  how they are wanted
 * @named: of each of tables[]: columns refer to its rows
 */
struct writing {
	struct json j;
	const struct model *model;
	const struct view_options *view;
	bool *named;
};

static void end_line(struct json *j)
{
	fputc('\n', j->file);
}

/* ------------------------------------------------------------------------
 * what columns are
 */

static void put_words(struct json *j, const struct column *column)
{
	json_key(j, "words");
	json_open(j, '[');
	for (const char *const *word = column->words; *word; word++)
		json_string(j, *word);
	json_close(j, ']');
}

static void put_description(struct json *j, const struct sheet_column *column)
{
	json_key(j, column->name);
	json_open(j, '{');
	json_member(j, "title", column->title);
	json_member(j, "says", column->says);
	json_member(j, "kind", kind_name(column->kind));
	json_member(j, "sums", sums_name(column->is->sums));
	if (column->is->words)
		put_words(j, column->is);
	if (column->is->refers)
		json_member(j, "refers", column->is->refers);
	json_close(j, '}');
}

static void put_descriptions(struct json *j, const struct export *e)
{
	json_key(j, "about");
	json_open(j, '{');
	for (unsigned int i = 0; i < e->sheet.nr_columns; i++)
		if (e->wanted[i])
			put_description(j, &e->sheet.columns[i]);
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * cells
 */

static void put_flags(struct json *j, const struct column *column, uint64_t flags)
{
	json_open(j, '[');
	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *word = flags >> bit & 1 ? plain_word(column, bit) : NULL;

		if (word)
			json_string(j, word);
	}
	json_close(j, ']');
}

/* All of a column are of one type, or null. */
static void put_value(struct json *j, const struct sheet *sheet, unsigned int i, struct cell cell)
{
	char text[PLAIN_SIZE];

	if (!has_value(cell)) {
		json_string(j, NULL);
		return;
	}
	switch (sheet->columns[i].kind) {
	case KIND_TEXT:
	case KIND_WORD:
	case KIND_ID:
		json_string(j, plain_cell(sheet, i, cell, text));
		break;
	case KIND_FLAGS:
		put_flags(j, sheet->columns[i].is, cell.number);
		break;
	case KIND_SHARE:
	case KIND_RATIO:
		json_double(j, cell.fraction);
		break;
	default:
		json_digits(j, cell.number);
	}
}

static void put_name(struct json *j, const struct sheet *sheet, unsigned int i, struct cell cell)
{
	char text[PLAIN_SIZE];

	json_string(j, has_value(cell) ? plain_name(sheet, i, cell, text) : NULL);
}

/* ------------------------------------------------------------------------
 * columns
 */

static void open_column(struct json *j, const char *name)
{
	json_key(j, name);
	json_open(j, '[');
}

static void close_column(struct json *j)
{
	json_close(j, ']');
	end_line(j);
}

static void put_row_numbers(struct json *j, const struct export *e)
{
	open_column(j, ROW_NUMBER);
	for (uint32_t row = 0; row < e->order.nr; row++)
		json_digits(j, e->order.rows[row]);
	close_column(j);
}

static void put_column(struct json *j, const struct export *e, unsigned int i,
		       void (*put)(struct json *, const struct sheet *, unsigned int, struct cell))
{
	for (uint32_t row = 0; row < e->order.nr; row++)
		put(j, &e->sheet, i, sheet_cell(&e->sheet, e->order.rows[row], i));
	close_column(j);
}

/* Hardly two rows with a number in their names are called the same: there each name is written. */
static bool is_numbered(const struct column *column)
{
	return plain_has_names(column) && table_named(column->refers)->title_number;
}

static void put_names_beside(struct json *j, const struct export *e, unsigned int i)
{
	char key[KEY_SIZE];

	snprintf(key, sizeof(key), "%.*s" BESIDE_NAME, KEY_SIZE - 16, e->sheet.columns[i].name);
	open_column(j, key);
	put_column(j, e, i, put_name);
}

static void want_names(struct writing *w, const char *table)
{
	for (unsigned int i = 0; i < nr_tables; i++)
		w->named[i] |= tables[i] == table_named(table);
}

/* False when out of memory. */
static bool put_standing(struct json *j, const struct export *e, struct standings *s)
{
	uint32_t which;

	open_column(j, ROW_STANDING);
	for (uint32_t row = 0; row < e->order.nr; row++) {
		if (!standings_of_row(s, &e->sheet, e->order.rows[row], &which))
			return false;
		json_digits(j, which);
	}
	close_column(j);
	return true;
}

static bool put_columns(struct writing *w, const struct export *e, struct standings *s)
{
	struct json *j = &w->j;

	json_key(j, "columns");
	json_open(j, '{');
	put_row_numbers(j, e);
	for (unsigned int i = 0; i < e->sheet.nr_columns; i++) {
		const struct column *column = e->sheet.columns[i].is;

		if (!e->wanted[i])
			continue;
		open_column(j, e->sheet.columns[i].name);
		put_column(j, e, i, put_value);
		if (is_numbered(column))
			put_names_beside(j, e, i);
		else if (plain_has_names(column))
			want_names(w, column->refers);
	}
	if (s->width && !put_standing(j, e, s))
		return false;
	json_close(j, '}');
	return true;
}

static void put_standings(struct json *j, const struct export *e, const struct standings *s)
{
	json_key(j, "standings");
	json_open(j, '{');
	for (unsigned int i = 0; i < s->width; i++) {
		json_key(j, e->sheet.columns[s->columns[i]].name);
		json_open(j, '[');
		for (uint32_t which = 0; which < s->nr; which++)
			json_string(j, standing_name(standings_at(s, which, i)));
		json_close(j, ']');
	}
	json_close(j, '}');
}

/* ------------------------------------------------------------------------
 * tables
 */

static bool put_sheet(struct writing *w, const struct export *e)
{
	const struct table *table = e->sheet.table;
	struct json *j = &w->j;
	struct standings s;
	bool sound;

	if (standings_open(&s, e))
		return false;
	json_key(j, table->name);
	json_open(j, '{');
	json_member(j, "title", table->title);
	put_descriptions(j, e);
	json_key(j, "rows");
	json_digits(j, e->order.nr);
	sound = put_columns(w, e, &s);
	put_standings(j, e, &s);
	json_close(j, '}');
	end_line(j);
	standings_close(&s);
	return sound;
}

static bool is_wanted(const struct table *table, const struct view_options *view)
{
	return view->table ? table == table_named(view->table) : !table_is_timeline(table);
}

static bool put_tables(struct writing *w)
{
	bool sound = true;

	json_key(&w->j, "tables");
	json_open(&w->j, '{');
	end_line(&w->j);
	for (unsigned int i = 0; sound && i < nr_tables; i++) {
		struct export e;

		if (!is_wanted(tables[i], w->view))
			continue;
		if (export_open(&e, tables[i], w->model, w->view))
			return false;
		sound = put_sheet(w, &e);
		export_close(&e);
	}
	json_close(&w->j, '}');
	return sound;
}

static bool put_titles(struct json *j, const struct table *table, const struct model *model)
{
	char text[ROW_TITLE_SIZE];
	struct sheet sheet;

	if (sheet_open(&sheet, table, model))
		return false;
	open_column(j, table->name);
	for (uint32_t row = 0; row < sheet.rows; row++)
		json_string(j, row_title(table, model, row, text));
	close_column(j);
	sheet_close(&sheet);
	return true;
}

static bool put_names(struct writing *w)
{
	bool sound = true;

	json_key(&w->j, "names");
	json_open(&w->j, '{');
	for (unsigned int i = 0; sound && i < nr_tables; i++)
		if (w->named[i])
			sound = put_titles(&w->j, tables[i], w->model);
	json_close(&w->j, '}');
	return sound;
}

static bool put_all(struct writing *w)
{
	char summary[SUMMARY_SIZE];

	summary_write(w->model, summary);
	json_open(&w->j, '{');
	json_member(&w->j, "format", FORMAT);
	json_key(&w->j, "version");
	json_digits(&w->j, FORMAT_VERSION);
	json_member(&w->j, "summary", summary);
	if (!put_tables(w) || !put_names(w))
		return false;
	json_close(&w->j, '}');
	end_line(&w->j);
	return true;
}

int json_tables_write(const struct model *model, const struct view_options *view, FILE *file)
{
	struct writing w = {
		.j.file = file, .model = model, .view = view,
		.named = calloc(nr_tables, sizeof(*w.named)),
	};
	bool sound = w.named && put_all(&w);

	free(w.named);
	if (!sound) {
		errno = ENOMEM;
		return -1;
	}
	return ferror(file) ? -1 : 0;
}
