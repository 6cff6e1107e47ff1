/* SPDX-License-Identifier: GPL-2.0 */
/* What of a table goes into a file: the columns and rows that were asked for. */
#ifndef COROPROF_OUTPUT_EXPORT_H
#define COROPROF_OUTPUT_EXPORT_H

#include "base/error.h"
#include "output/view-options.h"
#include "output/order.h"
#include "tables/table.h"

/*
 * The table for an output that needs one, if none was asked for: labels; of a comparison, changes
 * or slow.
 */
const struct table *export_table(const struct model *model);

/**
 * struct export - a table on its way into a file
 * @sheet:  the table
 * @wanted: of its columns
 * @order:  its rows
 */
struct export {
	struct sheet sheet;
	bool *wanted;
	struct order order;
};

/*
 * Which columns of the sheet a list names; with NULL, all. The caller frees it; NULL without
 * memory.
 */
bool *export_choose(const struct sheet *sheet, const char *list);

/* Returns 0, or -1 when out of memory; then there is nothing to close. */
int export_open(struct export *e, const struct table *table, const struct model *model,
		const struct view_options *view);
void export_close(struct export *e);

/* Fails unless each column that is asked for is in one of the tables. */
int export_check(const struct model *model, const struct view_options *view,
		 const struct table *const *of, unsigned int nr, struct error *err);

#endif /* COROPROF_OUTPUT_EXPORT_H */
