/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stacks in the form that tools for flame graphs read: a line for each,
 * "label;outer;inner COUNT".
 */
#ifndef COROPROF_FOLDED_H
#define COROPROF_FOLDED_H

#include <stdio.h>

#include "base/error.h"
#include "profile/model.h"

/* Fails if there is no such weight, see output/export/weights.h; NULL stands for "samples". */
int folded_check(const struct model *model, const char *weight, struct error *err);

/* Returns 0, or -1 with errno when @file could not be written. */
int folded_write(const struct model *model, const char *weight, FILE *file);

#endif /* COROPROF_FOLDED_H */
