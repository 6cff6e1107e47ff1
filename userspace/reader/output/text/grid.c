// SPDX-License-Identifier: GPL-2.0
/*
 * Lays cells out in columns: narrows names that are too wide, and moves columns that do not fit
 * below the others.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "output/text/grid.h"
#include "output/text/paint.h"

#define CUT	"..."
/* What is left of a text that has to be narrow; before one is as narrow, the last columns go. */
#define TEXT_LEAST	24

/*
 * Returns @array with room for one more element. It has room for a power of two, so it grows when
 * @nr is one.
 */
static void *grow_array(void *array, size_t nr, size_t size)
{
	return nr & (nr - 1) ? array : reallocarray(array, nr ? 2 * nr : 1, size);
}

void grid_column(struct grid *g, const char *title, bool left)
{
	struct grid_column *columns = grow_array(g->columns, g->nr_columns, sizeof(*columns));

	if (!columns) {
		g->out_of_memory = true;
		return;
	}
	g->columns = columns;
	columns[g->nr_columns++] = (struct grid_column){
		.title = title, .left = left, .width = printable_width(title),
	};
}

/* The longest end of @text, which is @width wide, that fits into @available. */
static const char *longest_end(const char *text, size_t width, size_t available)
{
	size_t used, bytes = printable_fit(text, width - available, &used);

	/* Half of a wide character is no character. */
	if (width - used > available)
		bytes = printable_fit(text, width - available + 1, &used);
	return text + bytes;
}

/* Cuts the begin off: names that begin alike, such as paths, differ in their ends. */
char *grid_cut(const char *text, size_t width_max)
{
	size_t width = printable_width(text), available, head, used;
	char *to;

	if (width <= width_max || width_max <= strlen(CUT))
		return strdup(text);
	available = width_max - strlen(CUT);
	head = printable_fit(text, available / 3, &used);
	if (asprintf(&to, "%.*s" CUT "%s", (int)head, text,
		     longest_end(text, width, available - used)) < 0)
		return NULL;
	return to;
}

void grid_cell(struct grid *g, const char *text, size_t width_max)
{
	char **cells = grow_array(g->cells, g->nr_cells, sizeof(*cells)),
	     *copy = grid_cut(text, width_max);
	struct grid_column *column;

	if (cells)
		g->cells = cells;
	if (!cells || !copy || !g->nr_columns) {
		free(copy);
		g->out_of_memory = true;
		return;
	}
	column = &g->columns[g->nr_cells % g->nr_columns];
	if (printable_width(copy) > column->width)
		column->width = printable_width(copy);
	g->cells[g->nr_cells++] = copy;
}

/**
 * struct grid_part - columns that stand beside each other
 * @names: the first so many columns are in each part
 * @begin: the others go from here
 * @end:   to here
 */
struct grid_part {
	unsigned int names;
	unsigned int begin;
	unsigned int end;
};

static bool is_in(const struct grid_part *p, unsigned int i)
{
	return i < p->names || (i >= p->begin && i < p->end);
}

static void write_row(const struct grid *g, const struct grid_part *p, char *const *cells,
		      FILE *file)
{
	bool colored = g->colored && !cells;
	int pad, spaces = 0;

	fputs(paint(colored, PAINT_TITLE), file);
	for (unsigned int i = 0; i < g->nr_columns; i++) {
		const struct grid_column *column = &g->columns[i];
		const char *text = cells ? cells[i] : column->title;

		if (!is_in(p, i))
			continue;
		pad = (int)(column->width - printable_width(text));
		fprintf(file, "%*s%s", spaces + (column->left ? 0 : pad), "", text);
		spaces = 2 + (column->left ? pad : 0);
	}
	fprintf(file, "%s\n", paint(colored, PAINT_END));
}

/* The number of columns that distinguish rows: up to and including the first column of text. */
static unsigned int count_names(const struct grid *g)
{
	size_t width = 0;

	for (unsigned int i = 0; i < g->nr_shown; i++) {
		width += g->columns[i].width + 2;
		if (width > g->width / 2)
			return i;
		if (g->columns[i].left)
			return i + 1;
	}
	return 0;
}

static void narrow_column(struct grid *g, unsigned int i, size_t available)
{
	struct grid_column *column = &g->columns[i];

	column->width = printable_width(column->title);
	for (size_t at = i; at < g->nr_cells; at += g->nr_columns) {
		char *copy = grid_cut(g->cells[at], available);

		if (!copy) {
			g->out_of_memory = true;
			return;
		}
		free(g->cells[at]);
		g->cells[at] = copy;
		if (printable_width(copy) > column->width)
			column->width = printable_width(copy);
	}
}

