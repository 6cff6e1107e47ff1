/* SPDX-License-Identifier: GPL-2.0 */
/* The tables of the digest: what a recording says on one screen. */
#ifndef COROPROF_DIGEST_H
#define COROPROF_DIGEST_H

#include <stdbool.h>
#include <stdio.h>

#include "output/view-options.h"
#include "profile/model.h"

/* As wide where it is no terminal, or a wider one. */
#define DIGEST_WIDTH	100

/* True if no table, row or column is asked for. */
bool digest_wanted(const struct view_options *view);
/* Returns 0, or -1 with errno when @file could not be written. */
int digest_write(const struct model *model, const struct view_options *view, FILE *file);

#endif /* COROPROF_DIGEST_H */
