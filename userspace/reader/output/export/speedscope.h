/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graphs as speedscope.app reads them: a profile for each weight, see
 * weights.h, named by it, and by its standing.
 */
#ifndef COROPROF_SPEEDSCOPE_H
#define COROPROF_SPEEDSCOPE_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int speedscope_write(const struct model *model, FILE *file);

#endif /* COROPROF_SPEEDSCOPE_H */
