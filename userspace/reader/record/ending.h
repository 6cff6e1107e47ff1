/* SPDX-License-Identifier: GPL-2.0 */
/* When a recording is over. */
#ifndef COROPROF_ENDING_H
#define COROPROF_ENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "record/launch.h"
#include "record/options.h"
#include "record/processes.h"
#include "record/signals.h"
#include "record/targets.h"

/**
 * struct ending - what decides it
 * @options:    what was asked for
 * @signals:    requests to stop
 * @targets:    processes that were named
 * @launch:     the command, if there is one
 * @processes:  processes being recorded
 * @deadline:   when the duration is over, 0 for never
 * @ended_at:   when the command was seen to have ended
 * @reported:   somebody was warned that it has, and that the recording goes on
 */
struct ending {
	const struct record_options *options;
	const struct signals *signals;
	const struct targets *targets;
	const struct launch *launch;
	struct processes *processes;
	uint64_t deadline;
	uint64_t ended_at;
	bool reported;
};

/* Called when the recording has started. */
void ending_begin(struct ending *ending);

bool ending_reached(struct ending *ending);

/* The longest time in ms to wait for an event. */
int ending_timeout_ms(const struct ending *ending);

/* Waits for the command after the recording has ended, and passes signals on to it. */
void ending_wait(struct ending *ending, struct launch *launch,
		 struct signals *signals);

#endif /* COROPROF_ENDING_H */
