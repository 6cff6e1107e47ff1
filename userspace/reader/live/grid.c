// SPDX-License-Identifier: GPL-2.0
/*
 * Draws some rows of a table on a canvas: chooses columns and their widths, and adds the bars that
 * columns' descriptions ask for. Cells are those of the tables of text.
 */
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/util.h"
#include "live/bar.h"
#include "live/grid.h"
#include "live/layout.h"
#include "output/export.h"
#include "output/text/grid.h"
#include "output/text/list.h"
#include "tables/metric.h"

#define NAME_WIDTH	40u
#define OTHER_WIDTH	48u
#define BAR_WIDTH	8u
_Static_assert(BAR_WIDTH >= TREND_WINDOWS, "each window has a column");

/* Where the time of slices went, of those columns that there are. */
static const struct {
	const char *column;
	enum style style;
	const char *sign;
} states[] = {
	{ "running", STYLE_RUNNING, "\u2588" },
	{ "preempted", STYLE_PREEMPTED, "\u2592" },
	{ "blocked", STYLE_BLOCKED, "\u2591" },
};

enum what {
	WHAT_CELL,
	WHAT_SHARE,	/* a cell's fraction as a bar */
	WHAT_STATES,
	WHAT_TREND,
};

/**
 * struct shown_column - a column on the canvas
 * @what:   enum what
 * @column: of the sheet
 * @title:  of it
 * @left:   its cells begin there
 * @cells:  of WHAT_CELL: a text for each row
 */
struct shown_column {
	enum what what;
	unsigned int column;
	const char *title;
	bool left;
	char **cells;
};

/**
 * struct drawing - a grid being drawn
 * @columns: what may be shown, and @layout: how
 * @nr:      how many
 */
struct drawing {
	const struct live_grid *grid;
	struct shown_column *columns;
	struct layout_column *layout;
	unsigned int nr;
	bool out_of_memory;
};

static int find_column(const struct sheet *s, const char *name)
{
	return name ? sheet_find(s, name, strlen(name)) : -1;
}

/* ---- which columns */

/* True if no row has a figure in the column, or could have one. */
static bool is_empty(const struct live_grid *g, unsigned int column)
{
	for (uint32_t i = 0; i < g->nr; i++)
		if (sheet_cell(g->sheet, g->rows[i], column).standing != STANDING_NONE)
			return false;
	return true;
}

/*
 * False if a metric is made of a column that is not shown to anybody: it would be about something
 * else than the rows.
 */
static bool has_shown_operands(const struct sheet *s, const struct sheet_column *c)
{
	for (unsigned int i = 0; i < c->metric->nr; i++)
		if (c->metric->steps[i].does == 'c' && !s->columns[c->operands[i]].shown)
			return false;
	return true;
}

static enum layout_rank column_rank(const struct live_grid *g, unsigned int i, const bool *wanted)
{
	const struct sheet_column *c = &g->sheet->columns[i];

	if (i < list_names(g->sheet))
		return c->shown & SHOWN_TEXT ? LAYOUT_NAME : LAYOUT_NOT;
	if (!wanted[i] || is_empty(g, i) || (c->metric && !has_shown_operands(g->sheet, c)))
		return LAYOUT_NOT;
	if ((int)i == find_column(g->sheet, g->sorted))
		return LAYOUT_SORTED;
	if (c->shown & SHOWN_DIGEST || c->metric || g->columns)
		return LAYOUT_DIGEST;
	return c->shown & SHOWN_TEXT ? LAYOUT_TEXT : c->shown & SHOWN_PAGE ? LAYOUT_PAGE : LAYOUT_NOT;
}

static void add_column(struct drawing *d, struct shown_column column, struct layout_column layout)
{
	if (!array_grow(&d->columns, d->nr, sizeof(*d->columns)) ||
	    !array_grow(&d->layout, d->nr, sizeof(*d->layout))) {
		d->out_of_memory = true;
		return;
	}
	d->columns[d->nr] = column;
	d->layout[d->nr++] = layout;
}

