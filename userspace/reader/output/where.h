/* SPDX-License-Identifier: GPL-2.0 */
/* Rows that are asked for by what is in a column: a condition is COLUMN=PATTERN. */
#ifndef COROPROF_OUTPUT_WHERE_H
#define COROPROF_OUTPUT_WHERE_H

#include <stddef.h>

#include "output/look.h"
#include "tables/table.h"

/* How long the name of its column is; 0: it is no condition. */
size_t where_name(const char *where);

/* Whether it is of coroutines' tags, by which spans and samples are added up: see tagged.h. */
bool where_is_tag(const char *where);

/* Whether the sheet has the column of the condition, or is added up by it. */
bool where_applies(const char *where, const struct sheet *sheet);

/* Whether that is so of all conditions. */
bool where_has(const struct look *look, const struct sheet *sheet);

/*
 * Whether the row fits all conditions whose columns the sheet has, by its plain text,
 * as it is or as a pattern of shells: 0 is a number as any, and what has no value fits none.
 */
bool where_fits(const struct look *look, const struct sheet *sheet, uint32_t row);

#endif /* COROPROF_OUTPUT_WHERE_H */
