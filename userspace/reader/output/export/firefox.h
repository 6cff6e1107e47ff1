/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The Firefox Profiler's own format, processed, of a version that it still takes.
 *
 *  - A thread for each recorded one: a sample and a marker for each slice. A sample's
 *    stack is the label, its weight the running time, so that what is selected in time
 *    has a call tree; a marker has all that is known of the slice.
 *  - A thread for each weight (weights.h) in a process of its own: a sample for each
 *    stack, one after the other, for when they were is not known.
 */
#ifndef COROPROF_FIREFOX_H
#define COROPROF_FIREFOX_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno. */
int firefox_write(const struct model *model, FILE *file);

#endif /* COROPROF_FIREFOX_H */
