/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Coroutines that have not ended, as slices say: who created them, and what their labels are.
 * When only the last seconds of slices are kept, the first slice of a coroutine, which alone says
 * so, may be gone while the coroutine lives.
 *
 * Each slice is of a tick: a number. One that has ended is kept as long as slices of the tick in
 * which it did.
 */
#ifndef COROPROF_LIVING_H
#define COROPROF_LIVING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/util.h"

/* Slots that follow each other are of different lines. */
#define LIVING_RECENT	1024u

/**
 * struct living_recent - what a slot had when it was looked at last
 * @id:  the coroutine, of which there is one in a process
 * @key: the process, and in the lower half the label
 */
struct living_recent {
	uint64_t id;
	uint64_t key;
};

struct living_coroutine;

/**
 * struct living - coroutines
 * @rows:     those that live, and free ones
 * @nr_rows:  how many
 * @free:     the first free one; UINT32_MAX: there is none
 * @index:    (slot, process) to row
 * @ended:    those that have ended, by tick
 * @nr_ended: how many
 * @most:     no more than so many are followed
 * @left_out: so many slices were of others
 * @recent:   the same as in @rows, at hand
 */
struct living {
	struct living_coroutine *rows;
	uint32_t nr_rows;
	uint32_t free;
	struct index index;
	struct living_coroutine *ended;
	size_t nr_ended;
	size_t most;
	uint64_t left_out;
	struct living_recent recent[LIVING_RECENT];
};

/* @bytes: about the most memory to use. */
void living_begin(struct living *living, size_t bytes);

/* Handles the slices in @size bytes of whole records of a ring. */
void living_look(struct living *living, uint32_t process_id, uint64_t tick,
		 const void *records, size_t size);

/* Drops coroutines that ended before tick @first, as no slices of it are kept any more. */
void living_forget(struct living *living, uint64_t first);

/* Drops the coroutines of processes that are gone. */
void living_sift(struct living *living, bool (*is_gone)(void *context, uint32_t process_id),
		 void *context);

/*
 * Fills @payload with those of the process that began before tick @first, and did not end before it,
 * as CPROF_SEGMENT_COROUTINES; from *@place on, which begins with 0, as many as fit. False: there
 * are no more.
 */
bool living_describe(const struct living *living, uint32_t process_id, uint64_t first,
		     size_t *place, struct buffer *payload, struct error *err);

size_t living_bytes(const struct living *living);
void living_free(struct living *living);

#endif /* COROPROF_LIVING_H */
