/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of a table in the order that is asked for. */
#ifndef COROPROF_OUTPUT_ORDER_H
#define COROPROF_OUTPUT_ORDER_H

#include "output/view-options.h"
#include "tables/table.h"

/**
 * struct order - rows of a sheet
 * @rows: their numbers; to be freed
 * @nr:   how many
 * @of:   how many there would be without conditions of what is in columns
 */
struct order {
	uint32_t *rows;
	uint32_t nr;
	uint32_t of;
};

/*
 * All rows that @view asks for and @wanted says, NULL: all, by the columns of @by, at most 4, which
 * are separated by commas: the largest first, names as in a dictionary, or, behind a "-", the other
 * way round; those without a value last. Columns that the sheet has not do not count; without any,
 * and where rows are equal, rows are as they are. Returns 0, or -1 when out of memory.
 */
int order_rows(struct order *order, const struct sheet *sheet, const struct view_options *view,
	       const char *by, bool (*wanted)(const struct sheet *sheet, uint32_t row));

/* True if the sheet has any of these columns. */
bool order_knows(const struct sheet *sheet, const char *by);

#endif /* COROPROF_OUTPUT_ORDER_H */
