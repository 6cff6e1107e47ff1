/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of words on a terminal: what is wider than it goes on in the next line. A number stays
 * with its unit, an option with its value, and a command to copy is never broken.
 */
#ifndef COROPROF_WRAP_H
#define COROPROF_WRAP_H

#include <stddef.h>
#include <stdio.h>

#include "output/view-options.h"

/*
 * The part before the tables. It goes on below the text, behind the titles; two columns further
 * where a title has several lines, for each of them to have a beginning that is seen.
 */
void wrap_head(char *text, const struct view_options *view, FILE *file);

/*
 * Writes whole lines that belong to no table, as fprintf() does, wrapped. Without memory they are
 * not wrapped.
 */
void wrap_note(const struct view_options *view, FILE *file, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A line of its own above a table, behind an empty one. Likewise. */
void wrap_title(const struct view_options *view, FILE *file, const char *title);

#endif /* COROPROF_WRAP_H */
