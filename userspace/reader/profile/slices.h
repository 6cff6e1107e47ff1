/* SPDX-License-Identifier: GPL-2.0 */
/* What a slice adds to. */
#ifndef COROPROF_PROFILE_SLICES_H
#define COROPROF_PROFILE_SLICES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

struct build;

/*
 * Its counters are those of the model, in the same order, and all are COUNTED but for
 * those that are nowhere.
 */
static inline bool slice_is_counted(const struct profile_channel *c, const struct record *s)
{
	return (s->standing & c->standing_mask) == c->standing;
}

/*
 * The slice @s, and those that follow it in order of time without another record
 * between them, up to @end, or up to the first that ended at @until or later: to all
 * but the sums of their channel. Returns the record behind them.
 */
const struct record *slices_add(struct build *b, uint32_t channel,
				const struct record *s, const struct record *end,
				uint64_t until);
/* To those: the slices among the records from @s up to @end, in any order. */
void channel_add(struct build *b, uint32_t channel, const struct record *s,
		 const struct record *end);
/* No slice follows in the shard: labels have all of their sums. */
void slices_end(struct build *b);
/* A LOST record: slices, spans or both are missing up to its time. */
void slice_lost(struct build *b, uint32_t channel,
		const struct record *lost);
/* Something could not be read: nobody knows where the next slice begins. */
void channel_interrupt(struct build *b, uint32_t channel);

/* Sums of channels, and what came first in each of @from. */
void channels_merge(struct build *b, struct profile *from,
		    const struct rows *rows);

#endif /* COROPROF_PROFILE_SLICES_H */
