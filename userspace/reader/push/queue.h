/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests that were not delivered yet, the oldest first: in a folder, where they survive this
 * process, or in memory. Both are bounded; where there is no room the oldest goes, and is counted.
 * What the disk does not take stays in memory.
 *
 * A request is a file: a line of struct queue_counts and of when it came, and the body. Its name is its
 * number, so that no clock decides about the order, and it appears whole or not at all.
 *
 * Its age is by CLOCK_BOOTTIME, which nobody sets. A request of an earlier boot is as old as it was when
 * the last one of that boot came, and older by the time since this boot: how long the machine was off is
 * not in it.
 */
#ifndef COROPROF_QUEUE_H
#define COROPROF_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/util.h"

#define QUEUE_BYTES		(64ull << 20)
#define QUEUE_MEMORY		(4ull << 20)
#define QUEUE_AGE_NS		(24 * 3600 * SECOND_NS)
/* Of the id of a boot, with its NUL. */
#define QUEUE_BOOT		37u

/**
 * struct queue_counts - of requests
 * @requests: lost ones
 * @points:   in these
 * @rejected: that the receiver did not take of others
 * @unsent_ns: time of the recording of which there is nothing
 *
 * Of a request in the queue: what it says of others, and is lost with it. Sums that are cumulative
 * say it again.
 */
struct queue_counts {
	uint64_t requests;
	uint64_t points;
	uint64_t rejected;
	uint64_t unsent_ns;
};

/**
 * struct queue_entry - a request
 * @number: of its file
 * @size:   of its body, in bytes
 * @points: in it
 * @says:   of others
 * @since:  when it came, by CLOCK_BOOTTIME; below 0: before this boot
 * @boot:   while files are read: in which boot it came, see there
 * @body:   in memory; NULL: it is in its file
 */
struct queue_entry {
	uint64_t number;
	size_t size;
	uint64_t points;
	struct queue_counts says;
	int64_t since;
	char boot[QUEUE_BOOT];
	void *body;
};

/**
 * struct queue - see above
 * @folder:  descriptor of it, locked; -1: there is none
 * @path:    of it
 * @most:    so many bytes in it
 * @most_in_memory: likewise
 * @age_ns:  a request that is older goes
 * @entries: in order
 * @nr:      how many
 * @number:  of the last one
 * @bytes:   in files
 * @in_memory: likewise
 * @held:    the first is being sent, and stays
 * @lost:    since somebody asked, with what those have said
 * @gone:    all that were lost
 * @disk:    the disk does not take what is to be written: it was said
 * @crowded: there was no room: it was said
 * @boot:    the id of this boot
 * @dumps:   these are, and have a file elsewhere
 */
struct queue {
	int folder;
	const char *path;
	uint64_t most;
	uint64_t most_in_memory;
	uint64_t age_ns;
	struct queue_entry *entries;
	size_t nr;
	uint64_t number;
	uint64_t bytes;
	uint64_t in_memory;
	bool held;
	struct queue_counts lost;
	struct queue_counts gone;
	bool disk;
	bool crowded;
	char boot[QUEUE_BOOT];
	bool dumps;
};

/* @path: NULL: in memory. Made if it is not there. What is in it is to be sent first. */
int queue_begin(struct queue *queue, const char *path, uint64_t most, uint64_t age_ns,
		struct error *err);
/* What is in memory alone is lost. */
void queue_end(struct queue *queue);

/* Behind all others. Takes @body, of malloc(). */
void queue_add(struct queue *queue, void *body, size_t size, uint64_t points,
	       const struct queue_counts *says);

/* There was no memory for one. */
void queue_miss(struct queue *queue, uint64_t points);

/*
 * The first, to be sent: its body, which is the caller's, and stays in the queue until queue_drop(),
 * or queue_keep(). NULL: there is none.
 */
void *queue_first(struct queue *queue, size_t *size);
/* @lost: it will never be delivered. */
void queue_drop(struct queue *queue, bool lost);
void queue_keep(struct queue *queue);

/* What was lost since the last call, and is to be said. */
struct queue_counts queue_lost(struct queue *queue);
/* Writes what is in memory into the folder, if there is one. */
void queue_flush(struct queue *queue);
/* How many requests there are in memory, or else in files, and points in them. */
struct queue_counts queue_left(const struct queue *queue, bool in_memory);

#endif /* COROPROF_QUEUE_H */