static void add_cells(struct drawing *d, unsigned int i, enum layout_rank rank)
{
	const struct live_grid *g = d->grid;
	const struct sheet_column *c = &g->sheet->columns[i];
	struct shown_column column = {
		.what = WHAT_CELL, .column = i, .title = c->title, .left = list_is_left(c),
		.cells = calloc((size_t)g->nr + 1, sizeof(char *)),
	};
	size_t width = printable_width(c->title) + (rank == LAYOUT_SORTED);

	d->out_of_memory |= !column.cells;
	for (uint32_t row = 0; column.cells && row < g->nr; row++) {
		char *text = list_text(g->sheet, g->rows[row], i);

		column.cells[row] = text ? grid_cut(text, rank == LAYOUT_NAME ? NAME_WIDTH : OTHER_WIDTH) : NULL;
		free(text);
		d->out_of_memory |= !column.cells[row];
		if (column.cells[row] && printable_width(column.cells[row]) > width)
			width = printable_width(column.cells[row]);
	}
	add_column(d, column, (struct layout_column){ .rank = rank, .width = (unsigned int)width });
}

static void add_bar(struct drawing *d, enum what what, unsigned int column, const char *title,
		    enum layout_rank rank)
{
	size_t width = printable_width(title);

	add_column(d,
		   (struct shown_column){
			   .what = what, .column = column, .title = title, .left = true },
		   (struct layout_column){ .rank = rank,
					   .width = width > BAR_WIDTH ? (unsigned int)width :
									BAR_WIDTH });
}

static enum layout_rank rank_of_trend(const struct live_grid *g)
{
	return g->sorted && !strcmp(g->sorted, TREND_NAME) ? LAYOUT_SORTED : LAYOUT_TEXT;
}

static bool has_states(const struct sheet *s)
{
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		if (find_column(s, states[i].column) < 0)
			return false;
	return true;
}

/* Adds the columns of the sheet that are wanted, and bars beside those that have one. */
static void add_columns(struct drawing *d)
{
	const struct live_grid *g = d->grid;
	bool *wanted = export_choose(g->sheet, g->columns);
	bool names = true;

	d->out_of_memory |= !wanted;
	for (unsigned int i = 0; wanted && i < g->sheet->nr_columns; i++) {
		enum layout_rank rank = column_rank(g, i, wanted);
		const struct sheet_column *c = &g->sheet->columns[i];

		if (names && has_states(g->sheet) && i >= list_names(g->sheet) && rank != LAYOUT_NOT) {
			add_bar(d, WHAT_STATES, 0, "states", LAYOUT_DIGEST);
			names = false;
		}
		if (rank == LAYOUT_NOT)
			continue;
		add_cells(d, i, rank);
		if (c->is->bar)
			add_bar(d, WHAT_SHARE, i, c->is->bar, LAYOUT_DIGEST);
		if (c->is->bar && g->trend)
			add_bar(d, WHAT_TREND, i, TREND_NAME, rank_of_trend(g));
	}
	free(wanted);
}

/* ---- drawing */

/* Draws nothing for a cell without a value. */
static void draw_share(const struct drawing *d, struct canvas *c, unsigned int at, unsigned int i,
		       uint32_t row, enum style style)
{
	struct cell cell = sheet_cell(d->grid->sheet, d->grid->rows[row], d->columns[i].column);
	char bar[BAR_SIZE];

	bar_share(bar, has_value(cell) ? cell.fraction : 0, BAR_WIDTH);
	canvas_put(c, at, style == STYLE_PLAIN ? STYLE_RUNNING : style, bar);
}

static void draw_trend(const struct drawing *d, struct canvas *c, unsigned int at, uint32_t row,
		       enum style style)
{
	char bars[BAR_SIZE];

