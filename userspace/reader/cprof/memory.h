/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A recording in memory: pieces, one behind the other. Records that are kept for long, and are in
 * many recordings, are not copied: these refer to them, and hold what they are in. Written by one
 * thread; then read, and freed, by any.
 */
#ifndef COROPROF_MEMORY_H
#define COROPROF_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct memory;

/**
 * struct memory_share - within what several recordings refer to
 * @users: recordings, and who made it; it goes with the last
 * @free:  gives it back, in the thread of that
 */
struct memory_share {
	atomic_uint users;
	void (*free)(struct memory_share *share);
};

void memory_leave(struct memory_share *share);

/* NULL: out of memory. */
struct memory *memory_new(void);
void memory_free(struct memory *memory);

/* A copy of @data becomes its end. */
int memory_append(struct memory *memory, const void *data, size_t size, struct error *err);
/* @data itself does, which does not change, and is in @share; NULL: it stays as long as @memory does. */
int memory_refer(struct memory *memory, struct memory_share *share, const void *data, size_t size,
		 struct error *err);

uint64_t memory_size(const struct memory *memory);
/* Of that, copies. */
uint64_t memory_copied(const struct memory *memory);
/* Copies up to @size bytes from @offset on, and returns how many there were. */
size_t memory_read(const struct memory *memory, uint64_t offset, void *to, size_t size);

#endif /* COROPROF_MEMORY_H */
