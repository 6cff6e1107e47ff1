/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is worth a look in a recording, in words. A finding says what was counted and
 * what follows from it, no more: its figures are those of the tables. First comes what
 * takes most of the CPU time, if it is a quarter of it; the others are in the order of the
 * harm done: by the longest time that one slice, or one wait, took.
 */
#ifndef COROPROF_TABLES_FINDINGS_H
#define COROPROF_TABLES_FINDINGS_H

#include "profile/model.h"

enum finding {
	FINDING_BLOCKING,	/* a label's coroutines sleep in the kernel */
	FINDING_HOLDING,	/* slices hold their thread for long */
	FINDING_STARVING,	/* others that are ready wait for a label's slices */
	FINDING_QUEUE,		/* there are more coroutines ready than run */
	FINDING_IPC,		/* a label runs slower than others */
	FINDING_MOVES,		/* a label's coroutines go from thread to thread */
	FINDING_PROBES,		/* much of what a label ran is the probes' */
	FINDING_RUNNING,	/* a label takes most of the CPU time */
	FINDING_REQUEST,	/* the program asked for what was written */
};

/* Adds findings to a model, once all recordings are in it. Returns 0, or -1 when out of memory. */
int findings_make(struct model *model);

#endif /* COROPROF_TABLES_FINDINGS_H */
