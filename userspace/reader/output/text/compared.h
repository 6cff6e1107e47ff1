/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between two recordings, as text. */
#ifndef COROPROF_COMPARED_H
#define COROPROF_COMPARED_H

#include <stdio.h>

#include "output/view-options.h"
#include "profile/model.h"

/* So many rows at most of what has no verdict. */
#define COMPARED_SPANS		10
#define COMPARED_FUNCTIONS	10
/* On one screen. */
#define COMPARED_BRIEF		15

/* Writes the digest of a comparison, below its header. Returns 0, or -1 with errno. */
int compared_write_brief(const struct model *model, const struct view_options *view, FILE *file);
int compared_write(const struct model *model, const struct view_options *view, FILE *file);

#endif /* COROPROF_COMPARED_H */
