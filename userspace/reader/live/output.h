/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a command writes while coroprof top has the terminal: the last of it is kept in memory. The
 * command never waits for it.
 */
#ifndef COROPROF_LIVE_OUTPUT_H
#define COROPROF_LIVE_OUTPUT_H

#include <stdint.h>

#include "base/error.h"

/* So much is kept. */
#define LIVE_OUTPUT_MOST	(64u * 1024)

/**
 * struct live_output - where it goes
 * @fd:   for the command
 * @gone: what is before this is kept no more
 */
struct live_output {
	int fd;
	uint64_t gone;
};

int live_output_begin(struct live_output *output, struct error *err);
/* Gives the memory of what is too old back. */
void live_output_trim(struct live_output *output);
/* Writes the last of it to @to, from a line's begin on. */
void live_output_write(const struct live_output *output, int to);
void live_output_end(struct live_output *output);

#endif /* COROPROF_LIVE_OUTPUT_H */
