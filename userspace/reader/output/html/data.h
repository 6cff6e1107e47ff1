/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The data of the page: every table with its description, and its columns as
 * bytes; how figures are rounded, and what standings are called. The form is
 * described in userspace/report/README.md.
 */
#ifndef COROPROF_HTML_DATA_H
#define COROPROF_HTML_DATA_H

#include <stdio.h>

#include "profile/model.h"

/*
 * Writes the bytes of all columns as text to @columns, and all else to @file. Returns 0, or -1 with
 * errno.
 */
int html_data(const struct model *model, FILE *columns, FILE *file);

#endif /* COROPROF_HTML_DATA_H */
