/* SPDX-License-Identifier: GPL-2.0 */
/* Who made whom ready. */
#ifndef COROPROF_PROFILE_WAKES_H
#define COROPROF_PROFILE_WAKES_H

#include <stdbool.h>
#include <stdint.h>

struct build;
struct model_wake;
struct profile;
struct rows;

/**
 * struct wake - a coroutine was made ready
 * @process: row
 * @woken:   row of its label
 * @waker:   id of the coroutine that did that, or 0
 */
struct wake {
	uint32_t process;
	uint32_t woken;
	uint64_t waker;
};

/* Adds wakes to a pair of labels. @waker: the row of a label, or MODEL_NONE. */
void wake_sum(struct build *b, uint32_t waker, uint32_t woken,
	      const struct model_wake *sums);
/* Likewise, by a coroutine whose label only a shard before may know, or what follows. */
void wake_sum_open(struct build *b, const struct wake *wake,
		   const struct model_wake *sums);
/*
 * Notes the wake before a first slice, which is not settled yet. @first: its row in profile.firsts.
 */
void wake_open_first(struct build *b, const struct wake *wake, uint32_t first);
/*
 * Sets the row of the waker's label, MODEL_NONE for none. False if only a shard before may know it,
 * or what follows: no slice of the waker has ended yet.
 */
bool waker_label(const struct profile *p, const struct wake *wake,
		 uint32_t *label);
/* Gives the open wakes that a coroutine made the label @label, which its first slice has. */
void wakes_settle(struct build *b, uint32_t process, uint64_t waker, uint32_t label);
/* Adds the wakes of @from: those that were open in it may be settled now. */
void wakes_merge(struct build *b, const struct profile *from,
		 const struct rows *rows);
/* Sorts the pairs with the most wakes first. */
void wakes_sort(struct model_wake *wakes, uint32_t nr);
/* Moves the pairs to the model. Wakes that are still open have no waker. */
void wakes_finish(struct build *b);

#endif /* COROPROF_PROFILE_WAKES_H */
