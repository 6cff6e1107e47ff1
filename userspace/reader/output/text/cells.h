/* SPDX-License-Identifier: GPL-2.0 */
/* Cells of the tables of the text output. */
#ifndef COROPROF_TEXT_CELLS_H
#define COROPROF_TEXT_CELLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "output/text/table.h"
#include "profile/model.h"

#define ANY_WIDTH	64

/**
 * struct row - a row of a model's table, in an order of its own
 * @by:    what it is sorted by, the largest first
 * @index: which one
 */
struct row {
	uint64_t by;
	uint32_t index;
};

void rows_sort(struct row *rows, size_t nr);

void cell_ns(struct table *t, uint64_t ns);
/* "<=" before it if it is @at_most so. */
void cell_bound_ns(struct table *t, uint64_t ns, bool at_most);
void cell_number(struct table *t, uint64_t number);
void cell_known(struct table *t, struct model_ns ns);
void cell_share(struct table *t, uint64_t part, uint64_t whole);

/* Only where there are several processes. */
void column_process(struct table *t, const struct model *m);
void cell_process(struct table *t, const struct model *m, uint32_t index);

/* Only where samples were taken. */
void column_samples(struct table *t, const struct model *m);
void cell_samples(struct table *t, const struct model *m, uint64_t samples);
void cell_no_samples(struct table *t, const struct model *m);

/* A terminal has little room; whoever reads a file can scroll. */
size_t label_width_on(FILE *file);

#endif /* COROPROF_TEXT_CELLS_H */
