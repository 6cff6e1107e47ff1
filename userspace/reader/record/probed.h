/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two functions that are there to be probed: what a probe costs is measured at them, in a
 * child that knows nothing of coroprof.
 */
#ifndef COROPROF_PROBED_H
#define COROPROF_PROBED_H

#include "base/error.h"

/* Has @session, which is not started yet, probe both, and follow the children of this process. */
int probed_add(int session, struct error *err);

/* Comes by both so often: into a coroutine and out of it. */
void probed_often(unsigned int times);

#endif /* COROPROF_PROBED_H */
