/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Samples in the form that tools for flame graphs read: a line for each call
 * chain, "label;outer;inner COUNT".
 */
#ifndef COROPROF_FOLDED_H
#define COROPROF_FOLDED_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int folded_write(const struct model *model, FILE *file);

#endif /* COROPROF_FOLDED_H */
