/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slices of threads in the Trace Event Format of Chrome, which many viewers read.
 * What the header of a table says is in otherData, and in the arguments of a slice of
 * its own, for some viewers show nothing else.
 */
#ifndef COROPROF_CHROME_H
#define COROPROF_CHROME_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int chrome_write(const struct model *model, FILE *file);

#endif /* COROPROF_CHROME_H */
