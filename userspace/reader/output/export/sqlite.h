/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All tables as a database of SQLite: a table for each, with the columns that its
 * description has, as in CSV. A cell without a value is NULL; where the standing of
 * cells differs, a column NAME_standing says it. Beside them:
 *
 *   header (title, text)    what the header of a text table says
 *   columns (table_name, ...)  what each column is
 *
 * The timeline, which is large, is there when it is asked for, every slice a row.
 * libsqlite3 is loaded when it is needed: what has no use for it need not have it.
 */
#ifndef COROPROF_SQLITE_H
#define COROPROF_SQLITE_H

#include <stdio.h>

#include "base/error.h"
#include "profile/model.h"

/* Fails if libsqlite3 is not installed. */
int sqlite_check(struct error *err);

/* Return 0, or -1 with errno when @file could not be written. */
int sqlite_write(const struct model *model, FILE *file);
int sqlite_write_slices(const struct model *model, FILE *file);

#endif /* COROPROF_SQLITE_H */
