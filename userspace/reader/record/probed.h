/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that are there to be probed: what a probe costs is measured at them, in a
 * child that knows nothing of coroprof.
 */
#ifndef COROPROF_PROBED_H
#define COROPROF_PROBED_H

#include "base/error.h"

/* Has @session, which is not started yet, probe them, and follow the children of this process. */
int probed_add(int session, struct error *err);

/* Comes by a probe so often: by turns into one of two coroutines, and out of it. */
void probed_often(unsigned int times);

/* So many coroutines are switched to for the first time, and end: each comes by two probes. */
void probed_born_often(unsigned int times);

#endif /* COROPROF_PROBED_H */