	trend_bars(d->grid->trend, d->grid->sheet->model, d->grid->rows[row], bars);
	canvas_put(c, at, style == STYLE_PLAIN ? STYLE_RUNNING : style, bars);
}

static void draw_states(const struct drawing *d, struct canvas *c, unsigned int at, uint32_t row,
			enum style style)
{
	unsigned int columns[ARRAY_SIZE(states)];
	uint64_t parts[ARRAY_SIZE(states)];

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		struct cell cell =
			sheet_cell(d->grid->sheet, d->grid->rows[row],
				   (unsigned int)find_column(d->grid->sheet, states[i].column));

		parts[i] = has_value(cell) ? cell.number : 0;
	}
	bar_parts(columns, parts, ARRAY_SIZE(states), BAR_WIDTH);
	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		for (unsigned int n = 0; n < columns[i]; n++)
			canvas_put(c, at, style == STYLE_PLAIN ? states[i].style : style, states[i].sign);
}

static void draw_text(struct canvas *c, unsigned int at, const char *text, bool left,
		      unsigned int width, enum style style)
{
	unsigned int end = c->rows[at].end + width;
	char *cut = grid_cut(text, width);

	if (cut && !left)
		canvas_fill(c, at, style, end - (unsigned int)printable_width(cut));
	if (cut)
		canvas_put(c, at, style, cut);
	free(cut);
}

static void draw_title(const struct drawing *d, struct canvas *c, unsigned int at, unsigned int i)
{
	bool sorted = d->layout[i].rank == LAYOUT_SORTED;
	char title[128];

	snprintf(title, sizeof(title), "%s%s", d->columns[i].title, sorted ? "\u2193" : "");
	draw_text(c, at, title, d->columns[i].left, d->layout[i].width, STYLE_TITLE);
}

/* @row: a row of the grid, or GRID_NO_ROW for the titles. */
static void draw_row(const struct drawing *d, struct canvas *c, unsigned int at, uint32_t row)
{
	enum style style = row == GRID_NO_ROW ? STYLE_TITLE :
			   row == d->grid->selected ? STYLE_SELECTED : STYLE_PLAIN;
	unsigned int end = 0;

	if (at >= c->height)
		return;
	for (unsigned int i = 0; i < d->nr; i++) {
		if (!d->layout[i].shown)
			continue;
		canvas_fill(c, at, style, end ? end + LAYOUT_GAP : 0);
		end = c->rows[at].end + d->layout[i].width;
		if (row == GRID_NO_ROW)
			draw_title(d, c, at, i);
		else if (d->columns[i].what == WHAT_SHARE)
			draw_share(d, c, at, i, row, style);
		else if (d->columns[i].what == WHAT_STATES)
			draw_states(d, c, at, row, style);
		else if (d->columns[i].what == WHAT_TREND)
			draw_trend(d, c, at, row, style);
		else
			draw_text(c, at, d->columns[i].cells[row], d->columns[i].left,
				  d->layout[i].width, style);
		canvas_fill(c, at, style, end);
	}
	if (style == STYLE_SELECTED)
		canvas_fill(c, at, style, c->width);
}

static void drawing_free(struct drawing *d)
{
	for (unsigned int i = 0; i < d->nr; i++) {
		for (uint32_t row = 0; d->columns[i].cells && row < d->grid->nr; row++)
			free(d->columns[i].cells[row]);
		free(d->columns[i].cells);
	}
	free(d->columns);
	free(d->layout);
}

void live_grid_draw(const struct live_grid *g, struct canvas *c, unsigned int row)
{
	struct drawing d = { .grid = g };

	add_columns(&d);
	if (!d.out_of_memory && !c->out_of_memory) {
		layout_fit(d.layout, d.nr, c->width);
		draw_row(&d, c, row, GRID_NO_ROW);
		for (uint32_t i = 0; i < g->nr; i++)
			draw_row(&d, c, row + 1 + i, i);
	}
	c->out_of_memory |= d.out_of_memory;
	drawing_free(&d);
}
