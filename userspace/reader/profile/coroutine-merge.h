/* SPDX-License-Identifier: GPL-2.0 */
/* The coroutines of a shard, merged with those of the shard before it. */
#ifndef COROPROF_PROFILE_COROUTINE_MERGE_H
#define COROPROF_PROFILE_COROUTINE_MERGE_H

struct build;
struct profile;
struct rows;

/* The first slices of @from: with the last ones before them. */
void firsts_merge(struct build *b, struct profile *from,
		  const struct rows *rows);
/* Then sums and flags; sets rows.entries, where each coroutine of @from is now. */
void coroutines_merge(struct build *b, const struct profile *from,
		      struct rows *rows);

#endif /* COROPROF_PROFILE_COROUTINE_MERGE_H */
