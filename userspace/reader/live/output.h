/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a command writes while coroprof top has the terminal: the last of it is kept in memory. The
 * command never waits for it. A thread of its own gives the memory of what is older back: the one
 * that draws may be stuck, or gone before the command.
 */
#ifndef COROPROF_LIVE_OUTPUT_H
#define COROPROF_LIVE_OUTPUT_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* So much is kept. */
#define LIVE_OUTPUT_MOST	(64u * 1024)

/**
 * struct live_output - where it goes
 * @fd:      for the command
 * @gone:    what is before this is kept no more
 * @thread:  sees to that, if @started
 * @started: see there
 * @stop_fd: readable when it is to end
 */
struct live_output {
	int fd;
	uint64_t gone;
	pthread_t thread;
	bool started;
	int stop_fd;
};

/*
 * Begins to keep what the command writes. @output must not move. After a failure live_output_end()
 * is due, too.
 */
int live_output_begin(struct live_output *output, struct error *err);
/* Writes what is kept to @to, beginning with a whole line. All that comes later is kept. */
void live_output_write(struct live_output *output, int to);
void live_output_end(struct live_output *output);

#endif /* COROPROF_LIVE_OUTPUT_H */
