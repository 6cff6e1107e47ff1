/* SPDX-License-Identifier: GPL-2.0 */
/* Records into a file. */
#ifndef COROPROF_RECORD_H
#define COROPROF_RECORD_H

#include "base/error.h"
#include "record/options.h"

/**
 * struct recorded - how a recording went
 * @created:   the file was created, or emptied
 * @started:   it ran; if not, the file is of no use
 * @exec_error: errno for which the command could not be executed, or 0
 * @status:    wait status of the command, -1 when there was none
 * @processes: how many were recorded
 * @threads:   how many
 * @refused:   how many of those not, or not all of
 * @refused_processes: how many processes were not recorded, although they, or
 *             their parents, were asked for
 * @slices:    how many, lost ones included
 * @lost:      how many of those
 * @samples:   how many, lost ones included
 * @lost_samples: how many of those
 * @throttled: how often the kernel stopped sampling a thread for a while
 * @missing:   what is not recorded, and why; its code is 0 for nothing known
 * @bytes:     of the file
 */
struct recorded {
	bool created;
	bool started;
	int exec_error;
	int status;
	unsigned long processes;
	unsigned long threads;
	unsigned long refused;
	unsigned long refused_processes;
	uint64_t slices;
	uint64_t lost;
	uint64_t samples;
	uint64_t lost_samples;
	uint64_t throttled;
	struct error missing;
	uint64_t bytes;
};

/*
 * Records what @options ask for into the file at @path. When it fails although
 * it had started, the file holds what was recorded up to then.
 */
int record(const struct record_options *options, const char *path,
	   struct recorded *recorded, struct error *err);

#endif /* COROPROF_RECORD_H */
