/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Windows of a live recording overlap: each has most of the ticks of the one before. Shards may be
 * cut anywhere, so the profile of a tick that is in both is added up once, kept, and merged into each
 * window that has it.
 *
 * A kept shard is from where the totals at the begin of a tick were taken up to where those of the
 * next one were: then it has the same records in each window that has both ticks. Those that came
 * between the begin of a tick and its totals are in segments of the tick before; these edges of a
 * window are added up anew each time, and so is what came before the totals of its first tick.
 *
 * The kernel's totals of each thread decide whether it is right. If the sums are not exactly those,
 * or if something was lost, so that what is known of one tick depends on others, all is thrown away
 * and the window is added up in one piece.
 */
#ifndef COROPROF_PROFILE_TICKS_H
#define COROPROF_PROFILE_TICKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct build;
struct ticks;

/**
 * struct tick_cut - a tick
 * @begin:   when it began: no record that ended before is of it
 * @settled: its threads' totals were taken before that: each record that ended then or later is of
 *           this tick, or of one behind it
 */
struct tick_cut {
	uint64_t begin;
	uint64_t settled;
};

/*
 * At most @most bytes of profiles are kept, and none if the rings have less than @worth bytes,
 * which are added up as fast as profiles are merged. NULL without memory.
 */
struct ticks *ticks_new(size_t most, size_t worth);
void ticks_free(struct ticks *ticks);

/*
 * Announces the next window: its @nr ticks, of which the first has the number @first, and where
 * they are cut; @cuts has one element more, for the end.
 */
void ticks_set(struct ticks *ticks, uint64_t first, const struct tick_cut *cuts, uint32_t nr);

/* The bytes of all kept profiles. */
size_t ticks_bytes(const struct ticks *ticks);
/* How many shards were used from what was kept, so far. */
uint64_t ticks_taken(const struct ticks *ticks);
/* How many shards were added up anew, so far. */
uint64_t ticks_made(const struct ticks *ticks);

/*
 * Makes build.profile of all rings, as shards_add() does, from kept profiles as far as possible.
 * False if shards_add() has to do it.
 */
bool ticks_add(struct build *b);

#endif /* COROPROF_PROFILE_TICKS_H */
