/* SPDX-License-Identifier: GPL-2.0 */
/* The coroutines of a shard, merged with those of the shard before it. */
#ifndef COROPROF_PROFILE_COROUTINE_MERGE_H
#define COROPROF_PROFILE_COROUTINE_MERGE_H

struct build;
struct profile;
struct rows;

/*
 * Settles the first slices of @from's coroutines, with the last slices of these in the shards
 * before.
 */
void firsts_merge(struct build *b, struct profile *from,
		  const struct rows *rows);
/*
 * Merges sums and flags of @from's coroutines, after firsts_merge(). Sets rows.entries: the row
 * that each of them has now.
 */
void coroutines_merge(struct build *b, const struct profile *from,
		      struct rows *rows);

#endif /* COROPROF_PROFILE_COROUTINE_MERGE_H */
