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

void cell_ns(struct table *t, uint64_t ns);
/* "<=" before it if it is @at_most so. */
void cell_bound_ns(struct table *t, uint64_t ns, bool at_most);
void cell_number(struct table *t, uint64_t number);
void cell_known(struct table *t, struct model_ns ns);
/* As figure_value(), "<=" before it if it is @at_most so. */
void cell_value(struct table *t, struct model_value value, bool is_time, bool at_most);
void cell_share(struct table *t, uint64_t part, uint64_t whole);

/* Only where there are several processes. */
void column_process(struct table *t, const struct model *m);
void cell_process(struct table *t, const struct model *m, uint32_t index);

/* Only where samples were taken. */
void column_samples(struct table *t, const struct model *m);
void cell_samples(struct table *t, const struct model *m, uint64_t samples);
void cell_no_samples(struct table *t, const struct model *m);

#endif /* COROPROF_TEXT_CELLS_H */
