/* SPDX-License-Identifier: GPL-2.0 */
/* A table of text, in columns as wide as what is in them. */
#ifndef COROPROF_GRID_H
#define COROPROF_GRID_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct grid_column - a column
 * @title: what it is called
 * @left:  its cells begin there, for they are text
 * @width: of the widest
 */
struct grid_column {
	const char *title;
	bool left;
	size_t width;
};

/**
 * struct grid - a table of text under way
 * @columns:       its columns
 * @nr_columns:    how many
 * @nr_shown:      of these the first, that are written
 * @cells:         texts, row by row
 * @nr_cells:      how many
 * @width:         what is wider comes in several parts below each other, and a text that has no
 *                 room in one of its own loses its middle to "..."; 0: no limit
 * @whole:         instead, all columns are beside each other: texts give way, and where that is not
 *                 enough the last columns are not shown
 * @colored:       titles are bold
 * @out_of_memory: some are missing
 */
struct grid {
	struct grid_column *columns;
	unsigned int nr_columns;
	unsigned int nr_shown;
	char **cells;
	size_t nr_cells;
	size_t width;
	bool whole;
	bool colored;
	bool out_of_memory;
};

/* A copy, which loses its middle to "..." where it is wider; to be freed, NULL without memory. */
char *grid_cut(const char *text, size_t width_max);

/* Columns first, then cells, a row after the other. @title outlives the grid. */
void grid_column(struct grid *grid, const char *title, bool left);
/* Printable text; what is wider than @width_max loses its middle to "...". */
void grid_cell(struct grid *grid, const char *text, size_t width_max);
/* Writes all, and frees it. Returns 0, or -1 with errno. */
int grid_write(struct grid *grid, FILE *file);

#endif /* COROPROF_GRID_H */
