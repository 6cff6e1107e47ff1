// SPDX-License-Identifier: GPL-2.0
/*
 * One table as text: chooses columns and rows, groups rows, rounds cells and fills a grid
 * (output/text/grid.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "output/export.h"
#include "output/order.h"
#include "output/plain.h"
#include "output/where.h"
#include "output/text/grid.h"
#include "output/text/list.h"
#include "output/text/wrap.h"
#include "tables/figure.h"

#define NAME_WIDTH	40	/* on a terminal */
#define NAME_WIDTH_FILE	120
#define OTHER_WIDTH	80

/* ------------------------------------------------------------------------
 * columns
 */

bool list_is_left(const struct sheet_column *column)
{
	return column->kind == KIND_TEXT || column->kind == KIND_ROW ||
	       column->kind == KIND_WORD || column->kind == KIND_FLAGS;
}

/*
 * The number of columns that distinguish rows: up to and including the first column of text that is
 * shown.
 */
unsigned int list_names(const struct sheet *s)
{
	for (unsigned int i = 0; i < s->nr_columns; i++)
		if ((s->columns[i].shown & SHOWN_TEXT) && list_is_left(&s->columns[i]))
			return i + 1;
	return 0;
}

static bool *choose_columns(const struct sheet *s, const struct list *list,
			    const struct view_options *view)
{
	uint8_t shown = list->digest ? SHOWN_DIGEST : SHOWN_TEXT;
	bool *wanted = export_choose(s, view->columns);
	unsigned int names = list_names(s);

	for (unsigned int i = 0; wanted && i < s->nr_columns; i++)
		if (!view->columns || i < names)
			wanted[i] = s->columns[i].shown & shown;
	return wanted;
}

bool list_is_of_program(const struct sheet *sheet, uint32_t row)
{
	return sheet->model->labels[row].kind != MODEL_LABEL_TOOL;
}

bool list_wanted(const struct list *list, const struct model *m, const struct view_options *view)
{
	bool *listed, any = !view->columns;
	struct sheet s;

	if ((any && !view->nr_wheres) || sheet_open(&s, list->table, m))
		return any;
	listed = export_choose(&s, view->columns);
	for (unsigned int i = 0; listed && i < s.nr_columns; i++)
		any |= listed[i];
	any = any && where_has(view, &s);
	free(listed);
	sheet_close(&s);
	return any;
}

/* ------------------------------------------------------------------------
 * rows
 */

/**
 * struct row_group - rows that follow each other
 * @by:    sum of what they are sorted by
 * @first: of them
 * @nr:    how many
 */
struct row_group {
	uint64_t by;
	uint32_t first;
	uint32_t nr;
};

static int compare(const void *a, const void *b)
{
	const struct row_group *x = a, *y = b;

	if (x->by != y->by)
		return x->by < y->by ? 1 : -1;
	return (x->first > y->first) - (x->first < y->first);
}

static int find_column(const struct sheet *s, const char *name)
{
	return name ? sheet_find(s, name, strlen(name)) : -1;
}

static uint32_t find_groups(struct row_group *groups, const struct sheet *s,
			    const struct list *list)
{
	unsigned int group = (unsigned int)find_column(s, list->group);
	unsigned int by = (unsigned int)find_column(s, list->by);
	uint64_t before = 0;
	uint32_t nr = 0;

	for (uint32_t row = 0; row < s->rows; row++) {
		uint64_t of = sheet_cell(s, row, group).number;

		if (!row || of != before)
			groups[nr++] = (struct row_group){ .first = row };
		groups[nr - 1].by += sheet_cell(s, row, by).number;
		groups[nr - 1].nr++;
		before = of;
	}
	qsort(groups, nr, sizeof(*groups), compare);
	return nr;
}

/* The first rows of the first groups. Returns how many groups there are, or -1 without memory. */
static int64_t order_groups(struct order *order, const struct sheet *s, const struct list *list,
			    uint32_t most)
{
	struct row_group *groups = calloc((size_t)s->rows + 1, sizeof(*groups));
	uint32_t nr = groups ? find_groups(groups, s, list) : 0;

	*order = (struct order){ .rows = calloc((size_t)s->rows + 1, sizeof(*order->rows)) };
	for (uint32_t g = 0; order->rows && g < nr && g < most; g++)
		for (uint32_t i = 0; i < groups[g].nr && i < list->each; i++)
			order->rows[order->nr++] = groups[g].first + i;
	free(groups);
	return groups && order->rows ? (int64_t)nr : -1;
}

/* Returns how many rows there are, of which at most @most are in the order; -1 without memory. */
static int64_t order_wanted_rows(struct order *order, const struct sheet *s,
				 const struct list *list, const struct view_options *view,
				 uint32_t most)
{
	const char *by = order_knows(s, view->sort) ? view->sort : list->by;
	int64_t nr;

	/* Of groups the first rows are shown, which are others when some are left out. */
	if (list->group && !view->nr_wheres)
		return order_groups(order, s, list, most);
	if (order_rows(order, s, view, by, list->wanted))
		return -1;
	nr = order->nr;
	if (order->nr > most)
		order->nr = most;
	return nr;
}

/* ------------------------------------------------------------------------
 * cells
 */

static const char *cell_text(const struct sheet *s, uint32_t row, unsigned int i,
			     char text[PLAIN_SIZE])
{
	const struct sheet_column *column = &s->columns[i];
	struct cell cell;

	if (sheet_say(s, row, i, text, PLAIN_SIZE))
		return text;
	cell = sheet_cell(s, row, i);
	if (has_value(cell) && list_is_left(column))
		return plain_name(s, i, cell, text);
	figure_cell(text, column->kind, cell);
	return text;
}

