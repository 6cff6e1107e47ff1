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
 * The bytes of all columns to one file, as text, and all else to another. Returns 0, or -1
 * with errno when out of memory.
 */
int html_data(const struct model *model, FILE *columns, FILE *file);

#endif /* COROPROF_HTML_DATA_H */
