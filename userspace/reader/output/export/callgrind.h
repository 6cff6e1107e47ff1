/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Costs of labels, spans and functions in the format of Callgrind, for
 * callgrind_annotate and KCachegrind. Its events are all weights, see weights.h; a
 * label calls its outermost spans, and the outermost functions of its samples.
 * What is called within itself is another function, name'2, as Callgrind has it:
 * its cost is in that of the outer one once.
 */
#ifndef COROPROF_CALLGRIND_H
#define COROPROF_CALLGRIND_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int callgrind_write(const struct model *model, FILE *file);

#endif /* COROPROF_CALLGRIND_H */
