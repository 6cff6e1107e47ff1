/* SPDX-License-Identifier: GPL-2.0 */
/* A table of text in columns as wide as what is in them. */
#ifndef COROPROF_TABLE_H
#define COROPROF_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#define TABLE_COLUMNS_MAX	48

struct table_column {
	char *title;
	bool left;
	size_t width;
};

/**
 * struct table - a table under way
 * @columns:       its columns
 * @nr_columns:    how many
 * @cells:         texts, row by row
 * @nr_cells:      how many
 * @out_of_memory: some are missing
 */
struct table {
	struct table_column columns[TABLE_COLUMNS_MAX];
	unsigned int nr_columns;
	char **cells;
	size_t nr_cells;
	bool out_of_memory;
};

/* Columns first, then cells, a row after the other. */
void table_column(struct table *table, const char *title, bool left);
/* Printable text; what is wider than @width_max loses its middle to "...". */
void table_cell(struct table *table, const char *text, size_t width_max);
/* Writes all, and frees it. Returns 0, or -1 with errno. */
int table_write(struct table *table, FILE *file);

#endif /* COROPROF_TABLE_H */
