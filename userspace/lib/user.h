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

/* Between the thread and its own signal handlers, and the kernel's interrupts. */
#define fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Have the compiler compute it once, and here: that takes fewer instructions. */
#define once(value) __asm__ volatile("" : "+r"(value))

/* Have two values that are beside each other loaded here, by one instruction. */
#define both(a, b) __asm__ volatile("" : "+r"(a), "+r"(b))

/* No slot is ever marked so. */
#define STAMP_NONE UINT64_MAX

/**
 * struct user_counter - a counter that can be read in user mode
 * @page:   of its perf event; NULL for one that is UNSUPPORTED
 * @offset: to be added to what arch_counter() gives
 * @lock:   @page->lock, which changes when anything here does
 * @number: for arch_counter()
 * @mask:   of the bits that the counter has
 * @lag:    time enabled less time running when the slice began: the same as long
 *          as the counter counts
 */
struct user_counter {
	const volatile struct perf_event_mmap_page *page;
	uint64_t offset;
	uint32_t lock;
	uint32_t number;
	uint64_t mask;
	uint64_t lag;
};

/*
 * Switches, and has the kernel do it if it can't. The caller has taken @user away
 * from @self before, so that no signal handler is at it; here it is given back.
 * @flags: COROPROF_SWITCH_*.
 */
typedef __typeof__(((struct thread *)0)->path) user_path;

/*
 * Likewise for spans. @frame: the one on top, of those that a stack has first.
 * @depth: how many there are around it.
 */
typedef __typeof__(((struct thread *)0)->begin) user_begin;
typedef __typeof__(((struct thread *)0)->end) user_end;

/**
 * struct user - a thread that switches from user mode
 *
 * In the order in which the fast case takes them, two at a time.
 *
 * @slot:       the process's slots
 * @slots:      how many; 0 in a forked child, where all of this is zero
 * @fast:      @stamp if the slice that goes on is like most: it has no details,
 *              and its slot's totals are all COUNTED; else STAMP_NONE
 * @current:    slot of the coroutine that runs
 * @open:       the open slice, in @producer
 * @at:         where the next record goes. From one call of the kernel to the
 *              next this runs on without wrapping, into the second sight of the
 *              data
 * @head:       of the ring, with the bit that names @open
 * @page:       the channel page
 * @cycles:     arch_cycles() of the moment @ns
 * @span:       so many cycles after that the clock has to be looked at again
 * @mult:       cycles to nanoseconds, times 2^32
 * @ns:         clock time of @cycles
 * @first:      first word of a record in the fast case, but for the slot
 * @last:       last word of its fixed part, but for label and flags
 * @span_first: first word of a span's record in the fast case, but for the slot
 * @producer:   the producer page of the ring
 * @stamp:      what a slot's mark has to be: the kernel knows its coroutine, in
 *              this recording. STAMP_NONE while the next switch has to be told
 * @counter:    the counters
 * @nr:         how many counters there are
 * @standing:   COROPROF_STANDING with all of them COUNTED
 * @data:       of the ring
 * @mask:       of positions in @data
 * @ring_size:  bytes of @data; 0 in a session of totals, which drops all slices
 * @fast_frame: coroprof_span_stamp() of this recording, or 0 while spans are not
 *              of the fast case
 * @room:       position up to which spans may be written, be there attention or
 *              not
 * @ring_bytes: of the mapping that starts at @producer
 * @kind:       of its counters: kind.h
 * @denied:     COROPROF_REASON_* for which the next switch leaves user mode, or 0: counters
 *              can no longer be read, or there are too few of them
 * @given:      the events are the session's: the thread may not open any
 * @entered:    when it came into user mode, 0 until its first slice there
 */
struct user {
	struct coroprof_slot *slot;
	uint64_t slots;
	uint64_t fast;
	struct coroprof_slot *current;
	struct coroprof_open_slice *open;
	char *at;
	uint64_t head;
	const volatile struct coroprof_channel_page *page;
	uint64_t cycles;
	uint64_t span;
	uint64_t mult;
	uint64_t ns;
	uint64_t first;
	uint64_t last;
	uint64_t span_first;
	volatile struct coroprof_ring_producer *producer;
	uint64_t stamp;
	struct user_counter counter[COROPROF_COUNTERS_MAX];
	uint32_t nr;
	uint32_t standing;
	char *data;
	uint64_t mask;
	size_t ring_size;
	uint64_t fast_frame;
	uint64_t room;
	size_t ring_bytes;
	uint32_t kind;
	uint32_t denied;
	bool given;
	uint64_t entered;
};

/* What the clock shows, unless it has to be looked at again. */
static inline uint64_t user_time(const struct user *user, uint64_t passed)
{
	return user->ns + (passed * user->mult >> 32);
}

/* The ring is full, and the kernel lets slices be dropped. */
static inline bool user_may_drop(const struct user *user)
{
	return user->page->drop_until != user->open->dropped;
}

/*
 * Of a slice that was dropped, with the head stored and @next open: whether the
 * kernel has ended the recording before, and the slice with it.
 */
static inline bool user_drop_late(const struct user *user, const struct coroprof_open_slice *next)
{
	return unlikely(user->page->attention) && user->page->closed != UINT64_MAX &&
	       user->page->closed_slices != next->slices;
}

static inline struct coroprof_open_slice *user_other(struct coroprof_open_slice *open)
{
	return (void *)((uintptr_t)open ^ sizeof(*open));
}

/* switch.c: by ioctl */
void coroprof_switch_told(coroprof_co to, unsigned long flags);

/* user-fast.c: the fast case (kind.h); user-general.c: any */
uint32_t coroprof_user_kind(const struct user *user);
user_path coroprof_user_path(uint32_t kind, bool full);
void coroprof_user_switch(coroprof_co to, unsigned long flags, struct user *user,
			  struct thread *self);

/* user-span.c: any; user-span-fast.c: the fast case */
bool coroprof_user_totals(struct coroprof_span *span);
bool coroprof_user_span(const struct coroprof_span *span);
void coroprof_user_span_paths(uint32_t kind);

/* span.c: of coroutines that have no stack yet; all but the fast case */
void coroprof_begin_first(uint32_t label);
void coroprof_end_first(void);
void coroprof_begin_told(uint32_t label, struct stacks *stacks);
void coroprof_end_told(struct stacks *stacks);

/* resume.c: around a call of the kernel */
unsigned long coroprof_user_hold(void);
void coroprof_user_go_on(bool nested, uint32_t number);
bool coroprof_user_pause(void);
void coroprof_user_unpause(bool nested);
void coroprof_user_clock(struct user *user, uint64_t last);

/* trap.c: when counters can no longer be read */
void coroprof_trap_catch(void);
void coroprof_user_deny(coroprof_co to, unsigned long flags, struct user *user,
			struct thread *self);

/* offer.c: into user mode and out of it */
bool coroprof_user_offer(void);
void coroprof_user_enter(void);
void coroprof_user_leave(void);
void coroprof_user_free(void);
void coroprof_user_child(void);

#endif /* COROPROF_USER_H */
