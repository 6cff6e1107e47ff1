/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Switches from user mode. The ABI (<coroprof/uapi.h>, "Switching from user mode") has the
 * protocol; this is the thread's side of it.
 *
 * this_thread.own is the thread's memory for it, NULL before the first time. this_thread.user is
 * the same pointer while the thread may switch from user mode and no function is using it. A
 * function that uses it sets this_thread.user to NULL first, so that a signal handler that
 * interrupts the function finds none.
 */
#ifndef COROPROF_USER_H
#define COROPROF_USER_H

#include <linux/perf_event.h>

#include "arch.h"
#include "internal.h"

/* Orders memory accesses for the thread's own signal handlers and for interrupts on its CPU. */
#define fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* Makes the compiler compute a value once, at this place: that takes fewer instructions. */
#define once(value) __asm__ volatile("" : "+r"(value))

/* Makes the compiler load two neighbouring values at this place, by one instruction. */
#define both(a, b) __asm__ volatile("" : "+r"(a), "+r"(b))

/* A mark that no slot ever has. */
#define STAMP_NONE UINT64_MAX

/**
 * struct user_counter - a counter that user mode can read
 * @page:   the page of its perf event; NULL for a counter that is UNSUPPORTED
 * @offset: to be added to what arch_counter() returns
 * @lock:   @page->lock, which changes when anything in the page changes
 * @number: what arch_counter() is to read
 * @mask:   the bits that the counter has
 * @lag:    time enabled less time running when the slice began; it stays the same as long as
 *          the counter counts
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
 * Switches; calls the kernel if that is not possible from user mode. The caller has set
 * @self->user to NULL before, so that no signal handler uses @user; this function sets it
 * back. @flags: COROPROF_SWITCH_*.
 */
typedef __typeof__(((struct thread *)0)->path) user_path;

/*
 * The same for spans. @frame: the innermost one, among the first frames of the stack.
 * @depth: how many spans there are around it.
 */
typedef __typeof__(((struct thread *)0)->begin) user_begin;
typedef __typeof__(((struct thread *)0)->end) user_end;

/**
 * struct user - a thread that switches from user mode
 *
 * The members are in the order in which the fast case takes them, two at a time.
 *
 * @slot:       the process's slots
 * @slots:      how many; 0 in a forked child, where all members are zero
 * @fast:       @stamp, if the slice that goes on can end in the fast case: it has no details,
 *              and all totals of its slot are COUNTED; else STAMP_NONE
 * @current:    slot of the coroutine that runs
 * @open:       the open slice, in @producer
 * @at:         where the next record goes. Between two calls of the kernel it does not wrap:
 *              it goes on into the second mapping of the data
 * @head:       of the ring, with the bit that names @open
 * @page:       the channel page
 * @cycles:     arch_cycles() at the time @ns
 * @span:       so many cycles later the clock has to be read again
 * @mult:       nanoseconds per cycle, times 2^32
 * @ns:         time of the clock at @cycles
 * @first:      first word of a record in the fast case, without the slot
 * @last:       last word of its fixed part, without label and flags
 * @span_first: first word of a span's record in the fast case, without the slot
 * @producer:   the producer page of the ring
 * @stamp:      the mark of a slot whose coroutine the kernel knows, in this recording.
 *              STAMP_NONE while the next switch must call the kernel
 * @counter:    the counters
 * @nr:         how many counters there are
 * @standing:   COROPROF_STANDING with all of them COUNTED
 * @data:       of the ring
 * @mask:       makes a position an offset in @data
 * @ring_size:  bytes of @data; 0 in a session of totals, which drops all slices
 * @fast_frame: coroprof_span_stamp() of this recording; 0 while no span is in the fast case
 * @room:       position up to which spans may be written, whatever attention says
 * @ring_bytes: bytes of the mapping that starts at @producer
 * @kind:       the kind of its counters (kind.h)
 * @denied:     COROPROF_REASON_* for which the next switch leaves user mode, or 0: counters
 *              can no longer be read, or there are too few of them
 * @given:      the session has opened the events, because the thread may not
 * @entered:    when it came into user mode; 0 until its first slice there
 * @words:      bit n: counter n is the program's own. There is a fast case only if it is the
 *              last one
 * @word:       what these count
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
	uint32_t words;
	const uint64_t *word;
};

/* What the program's own counter reads. A signal handler may be adding to it. */
static inline uint64_t user_word(const struct user *user)
{
	return __atomic_load_n(user->word, __ATOMIC_RELAXED);
}

static inline bool user_is_word(const struct user *user, uint32_t i)
{
	return user->words >> i & 1;
}

/* The time @passed cycles after @user->cycles; right for at most @user->span cycles. */
static inline uint64_t user_time(const struct user *user, uint64_t passed)
{
	return user->ns + (passed * user->mult >> 32);
}

/*
 * The time as the thread's slices have it, without a call. Returns false if the clock has to be read.
 * A signal handler that switches meanwhile may have read it: then the cycles are others, too.
 */
static inline bool user_now(const struct user *user, __u64 *now)
{
	uint64_t cycles = user->cycles, passed = arch_cycles() - cycles;

	*now = user_time(user, passed);
	fence();
	return passed <= user->span && user->cycles == cycles;
}

/* Whether the kernel permits that slices are dropped because the ring is full. */
static inline bool user_may_drop(const struct user *user)
{
	return user->page->drop_until != user->open->dropped;
}

/*
 * After a slice was dropped, the head is stored and @next is open: whether the kernel had
 * ended the recording, and so that slice, before.
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
void coroprof_switch_ioctl(coroprof_co to, unsigned long flags);

/* user-fast.c: the fast case (kind.h); user-general.c: any */
uint32_t coroprof_user_kind(const struct user *user);
user_path coroprof_user_path(uint32_t kind, bool full);
void coroprof_user_switch(coroprof_co to, unsigned long flags, struct user *user,
			  struct thread *self);
void coroprof_user_switch_late(coroprof_co to, unsigned long flags, struct user *user,
			       struct thread *self, struct coroprof_wake wake);

/* user-span.c: any; user-span-fast.c: the fast case */
bool coroprof_user_totals(struct coroprof_span *span);
bool coroprof_user_span(const struct coroprof_span *span);
void coroprof_user_span_paths(uint32_t kind);

/* span.c: of coroutines that have no stack yet; all but the fast case */
void coroprof_begin_first(uint32_t label);
void coroprof_end_first(void);
void coroprof_begin_general(uint32_t label, struct stacks *stacks);
void coroprof_end_general(struct stacks *stacks);

/* resume.c: around a call of the kernel */
unsigned long coroprof_user_hold(void);
void coroprof_user_go_on(bool nested, uint32_t number);
bool coroprof_user_pause(void);
void coroprof_user_unpause(bool nested);
void coroprof_user_clock(struct user *user, uint64_t last);

/* trap.c: when counters can no longer be read */
void coroprof_trap_catch(void);
void coroprof_trap_child(void);
void coroprof_user_deny(coroprof_co to, unsigned long flags, struct user *user,
			struct thread *self);

/* user-mode.c: into user mode and out of it */
bool coroprof_user_delegate(bool *taken);
void coroprof_user_enter(void);
void coroprof_user_leave(void);
void coroprof_user_free(void);
void coroprof_user_child(void);

#endif /* COROPROF_USER_H */
