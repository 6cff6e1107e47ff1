/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wakes, as struct coroprof_wake of the ABI describes them. The slot is memory of the process,
 * which may write anything there at any time: nothing here waits for it, or believes it.
 */
#ifndef COROPROF_WAKE_H
#define COROPROF_WAKE_H

#include "../uapi/coroprof.h"
#include "compat.h"

/* By whoever can exchange both words at once: else by time and waker apart. */
static inline void coroprof_wake_put(struct coroprof_slot *slot, struct coroprof_wake wake)
{
	if (!coroprof_has_pairs()) {
		WRITE_ONCE(slot->waker, wake.waker);
		/* Pairs with the exchange in coroprof_wake_take(). */
		smp_store_release(&slot->wake_time, wake.time);
		return;
	}
	/* If others put theirs all the while, one of theirs stands for this one. */
	coroprof_exchange_pair(&slot->wake.time, &wake.time, &wake.waker);
	/* Pairs with the same exchange in coroprof_wake_take(). */
	smp_store_release(&slot->wake_time, COROPROF_WAKE_WHOLE);
}

/**
 * coroprof_wake_take() - the switch into a slot takes what was said of its becoming ready
 * @slot: whose wake_time is not 0
 * @wake: out: the wake
 *
 * Returns whether there is one.
 */
static inline bool coroprof_wake_take(struct coroprof_slot *slot, struct coroprof_wake *wake)
{
	u64 time = xchg(&slot->wake_time, 0);

	*wake = (struct coroprof_wake){ };
	if (time != COROPROF_WAKE_WHOLE) {
		wake->time = time;
		wake->waker = READ_ONCE(slot->waker);
	} else if (!coroprof_exchange_pair(&slot->wake.time, &wake->time, &wake->waker)) {
		/* Somebody is at it all the while. For the next switch. */
		WRITE_ONCE(slot->wake_time, COROPROF_WAKE_WHOLE);
		wake->time = 0;
	}
	return wake->time;
}

#endif /* COROPROF_WAKE_H */
