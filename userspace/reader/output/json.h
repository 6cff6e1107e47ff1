/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables as JSON, with their descriptions: an object with a member for each
 * table. Its rows are objects with the members that csv.h names; what is not
 * known is null, never 0.
 */
#ifndef COROPROF_OUTPUT_JSON_H
#define COROPROF_OUTPUT_JSON_H

#include <stdio.h>

#include "output/look.h"
#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int json_tables_write(const struct model *model, const struct look *look, FILE *file);

#endif /* COROPROF_OUTPUT_JSON_H */
