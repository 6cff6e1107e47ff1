/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A profile as pprof reads it: profile.proto, gzipped.
 *
 * It has three kinds of samples, each with sample types of its own, as what is
 * known of them is not the same. A sample is 0 in the types of the other kinds.
 *
 *  - One of each coroutine: its time by state and its counters, under its label.
 *    The sum is that of the recording.
 *  - One of each node of the call trees of spans: calls and own figures, under the
 *    label of the coroutines. The types begin with "span_".
 *  - One of each node of the forest of samples: "samples".
 *
 * Labels of a sample name the figures in it that are no plain number:
 *  scaled         it is an estimate
 *  at_least, at_most  it is known in part
 *  not_scheduled, unsupported, na  there is none: the 0 means nothing
 */
#ifndef COROPROF_PPROF_H
#define COROPROF_PPROF_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int pprof_write(const struct model *model, FILE *file);

#endif /* COROPROF_PPROF_H */
