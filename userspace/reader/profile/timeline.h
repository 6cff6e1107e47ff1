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

/* A slice as a row of it. */
void timeline_row(const struct build *b, struct model_slice *row,
		  uint32_t channel, uint32_t coroutine, uint32_t label,
		  const struct record *s);
/* Adds a row, to the last one of its label in the bucket if buckets are wanted. */
void timeline_add(struct build *b, const struct model_slice *row);
/* Adds what timeline_row() makes of a slice of the coroutine at @entry. */
void timeline_slice(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s);
/* Likewise of one that goes on with a slice. */
void timeline_piece(struct build *b, uint32_t channel, uint32_t entry, uint32_t label,
		    const struct record *s);
/* One of the slices of the row goes on with one before. */
void timeline_goes_on(struct model_slice *row);
/* Slices are missing from @begin to @end. */
void timeline_lost(struct build *b, uint32_t channel, uint64_t begin,
		   uint64_t end);
/*
 * Has both shards use buckets of one size, as large as what they add up to needs at
 * least: so few rows are put together.
 */
void timeline_align(struct build *b, struct profile *next);
/* The rows of one channel, behind those there are; @from has them no more. */
void timeline_merge(struct build *b, uint32_t channel, struct profile *from,
		    const struct rows *rows);
/* Once all channels have been merged. */
void timeline_settle(struct build *b, uint64_t resolution);
/* Moves it to the model, one channel after the other, each in order of time. */
void timeline_finish(struct build *b);

#endif /* COROPROF_PROFILE_TIMELINE_H */
