/* SPDX-License-Identifier: GPL-2.0 */
/* Wakes in one piece, as struct coroprof_wake says, by nobody's code but this. */
#ifndef _WAKE_H
#define _WAKE_H

#include "call.h"
#include <stdbool.h>

static inline struct coroprof_wake wake_exchange(struct coroprof_slot *slot,
						 struct coroprof_wake wake)
{
	struct coroprof_wake was;
#if defined(__x86_64__)
	was = slot->wake;
	__asm__ volatile("1: lock cmpxchg16b %2\n\tjne 1b"
			 : "+a"(was.time), "+d"(was.waker), "+m"(slot->wake)
			 : "b"(wake.time), "c"(wake.waker) : "memory", "cc");
#else
	int failed;

	__asm__ volatile("1: ldaxp %0, %1, %3\n\tstlxp %w2, %4, %5, %3\n\tcbnz %w2, 1b"
			 : "=&r"(was.time), "=&r"(was.waker), "=&r"(failed), "+Q"(slot->wake)
			 : "r"(wake.time), "r"(wake.waker) : "memory");
#endif
	return was;
}

/* Returns the wake that this one stands for as well; its time is 0 if there was none. */
static inline struct coroprof_wake wake_put(struct coroprof_slot *slot, struct coroprof_wake wake)
{
	struct coroprof_wake was = wake_exchange(slot, wake);

	__atomic_store_n(&slot->wake_time, COROPROF_WAKE_WHOLE, __ATOMIC_RELEASE);
	return was;
}

/* As the switch into the slot does it. */
static inline struct coroprof_wake wake_take(struct coroprof_slot *slot)
{
	struct coroprof_wake wake = { .time = __atomic_exchange_n(&slot->wake_time, 0,
								  __ATOMIC_ACQ_REL) };

	if (wake.time == COROPROF_WAKE_WHOLE)
		return wake_exchange(slot, (struct coroprof_wake){ 0 });
	if (wake.time)
		wake.waker = slot->waker;
	return wake;
}

#endif /* _WAKE_H */
