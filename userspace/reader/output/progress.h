/* SPDX-License-Identifier: GPL-2.0 */
/* How far the reading of a large recording has come, on a terminal. */
#ifndef COROPROF_PROGRESS_H
#define COROPROF_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct progress - a line on standard error, written over and over
 * @begin_ns: when the reading began
 * @next_ns:  when the line is to be written again; UINT64_MAX for never
 * @shown:    there is one
 */
struct progress {
	uint64_t begin_ns;
	uint64_t next_ns;
	bool shown;
};

/*
 * Begins to show progress on standard error: nothing in the first second, and nothing if that is no
 * terminal.
 */
void progress_begin(struct progress *progress);

/* Shows that @done of @total bytes have been read. @progress: a struct progress. */
void progress_show(void *progress, uint64_t done, uint64_t total);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif /* COROPROF_PROGRESS_H */
