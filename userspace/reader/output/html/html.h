/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The HTML report: one page that needs nothing else. Its program and style are
 * userspace/report/template.html; the data, described in userspace/report/
 * README.md, is put into it.
 */
#ifndef COROPROF_HTML_H
#define COROPROF_HTML_H

#include <stdio.h>

struct model;

/* Returns 0, or -1 with errno when @file could not be written. */
int html_write(const struct model *model, FILE *file);

/* The page around that of each window, for coroprof serve: userspace/report/live.html. */
extern const char html_live[], html_live_end[];

#endif /* COROPROF_HTML_H */
