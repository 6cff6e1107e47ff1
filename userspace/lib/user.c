// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The switch without a system call. It reads counters and clock, writes the
 * record, and makes all of that valid by one store, the new head: whenever the
 * kernel looks, it finds the slice ended or going on, and nothing in between.
 * What is out of the ordinary is left to the kernel.
 */
#include <time.h>

#include "user.h"

#define fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* No slot is ever marked so. */
#define STAMP_NONE UINT64_MAX

static uint64_t clock_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/*
 * The cycles are read last, so that what is computed from them is rather behind
 * the clock than ahead of it.
 */
__attribute__((noinline)) void coroprof_user_clock(struct user *user)
{
	user->ns = clock_now();
	user->cycles = arch_cycles();
}

static inline uint64_t now_after(struct user *user, uint64_t began)
{
	uint64_t passed = arch_cycles() - user->cycles;
	uint64_t now;

	if (unlikely(passed > user->span)) {
		coroprof_user_clock(user);
		passed = 0;
	}
	now = user->ns + (passed * user->mult >> user->shift);
	return now > began ? now : began;
}

/* The details a slice has at its beginning: what of them follows its counts. */
static uint32_t details_size(uint32_t flags)
{
	return (flags & COROPROF_SLICE_FRESH ? sizeof(struct coroprof_slice_fresh) : 0) +
	       (flags & COROPROF_SLICE_WOKEN ? sizeof(struct coroprof_slice_woken) : 0);
}

static void put_details(void *to, const struct coroprof_open_slice *open,
			const struct coroprof_slot *slot)
{
	if (open->flags & COROPROF_SLICE_FRESH) {
		struct coroprof_slice_fresh *fresh = to;

		fresh->parent = slot->parent;
		fresh->user = slot->user;
		to = fresh + 1;
	}
	if (open->flags & COROPROF_SLICE_WOKEN) {
		struct coroprof_slice_woken *woken = to;

		woken->wake_time = open->wake_time;
		woken->waker = open->waker;
	}
}

/* Returns false if it was disturbed since the slice began. */
static inline bool count(const struct user_counter *counter, uint64_t was, uint64_t *delta)
{
	uint64_t raw;

	if (unlikely(!counter->page)) {
		*delta = 0;
		return true;
	}
	raw = arch_counter(counter->number);
	*delta = (raw + counter->offset - was) & counter->mask;
	return likely(counter->page->lock == counter->lock);
}

static inline void begin(struct coroprof_open_slice *open, struct coroprof_slot *slot, uint64_t now)
{
	uint64_t wake_time = __atomic_load_n(&slot->wake_time, __ATOMIC_RELAXED);

	open->began = now;
	open->flags = 0;
	if (unlikely(wake_time)) {
		open->wake_time = wake_time;
		open->waker = __atomic_load_n(&slot->waker, __ATOMIC_RELAXED);
		open->flags = COROPROF_SLICE_WOKEN;
	}
}

/*
 * The kernel has ended the recording meanwhile, and the slice with it. If that
 * was because of a signal handler that switched, there is no user mode any more.
 */
static bool closed(const struct user *user, uint64_t position)
{
	return unlikely(user->page->attention) && user->page->closed < position;
}

/* With a constant @nr all counters are at hand. */
static inline __attribute__((always_inline)) bool
end_and_begin(struct user *user, struct coroprof_slot *slot, uint32_t number, uint32_t flags,
	      const uint32_t nr)
{
	struct coroprof_open_slice *open = user->open;
	struct coroprof_open_slice *next = (void *)((uintptr_t)open ^ sizeof(*open));
	struct coroprof_slot *left = user->current;
	uint64_t position = user->position, delta[COROPROF_COUNTERS_MAX], now, duration;
	struct coroprof_record_slice *record = (void *)(user->data + (position & user->mask));
	uint64_t *counts = (uint64_t *)(record + 1);
	uint32_t size = user->size, header = user->header;

	if (unlikely(left->standing != user->standing)) {
		if (left->slices)
			return false;
		left->standing = user->standing;
	}
	if (unlikely(open->flags)) {
		size += details_size(open->flags);
		header += details_size(open->flags) << 16;
		flags |= open->flags;
	}
	position += size;
	if (unlikely(position > user->page->until))
		return false;

	now = now_after(user, open->began);
	for (uint32_t i = 0; i < nr; i++) {
		if (!count(&user->counter[i], open->count[i], &delta[i]))
			return false;
		counts[i] = delta[i];
		next->count[i] = open->count[i] + delta[i];
	}
	if (unlikely(user->page->attention))
		return false;

	duration = now - open->began;
	*(uint64_t *)record = header | (uint64_t)open->slot << 32;
	record->time = now;
	record->duration = duration;
	record->id = left->id;
	record->label = left->label;
	record->flags = flags;
	record->standing = user->standing;
	if (unlikely(open->flags))
		put_details(counts + nr, open, left);

	begin(next, slot, now);
	next->slot = number;
	next->slices = open->slices + 1;
	__atomic_store_n(&user->producer->head,
			 position + ((uintptr_t)next / sizeof(*next) & 1), __ATOMIC_RELEASE);
	fence();
	if (closed(user, position))
		return false;

	left->slices++;
	left->running_ns += duration;
	for (uint32_t i = 0; i < nr; i++)
		left->count[i] += delta[i];
	if (unlikely(flags & COROPROF_SLICE_END))
		left->mark[0] = 0;
	if (unlikely(next->flags))
		__atomic_store_n(&slot->wake_time, 0, __ATOMIC_RELAXED);

	user->open = next;
	user->position = position;
	user->current = slot;
	return true;
}

