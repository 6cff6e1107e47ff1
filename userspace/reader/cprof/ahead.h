/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unpacks segments on other processors, ahead of whoever needs them. With one
 * processor, or when no thread can be had, they are unpacked when they are
 * needed, and nothing else is different.
 */
#ifndef COROPROF_AHEAD_H
#define COROPROF_AHEAD_H

#include <stdbool.h>
#include <stddef.h>

#include "cprof/file.h"

/**
 * struct ahead_job - a segment to unpack
 * @segment: which
 * @payload: has room for it; nobody else's until ahead_wait()
 * @state:   see ahead.c
 * @failed:  it could not be unpacked; file_read() tells why
 * @next:    in the queue
 * @link:    what points to this one in the queue
 */
struct ahead_job {
	size_t segment;
	void *payload;
	int state;
	bool failed;
	struct ahead_job *next;
	struct ahead_job **link;
};

struct ahead;

/* NULL when out of memory. */
struct ahead *ahead_start(struct file *file);
/* Unpacks no more, and frees. Jobs asked for are done or will never be. */
void ahead_stop(struct ahead *ahead);

/* @job stays where it is until it was waited for. */
void ahead_ask(struct ahead *ahead, struct ahead_job *job);
void ahead_wait(struct ahead *ahead, struct ahead_job *job);

#endif /* COROPROF_AHEAD_H */
