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

/* The sums of @count wakes: @waker is the row of a label, or MODEL_NONE. */
void wake_sum(struct build *b, uint32_t waker, uint32_t woken,
	      const struct model_wake *sums);
/* Likewise, by a coroutine that only the shard before may know, or what follows. */
void wake_sum_open(struct build *b, const struct wake *wake,
		   const struct model_wake *sums);
/* Likewise, a wake before a first slice, whose row is not settled yet. */
void wake_open_first(struct build *b, const struct wake *wake, uint32_t first);
/*
 * Sets the row of the label of a waker, MODEL_NONE for none. False if only the
 * shard before may know it, or what follows: no slice of the waker has ended yet.
 */
bool waker_label(const struct profile *p, const struct wake *wake,
		 uint32_t *label);
/* What a coroutine woke before its first slice of all had ended, of this label, is that label's. */
void wakes_settle(struct build *b, uint32_t process, uint64_t waker, uint32_t label);
/* Adds those of @from: what was open in it may be settled now. */
void wakes_merge(struct build *b, const struct profile *from,
		 const struct rows *rows);
/* Largest count first. */
void wakes_sort(struct model_wake *wakes, uint32_t nr);
/* Moves them to the model; who made the open ones is not known. */
void wakes_finish(struct build *b);

#endif /* COROPROF_PROFILE_WAKES_H */
