/* SPDX-License-Identifier: GPL-2.0 */
/* A table of text in columns as wide as what is in them. */
#ifndef COROPROF_TABLE_H
#define COROPROF_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX	48

struct table_column {
	char *title;
	bool left;
	bool hidden;
	size_t width;
};

/**
 * struct row - a row of a model's table, in an order of its own
 * @by:    what it is sorted by, the largest first; NAN: it has no such figure
 * @text:  what it is sorted by before that, as in a dictionary, or NULL
 * @index: which one
 */
struct row {
	double by;
	char *text;
	uint32_t index;
};

/**
 * struct table - a table under way
 * @columns:       its columns
 * @nr_columns:    how many
 * @at:            column of the next cell
 * @value:         of the next cell: what it is sorted by
 * @probe:         rather than keep cells, take from them what this row is sorted by
 * @sort:          column that it is sorted by then
 * @cells:         texts, row by row
 * @nr_cells:      how many
 * @width:         what is wider comes in several parts below each other; 0: no limit
 * @out_of_memory: some are missing
 */
struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	unsigned int nr_columns;
	unsigned int at;
	double value;
	struct row *probe;
	unsigned int sort;
	char **cells;
	size_t nr_cells;
	size_t width;
	bool out_of_memory;
};

/* Columns first, then cells, a row after the other. */
void table_column(struct table *table, const char *title, bool left);
/*
 * Printable text; what is wider than @width_max loses its middle to "...". Where
 * text is no figure, table.value is set first.
 */
void table_cell(struct table *table, const char *text, size_t width_max);
/* Whether column @i has that title, capitals aside and "-" for a space. */
bool table_is(const struct table *table, unsigned int i, const char *title, size_t length);
/* The first that has, or -1. */
int table_find(const struct table *table, const char *title, size_t length);
/* Writes all, and frees it. Returns 0, or -1 with errno. */
int table_write(struct table *table, FILE *file);
void table_free(struct table *table);

#endif /* COROPROF_TABLE_H */