/*
 * Narrows texts that would not fit even if only the columns that distinguish rows were beside them.
 */
static void narrow_too_wide(struct grid *g)
{
	unsigned int names = count_names(g);
	size_t available = g->width;

	for (unsigned int i = 0; i < names; i++)
		available -= g->columns[i].width + 2;
	for (unsigned int i = names; i < g->nr_shown; i++)
		if (g->columns[i].left && g->columns[i].width > available)
			narrow_column(g, i, available);
}

/*
 * The column of the widest text, or @g->nr_shown if there is none. @second: the width of the second
 * widest.
 */
static unsigned int find_widest_text(const struct grid *g, size_t *second)
{
	unsigned int widest = g->nr_shown;

	*second = 0;
	for (unsigned int i = 0; i < g->nr_shown; i++) {
		size_t width = g->columns[i].left ? g->columns[i].width : 0;

		if (widest != g->nr_shown && width <= g->columns[widest].width) {
			if (width > *second)
				*second = width;
		} else if (width) {
			*second = widest == g->nr_shown ? 0 : g->columns[widest].width;
			widest = i;
		}
	}
	return widest;
}

/* The width of all columns side by side; @least: with texts as narrow as they may be. */
static size_t total_width(const struct grid *g, bool least)
{
	size_t total = 0;

	for (unsigned int i = 0; i < g->nr_shown; i++) {
		const struct grid_column *column = &g->columns[i];
		size_t title = printable_width(column->title);
		size_t narrow = title > TEXT_LEAST ? title : TEXT_LEAST;

		total += (i ? 2 : 0) +
			 (least && column->left && narrow < column->width ? narrow : column->width);
	}
	return total;
}

/* Narrows the widest text until all columns fit; of texts that are as wide, the first. */
static void fit_to_width(struct grid *g)
{
	size_t before, second, total, available;
	unsigned int widest;

	while ((total = total_width(g, false)) > g->width && !g->out_of_memory) {
		widest = find_widest_text(g, &second);
		before = g->columns[widest].width;
		available = before - (total - g->width < before ? total - g->width : before);
		if (available < second && second < before)
			available = second;
		narrow_column(g, widest, available < TEXT_LEAST ? TEXT_LEAST : available);
		if (g->columns[widest].width >= before)
			return;
	}
}

/* Takes as many columns from @p->end on as fit, and one at least. */
static void next_part(const struct grid *g, struct grid_part *p)
{
	size_t width = 0;

	p->begin = p->end < p->names ? p->names : p->end;
	for (unsigned int i = 0; i < p->names; i++)
		width += g->columns[i].width + 2;
	for (p->end = p->begin; p->end < g->nr_shown; p->end++) {
		width += g->columns[p->end].width + 2;
		if (g->width && width > g->width + 2 && p->end > p->begin)
			break;
	}
}

/*
 * Writes the columns in as many parts, one below the other, as the width needs. Each begins with
 * the columns that distinguish rows.
 */
static void write_parts(const struct grid *g, FILE *file)
{
	struct grid_part p = { .names = g->width ? count_names(g) : 0 };

	do {
		next_part(g, &p);
		if (p.begin > p.names)
			fputc('\n', file);
		write_row(g, &p, NULL, file);
		for (size_t i = 0; i < g->nr_cells; i += g->nr_columns)
			write_row(g, &p, g->cells + i, file);
	} while (p.end < g->nr_shown);
}

static void grid_free(struct grid *g)
{
	for (size_t i = 0; i < g->nr_cells; i++)
		free(g->cells[i]);
	free(g->cells);
	free(g->columns);
	*g = (struct grid){ 0 };
}

int grid_write(struct grid *g, FILE *file)
{
	bool whole;

	g->nr_shown = g->nr_columns;
	if (g->width && g->whole && !g->out_of_memory) {
		while (g->nr_shown > 1 && total_width(g, true) > g->width)
			g->nr_shown--;
		fit_to_width(g);
	}
	if (g->width && !g->out_of_memory)
		narrow_too_wide(g);
	whole = !g->out_of_memory;
	if (whole)
		write_parts(g, file);
	grid_free(g);
	if (!whole)
		errno = ENOMEM;
	return whole && !ferror(file) ? 0 : -1;
}
