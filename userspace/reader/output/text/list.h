/* SPDX-License-Identifier: GPL-2.0 */
/* What is common to the tables of the text output. */
#ifndef COROPROF_LIST_H
#define COROPROF_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "output/look.h"
#include "output/text/table.h"
#include "profile/model.h"

/**
 * struct list - a table, described once
 * @one:     what a row is, for "and 1 more label"; NULL: somebody else says it
 * @many:    for "and 5 more labels"
 * @most:    so many rows, unless the look says otherwise
 * @grouped: a row is several lines, and so can't be sorted by one of its cells
 * @columns: makes the columns
 * @rows:    the rows there are, with what they are sorted by; NULL: no memory
 * @cells:   of one row; names are at most @width wide
 */
struct list {
	const char *one;
	const char *many;
	uint32_t most;
	bool grouped;
	void (*columns)(struct table *t, const struct model *m);
	struct row *(*rows)(const struct model *m, uint32_t *nr);
	void (*cells)(struct table *t, const struct model *m, uint32_t row, size_t width);
};

extern const struct list list_labels, list_coroutines, list_spans, list_functions, list_threads;

/* Whether the look leaves any of it, besides names. */
bool list_wanted(const struct list *list, const struct model *m, const struct look *look);
/* Writes it, and how many rows it left out. Returns 0, or -1 with errno. */
int list_write(const struct list *list, const struct model *m, const struct look *look,
	       FILE *file);

#endif /* COROPROF_LIST_H */
