/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Wakes in slots, as struct coroprof_wake of <coroprof/uapi.h> describes them. */
#ifndef COROPROF_WAKE_H
#define COROPROF_WAKE_H

#include "arch.h"
#include "internal.h"

/* Whether the module takes wakes in one piece. */
static inline bool wakes_are_whole(void)
{
	return ARCH_HAS_PAIRS &&
	       __atomic_load_n(&coroprof_page_kernel->flags, __ATOMIC_RELAXED) &
	       COROPROF_PROCESS_WAKES;
}

static inline struct coroprof_wake wake_exchange(struct coroprof_slot *slot,
						 struct coroprof_wake wake)
{
	uint64_t time = wake.time, waker = wake.waker;

	arch_exchange_pair(&slot->wake.time, &time, &waker);
	return (struct coroprof_wake){ .time = time, .waker = waker };
}

/* What was in the slot and no switch has taken is gone: this wake stands for it. */
static inline void wake_put(struct coroprof_slot *slot, struct coroprof_wake wake)
{
	if (wakes_are_whole()) {
		wake_exchange(slot, wake);
		wake.time = COROPROF_WAKE_WHOLE;
	} else {
		__atomic_store_n(&slot->waker, wake.waker, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&slot->wake_time, wake.time, __ATOMIC_RELEASE);
}

/* Of a slot with COROPROF_WAKE_WHOLE in wake_time. */
static inline struct coroprof_wake wake_take_whole(struct coroprof_slot *slot)
{
	__atomic_store_n(&slot->wake_time, 0, __ATOMIC_RELAXED);
	return wake_exchange(slot, (struct coroprof_wake){ 0 });
}

/* The wake that a switch into the slot takes; its time is 0 if there is none. */
static inline struct coroprof_wake wake_take(struct coroprof_slot *slot)
{
	struct coroprof_wake wake = { 0 };

	if (likely(!__atomic_load_n(&slot->wake_time, __ATOMIC_RELAXED)))
		return wake;
	wake.time = __atomic_exchange_n(&slot->wake_time, 0, __ATOMIC_ACQ_REL);
	if (wake.time == COROPROF_WAKE_WHOLE)
		return wake_exchange(slot, (struct coroprof_wake){ 0 });
	wake.waker = __atomic_load_n(&slot->waker, __ATOMIC_RELAXED);
	return wake;
}

/*
 * A wake that was taken for a switch that has come to nothing: the next one takes it. Of a later
 * one that has come meanwhile nothing is lost: that goes on to stand for both.
 */
static inline void wake_give_back(struct coroprof_slot *slot, struct coroprof_wake wake)
{
	struct coroprof_wake found;
	__u64 none = 0;

	if (!wake.time)
		return;
	if (!wakes_are_whole()) {
		__atomic_store_n(&slot->waker, wake.waker, __ATOMIC_RELAXED);
		__atomic_compare_exchange_n(&slot->wake_time, &none, wake.time, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
		return;
	}
	while ((found = wake_exchange(slot, wake)).time > wake.time)
		wake = found;
	__atomic_store_n(&slot->wake_time, COROPROF_WAKE_WHOLE, __ATOMIC_RELEASE);
}

#endif /* COROPROF_WAKE_H */