static inline bool switch_slots(struct user *user, struct coroprof_slot *slot, uint32_t number,
				uint32_t flags)
{
	switch (user->nr) {
	case 2:
		return end_and_begin(user, slot, number, flags, 2);
	case 3:
		return end_and_begin(user, slot, number, flags, 3);
	default:
		return end_and_begin(user, slot, number, flags, user->nr);
	}
}

/* Returns false, with nothing done, when the switch has to be told. */
bool coroprof_user_switch(coroprof_co to, uint32_t flags)
{
	struct user *user = here.user;
	uint32_t number = to ? to : here.slot;
	struct coroprof_slot *slot;
	bool done;

	if (unlikely(!user) || unlikely(number >= user->slots))
		return false;
	slot = &user->slot[number];
	/* To itself: the totals would be at stake if the kernel ended the recording. */
	if (unlikely(slot->mark[0] != user->stamp) || unlikely(slot == user->current) ||
	    unlikely(user->page->attention))
		return false;

	here.user = NULL;
	fence();
	done = switch_slots(user, slot, number, flags);
	fence();
	if (likely(done))
		here.current = to;
	if (likely(here.user_mode))
		here.user = user;
	return done;
}

/* ---- around a call of the kernel */

static void note_locks(struct user *user)
{
	for (uint32_t i = 0; i < user->nr; i++) {
		if (user->counter[i].page)
			user->counter[i].lock = user->counter[i].page->lock;
	}
}

/*
 * The lock that was noted before the kernel began the slice must still be the
 * one: then what is read here holds since the slice began.
 */
static bool take_counter(struct user_counter *counter)
{
	uint32_t lock = counter->lock, index;

	if (!counter->page)
		return true;
	fence();
	index = counter->page->index;
	counter->offset = counter->page->offset;
	fence();
	counter->number = index - 1;
	return index && !(lock & 1) && counter->page->lock == lock &&
	       counter->number <= ARCH_COUNTER_MAX;
}

/*
 * Go on from where the kernel has left off. The stamp comes first: a signal
 * handler that switches meanwhile takes it back.
 */
static void resume(struct user *user)
{
	bool undisturbed = true;
	uint64_t head;

	user->stamp = here.synced;
	fence();
	head = user->producer->head;
	user->open = (struct coroprof_open_slice *)&user->producer->open[head & 1];
	user->position = head & ~1ull;
	user->current = &user->slot[user->open->slot];
	for (uint32_t i = 0; i < user->nr; i++)
		undisturbed &= take_counter(&user->counter[i]);
	if (!undisturbed)
		user->stamp = STAMP_NONE;
}

/**
 * coroprof_user_hold() - the kernel is about to be called to switch
 *
 * Returns what to tell it with the switch, COROPROF_SWITCH_*.
 */
unsigned long coroprof_user_hold(void)
{
	struct user *user = here.user;

	if (likely(!here.user_mode))
		return 0;
	if (user) {
		here.user = NULL;
		fence();
		here.telling = true;
		note_locks(user);
		return 0;
	}
	if (here.telling)
		return 0;
	/* This is a signal handler, and what it interrupts is in user mode. */
	here.user_mode = false;
	here.interrupted = true;
	return COROPROF_SWITCH_KERNEL;
}

/**
 * coroprof_user_go_on() - the kernel was called
 * @nested: by a signal handler while another call was under way: here.telling
 *          as it was before the hold
 * @number: slot switched to, or 0
 */
void coroprof_user_go_on(bool nested, uint32_t number)
{
	struct user *user = here.own;

	if (likely(!here.user_mode))
		return;
	if (number)
		user->slot[number].mark[0] = here.synced;
	if (nested) {
		user->stamp = STAMP_NONE;
		return;
	}
	resume(user);
	fence();
	here.telling = false;
	fence();
	here.user = user;
}
