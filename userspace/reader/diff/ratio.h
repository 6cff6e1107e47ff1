/* SPDX-License-Identifier: GPL-2.0 */
/* What recordings are compared by: columns, divided by others, and how far that goes. */
#ifndef COROPROF_RATIO_H
#define COROPROF_RATIO_H

#include "tables/table.h"

#define RATIO_NAME	160

/**
 * struct ratio - a column of a sheet, and what it is divided by
 * @over:  column, -1: the sheet has none of this name
 * @under: column, -1: nothing
 */
struct ratio {
	int over;
	int under;
};

/* "instructions/slice" in @capacity; @whole: "instructions/coroutine". */
const char *ratio_name(const struct sheet *sheet, unsigned int column, bool whole,
		       char text[RATIO_NAME]);

/* Whether it is compared; @whole: for each coroutine that was seen from begin to end. */
bool ratio_is(const struct sheet *sheet, unsigned int column, bool whole);

/* As in @of, whose @column is compared. @whole: with nothing that it is divided by. */
struct ratio ratio_find(const struct sheet *in, const struct sheet *of, unsigned int column,
			bool whole);

/* Of some rows together; @value without what it is of is one row's, or n/a. */
struct model_side ratio_of(const struct sheet *sheet, struct ratio ratio, const uint32_t *rows,
			   uint32_t nr);

#endif /* COROPROF_RATIO_H */
