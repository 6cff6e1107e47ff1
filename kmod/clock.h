/* SPDX-License-Identifier: GPL-2.0 */
/* Times of a task in a time namespace, against the kernel's. */
#ifndef COROPROF_CLOCK_H
#define COROPROF_CLOCK_H

#include <linux/sched.h>
#include <linux/time64.h>
#include <linux/time_namespace.h>

/*
 * Returns what the calling task has to add to its CLOCK_MONOTONIC, which is that of its time
 * namespace, to get the kernel's, in nanoseconds. A task that exits has left its namespace.
 */
static inline s64 coroprof_clock_offset(void)
{
	struct timespec64 offset = { 0 };

	if (current->nsproxy)
		timens_add_monotonic(&offset);
	/* Not timespec64_to_ns(): old kernels compute it wrongly for a negative time. */
	return -(offset.tv_sec * NSEC_PER_SEC + offset.tv_nsec);
}

#endif /* COROPROF_CLOCK_H */