/* How wide names may be: at most a third of the terminal. Other texts are cut only in excess. */
static size_t name_width(const struct view_options *view)
{
	if (!view->width)
		return NAME_WIDTH_FILE;
	return view->width < 3 * NAME_WIDTH ? view->width / 3 : NAME_WIDTH;
}

static bool is_name(const struct sheet_column *column)
{
	const char *refers = column->is->refers;

	if (column->kind == KIND_TEXT)
		return !strcmp(column->name, "name");
	return refers && (!strcmp(refers, "labels") || !strcmp(refers, "spans"));
}

/*
 * False if the row has a text in place of a name; the name of a thread that was not recorded is not
 * known.
 */
static bool has_name(const struct sheet *s, uint32_t row, unsigned int i, const char *words)
{
	return has_value(sheet_cell(s, row, i)) && (*words || strcmp(s->table->name, "threads"));
}

char *list_text(const struct sheet *s, uint32_t row, unsigned int i)
{
	char text[PLAIN_SIZE];
	const char *words = cell_text(s, row, i, text);

	return is_name(&s->columns[i]) && has_name(s, row, i, words) ? printable_name(words) :
								       strdup(words);
}

static void add_row(struct grid *g, const struct sheet *s, const bool *wanted, uint32_t row,
		    size_t width)
{
	for (unsigned int i = 0; i < s->nr_columns; i++) {
		char *text = wanted[i] ? list_text(s, row, i) : NULL;

		if (text)
			grid_cell(g, text, is_name(&s->columns[i]) ? width : OTHER_WIDTH);
		g->out_of_memory |= wanted[i] && !text;
		free(text);
	}
}

/* In a digest, a column without a figure in any row is not shown. */
static void drop_empty_columns(const struct sheet *s, const struct order *order, bool *wanted)
{
	for (unsigned int i = 0; i < s->nr_columns; i++) {
		bool any = list_is_left(&s->columns[i]) && s->columns[i].kind != KIND_ROW;

		for (uint32_t row = 0; wanted[i] && !any && row < order->nr; row++)
			any = sheet_cell(s, order->rows[row], i).standing != STANDING_NONE;
		wanted[i] &= any;
	}
}

static void add_columns(struct grid *g, const struct sheet *s, const struct list *list,
			const bool *wanted)
{
	int called = find_column(s, list->column);

	for (unsigned int i = 0; i < s->nr_columns; i++)
		if (wanted[i])
			grid_column(g, (int)i == called ? list->title : s->columns[i].title,
				    list_is_left(&s->columns[i]));
}

static int write_rows(const struct sheet *s, const struct list *list, const struct order *order,
		      const struct view_options *view, FILE *file)
{
	struct grid g = { .width = view->width, .whole = list->digest,
			  .colored = view->colored };
	size_t names = list->digest ? OTHER_WIDTH : name_width(view);
	bool *wanted = choose_columns(s, list, view);

	if (!wanted)
		return -1;
	if (list->digest)
		drop_empty_columns(s, order, wanted);
	add_columns(&g, s, list, wanted);
	for (uint32_t i = 0; i < order->nr; i++)
		add_row(&g, s, wanted, order->rows[i], names);
	free(wanted);
	return grid_write(&g, file);
}

static void write_rest(const struct list *list, const struct view_options *view, int64_t nr,
		       uint32_t most, FILE *file)
{
	const char *one = list->one ? list->one : "row", *many = list->one ? list->many : "rows";

	if (nr > most && (list->one || view->nr_wheres))
		wrap_note(view, file, "and %" PRId64 " more %s\n", nr - most,
			  nr - most == 1 ? one : many);
}

static int write_conditions(const struct view_options *view, FILE *line)
{
	for (uint32_t i = 0; i < view->nr_wheres; i++) {
		char *where = printable(view->wheres[i], strlen(view->wheres[i]));

		if (!where)
			return -1;
		fprintf(line, "%s %s", i ? "," : "", where);
		free(where);
	}
	return 0;
}

/* Writes the conditions, and @what they leave. */
int wheres_write(const char *what, const struct view_options *view, FILE *file)
{
	char *text = NULL;
	size_t size;
	FILE *line;
	int ret;

	if (!view->nr_wheres)
		return 0;
	line = open_memstream(&text, &size);
	if (!line)
		return -1;
	ret = write_conditions(view, line);
	ret |= fclose(line);
	if (!ret)
		wrap_note(view, file, "%s:%s\n", what, text);
	free(text);
	return ret;
}

/* Writes how many rows fit, if conditions exclude some: "2 of 6 rows: label=handle_*". */
static int write_how_many_fit(const struct view_options *view, int64_t nr, uint32_t of, FILE *file)
{
	char what[64];

	snprintf(what, sizeof(what), "%" PRId64 " of %" PRIu32 " row%s", nr, of,
		 of == 1 ? "" : "s");
	return wheres_write(what, view, file);
}

int list_write(const struct list *list, const struct model *m, const struct view_options *view,
	       FILE *file)
{
	uint32_t most = view->top ? view->top : list->most;
	struct order rows = { 0 };
	struct sheet s;
	int64_t nr;
	int ret = -1;

	errno = ENOMEM;
	if (sheet_open(&s, list->table, m))
		return -1;
	nr = order_wanted_rows(&rows, &s, list, view, most);
	if (nr >= 0 && !write_how_many_fit(view, nr, rows.of, file))
		ret = write_rows(&s, list, &rows, view, file);
	if (!ret)
		write_rest(list, view, nr, most, file);
	free(rows.rows);
	sheet_close(&s);
	return ret;
}
