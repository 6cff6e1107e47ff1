// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Coroutines that have ended, in a session of totals: before a slot is given to another
 * coroutine, what is in it is added to a slot that stands for all of that label
 * (COROPROF_ID_ENDED). Any thread may be doing so, and in a signal handler: so each
 * figure is added by itself, and none is ever taken back. What there is no memory for is
 * added nowhere; the reader sees in the sums of threads how much that is.
 */
#include <string.h>

#include "internal.h"

/*
 * Of each of the kernel's labels, for coroutines and for threads outside them: the
 * number of the entry whose slot that is, or 0. A forked child has the same entries,
 * and slots of its own for them.
 */
static uint32_t numbers[2][COROPROF_LABELS_MAX];

/* What standing, and since when, are together. */
typedef uint64_t __attribute__((may_alias)) word;

_Static_assert(offsetof(struct coroprof_slot, standing) % sizeof(word) == 0 &&
	       offsetof(struct coroprof_slot, since) ==
		       offsetof(struct coroprof_slot, standing) + sizeof(uint32_t),
	       "standing and since are one word");

static uint32_t number_of(uint32_t label, bool thread)
{
	uint32_t *where = &numbers[thread][label], number, none = 0;

	number = __atomic_load_n(where, __ATOMIC_ACQUIRE);
	if (number)
		return number;
	number = coroprof_entry_alloc_unused();
	if (!number)
		return 0;
	coroprof_entries[number].id = COROPROF_ID_ENDED | (thread ? COROPROF_ID_THREAD : 0) | label;
	if (__atomic_compare_exchange_n(where, &none, number, false, __ATOMIC_RELEASE,
					__ATOMIC_ACQUIRE))
		return number;
	coroprof_entry_free_shared(number);
	return none;
}

/* NULL: no memory for it. */
static struct coroprof_slot *slot_of(const struct coroprof_slot *from)
{
	uint32_t label = from->label, number;
	struct coroprof_slot *slot;

	if (label >= COROPROF_LABELS_MAX)
		return NULL;
	number = number_of(label, from->id & COROPROF_ID_THREAD);
	if (!number)
		return NULL;
	slot = coroprof_slot(number, &coroprof_entries[number]);
	if (slot)
		__atomic_store_n(&slot->label, label, __ATOMIC_RELAXED);
	return slot;
}

static uint32_t merge(uint32_t a, uint32_t b)
{
	uint32_t merged = 0;

	for (unsigned int i = 0; i < COROPROF_COUNTERS_MAX; i++) {
		uint32_t x = COROPROF_STANDING(a, i), y = COROPROF_STANDING(b, i);

		if (x == y)
			merged |= x << 2 * i;
		else if (x != COROPROF_STANDING_UNSUPPORTED && y != COROPROF_STANDING_UNSUPPORTED)
			merged |= COROPROF_STANDING_SCALED << 2 * i;
	}
	return merged;
}

/* Of an earlier recording the standing says nothing of this one. */
static void add_standing(struct coroprof_slot *to, const struct coroprof_slot *from)
{
	word *where = (word *)&to->standing, old, new;
	uint32_t standing;

	old = __atomic_load_n(where, __ATOMIC_RELAXED);
	do {
		standing = from->standing;
		if (old >> 32 == from->since)
			standing = merge((uint32_t)old, standing);
		new = (uint64_t)from->since << 32 | standing;
	} while (!__atomic_compare_exchange_n(where, &old, new, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

#define ADD(member) __atomic_fetch_add(&to->member, from->member, __ATOMIC_RELAXED)

static void add(struct coroprof_slot *to, const struct coroprof_slot *from)
{
	add_standing(to, from);
	ADD(running_ns);
	ADD(preempted_ns);
	ADD(blocked_ns);
	ADD(nr_preempted);
	ADD(nr_blocked);
	for (unsigned int i = 0; i < COROPROF_COUNTERS_MAX; i++) {
		ADD(count[i]);
		ADD(missing_ns[i]);
	}
	ADD(slices);
	__atomic_fetch_add(&to->tag, 1, __ATOMIC_RELAXED);
}

/* Of one that is about to be another's. What is older than the recording is no part of it. */
void coroprof_ended_add(struct coroprof_slot *slot)
{
	struct coroprof_slot *to;

	if (!slot->slices || slot->since != epoch())
		return;
	to = slot_of(slot);
	if (!to)
		return;
	add(to, slot);
	coroprof_slot_clear(slot);
	slot->since = 0;
}
