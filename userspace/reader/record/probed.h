/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that are there to be probed: what a probe costs is measured at them, in a
 * child that knows nothing of coroprof.
 */
#ifndef COROPROF_PROBED_H
#define COROPROF_PROBED_H

#include "base/error.h"

/*
 * Places the probes by @session, which is not started yet, and has it follow the children of this
 * process.
 */
int probed_add(int session, struct error *err);

/*
 * Runs into @times probes: by turns one that switches to one of two coroutines, and one that leaves
 * it.
 */
void probed_often(unsigned int times);

/* Switches to @times coroutines for the first time, and ends them: each runs into two probes. */
void probed_born_often(unsigned int times);

#endif /* COROPROF_PROBED_H */
