/* SPDX-License-Identifier: GPL-2.0 */
/* The timeline: slices one by one, or those of one label in a bucket as one row. */
#ifndef COROPROF_PROFILE_TIMELINE_H
#define COROPROF_PROFILE_TIMELINE_H

#include <stdint.h>

struct build;
struct model_slice;
struct profile;
struct record;
struct rows;

/* So many shards are added up at once, at most. */
#define SHARDS_MAX	8u

/**
 * struct row_counts - rows of the timeline that shards have which are added up at once
 * @nr:   shards
 * @published: of each, by its own thread: so many rows at least it adds to the timeline
 *        in buckets of some size or smaller ones, and in the lowest ROW_COUNTS_BITS
 *        which: the n of its 2^n nanoseconds
 *
 * It is of whoever made the shards, and lasts as long as their threads. A shard's
 * thread alone stores its element; all load all of them, without a lock, and in no
 * order: each says something of its own, and what was so once stays so.
 */
struct row_counts {
	uint32_t nr;
	uint64_t published[SHARDS_MAX];
};

#define ROW_COUNTS_BITS	6

/* Makes a row of one slice. */
void timeline_row(const struct build *b, struct model_slice *row,
		  uint32_t channel, uint32_t coroutine, uint32_t label,
		  const struct record *s);
/* Adds a row; in buckets, to the last row of its label in the bucket. */
void timeline_add(struct build *b, const struct model_slice *row);
/* Adds a slice of the coroutine at @entry. */
void timeline_slice(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s);
/* Adds a further piece of a slice, which counts as no slice of its own. */
void timeline_piece(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s);
/* Marks that one slice of the row is a further piece of a slice before. */
void timeline_goes_on(struct model_slice *row);
/* Adds a row for slices that are missing between two times. */
void timeline_lost(struct build *b, uint32_t channel, uint64_t begin,
		   uint64_t end);
/*
 * Gives two shards, before they are merged, buckets of one size in which few enough rows are left
 * together.
 */
void timeline_align(struct build *b, struct profile *next);
/* Appends the rows of one channel of @from, which has them no more. */
void timeline_merge(struct build *b, uint32_t channel, struct profile *from,
		    const struct rows *rows);
/* Chooses the size of buckets, once all channels are merged. */
void timeline_settle(struct build *b, uint64_t resolution);
/* Moves the timeline to the model, one channel after the other, each in order of time. */
void timeline_finish(struct build *b);

#endif /* COROPROF_PROFILE_TIMELINE_H */
