/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Switches from user mode: the protocol is in the ABI (<coroprof/uapi.h>,
 * "Switching from user mode"), and this is the thread's side of it.
 *
 * here.own is the thread's memory for it, NULL before the first time. here.user is
 * the same while the thread may switch so and nobody is at it; whoever starts
 * takes it away, so that a signal handler that comes in between finds none.
 */
#ifndef COROPROF_USER_H
#define COROPROF_USER_H

#include <linux/perf_event.h>

#include "arch.h"
#include "internal.h"

/**
 * struct user_counter - a counter that can be read in user mode
 * @page:   of its perf event
 * @lock:   @page->lock, which changes when anything below does
 * @number: for arch_counter()
 * @offset: to be added to what that gives
 * @mask:   of the bits that the counter has
 */
struct user_counter {
	const volatile struct perf_event_mmap_page *page;
	uint32_t lock;
	uint32_t number;
	uint64_t offset;
	uint64_t mask;
};

/**
 * struct user - a thread that switches from user mode
 * @slots:      coroprof_process_slots(), at hand; 0 in a forked child, where all
 *              of this is zero
 * @stamp:      what a slot's mark has to be: the kernel knows its coroutine, in
 *              this recording. 0 while the next switch has to be told
 * @slot:       the process's slots
 * @page:       the channel page
 * @current:    slot of the coroutine that runs
 * @open:       its open slice, in @producer
 * @position:   of the ring
 * @data:       of the ring
 * @mask:       of positions in @data
 * @cycles:     arch_cycles() of the moment @ns
 * @span:       so many cycles after that the clock has to be looked at again
 * @mult:       cycles to nanoseconds
 * @shift:      likewise
 * @ns:         clock time of @cycles
 * @header:     type and size of a record with nothing but counts
 * @size:       that size
 * @nr:         how many counters there are
 * @standing:   COROPROF_STANDING with all of them COUNTED
 * @unsupported: bit n: there is no counter n
 * @counter:    the counters
 * @producer:   the producer page of the ring
 * @ring_bytes: of the mapping that starts there
 */
struct user {
	uint64_t slots;
	uint64_t stamp;
	struct coroprof_slot *slot;
	const volatile struct coroprof_channel_page *page;
	struct coroprof_slot *current;
	struct coroprof_open_slice *open;
	uint64_t position;
	char *data;
	uint64_t mask;
	uint64_t cycles;
	uint64_t span;
	uint64_t mult;
	uint64_t shift;
	uint64_t ns;
	uint32_t header;
	uint32_t size;
	uint32_t nr;
	uint32_t standing;
	uint32_t unsupported;
	struct user_counter counter[COROPROF_COUNTERS_MAX];
	volatile struct coroprof_ring_producer *producer;
	size_t ring_bytes;
};

/* user.c */
bool coroprof_user_switch(coroprof_co to, uint32_t flags);
unsigned long coroprof_user_hold(void);
void coroprof_user_go_on(bool nested, uint32_t number);
void coroprof_user_clock(struct user *user);

/* offer.c */
void coroprof_user_offer(void);
void coroprof_user_enter(void);
void coroprof_user_leave(void);
void coroprof_user_free(void);
void coroprof_user_child(void);

#endif /* COROPROF_USER_H */
