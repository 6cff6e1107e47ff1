/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Texts of bytes: each deflated by itself, in base64, and one a line, in the order in which
 * they come. Other processors deflate some of them while the caller makes the next, and the
 * caller deflates whenever there is none to be made; where there is no other processor, or
 * no thread can be made, the caller does all of it. What is written is the same.
 */
#ifndef COROPROF_HTML_DEFLATER_H
#define COROPROF_HTML_DEFLATER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/util.h"

struct libdeflate_compressor;

/* So many texts are in memory at once, the one that the caller makes among them. */
#define DEFLATER_JOBS		4
/* To deflate takes less than to make what is deflated: more threads would wait. */
#define DEFLATER_HELPERS	1

/**
 * struct deflater_job - one text
 * @compressor: deflates it
 * @bytes:      what is deflated
 * @text:       base64 of that, with room for all of it before it is begun
 * @done:       it is there
 */
struct deflater_job {
	struct libdeflate_compressor *compressor;
	struct buffer bytes;
	struct buffer text;
	bool done;
};

/**
 * struct deflater - texts on their way into a file
 * @file:       where to; the caller alone writes
 * @jobs:       a ring: text N is in N modulo their number
 * @written:    so many texts are in the file
 * @lock:       of @given, @taken, @ending, and of @done of jobs
 * @change:     one of these has changed
 * @given:      so many texts are to be deflated, or have been; the next one is being made
 * @taken:      so many of them somebody has begun to deflate
 * @ending:     there will be no more
 * @helpers:    threads
 * @nr_helpers: how many there are
 * @err:        errno of what went wrong first; nothing is done then but to end
 */
struct deflater {
	FILE *file;
	struct deflater_job jobs[DEFLATER_JOBS];
	uint64_t written;
	pthread_mutex_t lock;
	pthread_cond_t change;
	uint64_t given;
	uint64_t taken;
	bool ending;
	pthread_t helpers[DEFLATER_HELPERS];
	unsigned int nr_helpers;
	int err;
};

/* Returns 0, or -1 with errno; then there is nothing to close. */
int deflater_open(struct deflater *d, FILE *file);
/* Adds bytes to the present text. */
void deflater_add(struct deflater *d, const uint8_t *bytes, size_t nr);
/* Ends the present text, and begins the next. */
void deflater_end(struct deflater *d);
/*
 * Returns 0 when all is written, with errno as it was, which may have the reason why something else
 * of the page failed; or -1 with errno if writing failed.
 */
int deflater_close(struct deflater *d);

#endif /* COROPROF_HTML_DEFLATER_H */
