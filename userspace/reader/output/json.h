/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables as JSON, with their descriptions: an object with a member for each table, which has an
 * array for each column. What is the same in many rows is there once, and rows have its number:
 *
 *   names.TABLE[X]                what the row of TABLE is called that column X refers to
 *   standings.X[columns.standing] how far X can be relied on: see enum standing
 *
 * What is not known is null, never 0. What names something is text, as it may have more digits
 * than a double.
 */
#ifndef COROPROF_OUTPUT_JSON_H
#define COROPROF_OUTPUT_JSON_H

#include <stdio.h>

#include "output/view-options.h"
#include "profile/model.h"

/*
 * Writes the table that is asked for, or all but those of the timeline, which may have a row for
 * each slice. Returns 0, or -1 with errno when @file could not be written.
 */
int json_tables_write(const struct model *model, const struct view_options *view, FILE *file);

#endif /* COROPROF_OUTPUT_JSON_H */
