/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trace as Perfetto reads it: ui.perfetto.dev, trace_processor.
 *
 * Each thread has a track of its slices, named by their labels, with arguments: the
 * coroutine, its times, its counters. Each coroutine has one, too, of the threads
 * that it ran on; a flow leads there from the wake that made it ready, on the track of
 * the coroutine, or thread, that did it. Counters have a track for each thread: what was counted so
 * far, never scaled. Samples are those of perf: on their thread, with the functions that were
 * on the stack, all of them or none, as in the timeline. What the header of a table says
 * are arguments of the one slice of the track "coroprof".
 */
#ifndef COROPROF_PERFETTO_H
#define COROPROF_PERFETTO_H

#include <stdio.h>

#include "profile/model.h"

/* Returns 0, or -1 with errno when @file could not be written. */
int perfetto_write(const struct model *model, FILE *file);

#endif /* COROPROF_PERFETTO_H */
