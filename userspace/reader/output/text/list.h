/* SPDX-License-Identifier: GPL-2.0 */
/* A table of the text output. */
#ifndef COROPROF_LIST_H
#define COROPROF_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "output/view-options.h"
#include "tables/table.h"

/**
 * struct list - how a table is shown
 * @table:  its description
 * @one:    what a row, or a group, is, for "and 1 more label"; NULL: somebody else
 *          says it, where no condition leaves rows out
 * @many:   for "and 5 more labels"
 * @most:   so many rows, or groups, unless the look says otherwise
 * @by:     name of the column that it is sorted by; NULL: it stays as it is
 * @wanted: whether a row is shown; NULL: all are
 * @group:  name of a column: neighbours that have the same there are a group, those
 *          with the largest sums of @by come first; NULL: there are none
 * @each:   so many rows of a group
 * @digest: its columns are those with SHOWN_DIGEST
 * @column: name of a column that is called @title where only @wanted rows are; NULL: there is none
 * @title:  see there
 */
struct list {
	const struct table *table;
	const char *one;
	const char *many;
	uint32_t most;
	const char *by;
	bool (*wanted)(const struct sheet *sheet, uint32_t row);
	const char *group;
	uint32_t each;
	bool digest;
	const char *column;
	const char *title;
};

/* True if cells of the column begin at the left, as they are text. */
bool list_is_left(const struct sheet_column *column);
/*
 * How many of the first columns distinguish rows: up to and including the first column of text that
 * is shown.
 */
unsigned int list_names(const struct sheet *sheet);
/* A cell in words: rounded, marked, or why there is no figure; to be freed, NULL without memory. */
char *list_text(const struct sheet *sheet, uint32_t row, unsigned int column);

/* False for coroprof's own label: its time is in the line on overhead. */
bool list_is_of_program(const struct sheet *sheet, uint32_t row);
/*
 * True if the table has a column that is asked for, and all conditions apply to it. False as well
 * without memory.
 */
bool list_wanted(const struct list *list, const struct model *m, const struct view_options *view);
/* Writes it, and how many rows it left out. Returns 0, or -1 with errno. */
int list_write(const struct list *list, const struct model *m, const struct view_options *view,
	       FILE *file);
/* A line of the conditions of the look, if it has any: "2 of 6 rows: tag=0, label=a". Likewise. */
int wheres_write(const char *what, const struct view_options *view, FILE *file);

#endif /* COROPROF_LIST_H */
