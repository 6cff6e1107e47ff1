/* SPDX-License-Identifier: GPL-2.0 */
/* The entries of coroutines in a profile. */
#ifndef COROPROF_PROFILE_COROUTINES_H
#define COROPROF_PROFILE_COROUTINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/build.h"
#include "profile/sums.h"

/* The place in profile.recent_entries at which the entry of a coroutine is, if it is there. */
static inline uint32_t recent_entry(uint32_t process, uint64_t id)
{
	return ((uint32_t)id + 31 * process) % PROFILE_RECENT_ENTRIES;
}

/*
 * The entry of a coroutine that ran recently, or MODEL_NONE. A free entry has no process, so that
 * it is never found.
 */
static inline uint32_t coroutine_recent(const struct profile *p, uint32_t process,
					uint64_t id)
{
	uint32_t entry = p->recent_entries[recent_entry(process, id)];
	const struct model_coroutine *c;

	/* Before there is one, there is no array to be in. */
	if (entry >= p->nr_entries)
		return MODEL_NONE;
	c = &p->coroutines[entry];
	return c->id == id && c->process == process ? entry : MODEL_NONE;
}

static inline uint32_t coroutine_entry(const struct profile *p, const struct model_coroutine *c)
{
	return (uint32_t)(c - p->coroutines);
}

/* What the coroutine at @entry counted, a sum for each counter. */
static inline struct model_sum *coroutine_sums(const struct build *b, const struct profile *p,
					       uint32_t entry)
{
	return &p->coroutine_sums[(size_t)entry * sums_stride(b)];
}

/*
 * Allocates an entry, and lets the coroutine be found by it. It still has the content of its last
 * use. MODEL_NONE if there is no room.
 */
uint32_t coroutine_take_entry(struct build *b, uint32_t process, uint64_t id);
/*
 * Finds the entry of a coroutine, or adds one; MODEL_NONE if there is no room. The entry is a
 * recent one then.
 */
uint32_t coroutine_search(struct build *b, uint32_t process, uint64_t id);
/*
 * Prefetches the entries of the coroutines of @nr records, before these are added: of many
 * coroutines, most are in no near cache.
 */
void coroutines_fetch(const struct build *b, uint32_t process, const struct record *s,
		      uint32_t nr);
/* NULL if the coroutine has no entry. */
struct model_coroutine *coroutine_find(const struct profile *p,
				       uint32_t process, uint64_t id);
/* True if no shard before has the coroutine, not even spans of it. @c may be NULL. */
bool coroutine_is_of_shard(const struct profile *p,
			   const struct model_coroutine *c);
/*
 * Adds the times and counts of all coroutines to their labels. Slices add only to their coroutine;
 * the label gets the sums when no slice follows, or when the coroutine gives up its entry.
 */
void coroutines_settle(struct build *b);
/* Likewise, of the coroutine at @entry alone. */
void coroutine_settle(struct build *b, uint32_t entry);
/* Gives the coroutine the label @label. What it has counted by now stays with its old one. */
void coroutine_rename(struct build *b, uint32_t entry, uint32_t label);
/* Handles the end of a coroutine: an entry without a row is freed. */
void coroutine_end(struct build *b, struct model_coroutine *c);
/* The row of a coroutine in the table, or MODEL_NONE if it has none. */
uint32_t coroutine_row(const struct build *b, const struct model_coroutine *c);
/* Likewise, of the coroutine at @entry; MODEL_NONE if @entry is. */
uint32_t coroutine_row_at(const struct build *b, uint32_t entry);

/*
 * The row that the coroutine at @entry has in the finished table, or MODEL_NONE if the table has no
 * room for it.
 */
static inline uint32_t coroutine_in_table(const struct build *b, uint32_t entry)
{
	return entry < b->options.coroutines ? entry : MODEL_NONE;
}

/* Moves the table of coroutines to the model, as many as it has room for. */
void coroutines_finish(struct build *b);

#endif /* COROPROF_PROFILE_COROUTINES_H */
