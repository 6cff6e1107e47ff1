/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One table as comma-separated values (RFC 4180): a line of names, then a line
 * for each row. Beside what the table is described to have
 *
 *   row          number of the row, which columns of other tables refer to
 *   X_name       what the row that X refers to is called
 *   X_standing   how far X can be relied on: see enum standing
 *
 * What is not known is empty, never 0.
 */
#ifndef COROPROF_OUTPUT_CSV_H
#define COROPROF_OUTPUT_CSV_H

#include <stdio.h>

#include "output/view-options.h"
#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int csv_write(const struct model *model, const struct view_options *view, FILE *file);

#endif /* COROPROF_OUTPUT_CSV_H */
