// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Around a call of the kernel that may end a slice, or write to the ring: before
 * it, nobody else may be at it; after it, the thread goes on from where the
 * kernel has left off.
 */
#include <time.h>

#include "user.h"

/*
 * Look at the clock. The cycles are read last, so that what is computed from
 * them is rather behind the clock than ahead of it, but not behind @last.
 */
__attribute__((noinline)) void coroprof_user_clock(struct user *user, uint64_t last)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	user->ns = now.tv_sec * 1000000000ull + now.tv_nsec + clock_offset();
	user->cycles = arch_cycles();
	if (user->ns < last)
		user->ns = last;
}

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
	counter->offset = (uint64_t)counter->page->offset;
	counter->lag = counter->page->time_enabled - counter->page->time_running;
	fence();
	counter->number = index - 1;
	return index && !(lock & 1) && counter->page->lock == lock &&
	       counter->number <= ARCH_COUNTER_MAX;
}

static bool take_counters(struct user *user)
{
	bool undisturbed = true;

	for (uint32_t i = 0; i < user->nr; i++)
		undisturbed &= take_counter(&user->counter[i]);
	return undisturbed;
}

/* The clock must not be behind what the kernel's was when the slice began. */
static void take_clock(struct user *user)
{
	uint64_t passed = arch_cycles() - user->cycles;

	if (passed > user->span || user_time(user, passed) < user->open->began)
		coroprof_user_clock(user, user->open->began);
}

static void take_head(struct user *user)
{
	user->head = user->producer->head;
	user->open = (struct coroprof_open_slice *)&user->producer->open[user->head & 1];
	user->at = user->data + (user->head & ~1ull & user->mask);
	this_thread.path = user->denied ? coroprof_user_deny :
				   coroprof_user_path(user->kind, user_may_drop(user));
}

/* The next switch has to be reported. */
static void withdraw(struct user *user)
{
	user->stamp = STAMP_NONE;
	user->fast = STAMP_NONE;
	user->fast_frame = 0;
}

/*
 * So long after the events of the recording by ioctl have gone those that were given are on the
 * PMU.
 */
#define GIVEN_SPAN_NS 100000000ull

/* It has too few counters for these. Only now is that known. */
static bool lacks_counters(struct user *user)
{
	if (!user->given)
		return false;
	if (!user->entered)
		user->entered = user->open->began;
	if (user->open->began - user->entered < GIVEN_SPAN_NS)
		return false;
	for (uint32_t i = 0; i < user->nr; i++) {
		if (user->counter[i].page && !user->counter[i].page->index)
			return true;
	}
	return false;
}

/*
 * The stamps come first, and then are only ever taken back: so does a signal
 * handler that switches meanwhile.
 */
static void resume(struct user *user)
{
	user->stamp = this_thread.synced;
	user->fast = this_thread.synced;
	user->fast_frame =
		user->ring_size ? (uint64_t)this_thread.counters << 48 ^ this_thread.synced : 0;
	fence();
	take_head(user);
	user->room = user->page->until;
	user->current = &user->slot[user->open->slot];
	take_clock(user);
	if (!take_counters(user) || user->current->standing != user->standing)
		withdraw(user);
	if (unlikely(lacks_counters(user))) {
		user->denied = COROPROF_REASON_COUNTERS;
		this_thread.path = coroprof_user_deny;
	}
	if (user->open->flags)
		user->fast = STAMP_NONE;
	if (user->open->slot == ENTRY_SLOTLESS)
		user->fast_frame = 0;
}

/*
 * The kernel knows the slot. What has had no slices yet is taken for COUNTED, as
 * it will be when its first is ended from user mode; the kernel would set that.
 */
static void mark(const struct user *user, struct coroprof_slot *slot)
{
	if (!slot->slices)
		slot->standing = user->standing;
	slot->mark[0] = slot->standing == user->standing ? this_thread.synced : 0;
}

/**
 * coroprof_user_hold() - the kernel is about to be called to switch, in user mode
 *
 * Returns what to report to it with the switch, COROPROF_SWITCH_*.
 */
unsigned long coroprof_user_hold(void)
{
	struct user *user = this_thread.user;

	if (user) {
		this_thread.user = NULL;
		fence();
		this_thread.reporting = true;
		note_locks(user);
		return 0;
	}
	if (this_thread.reporting)
		return 0;
	/* This is a signal handler, and what it interrupts is in user mode. */
	this_thread.user_mode = false;
	this_thread.interrupted = true;
	return COROPROF_SWITCH_KERNEL;
}

/**
 * coroprof_user_go_on() - the kernel was called
 * @nested: by a signal handler while another call was under way: this_thread.reporting
 *          as it was before the hold
 * @number: slot switched to, or 0
 */
void coroprof_user_go_on(bool nested, uint32_t number)
{
	struct user *user = this_thread.own;

	if (likely(!this_thread.user_mode))
		return;
	if (number)
		mark(user, &user->slot[number]);
	if (nested) {
		withdraw(user);
		return;
	}
	/* The kernel may have found that not all of it was counted. */
	if (user->current && user->current->standing != user->standing)
		user->current->mark[0] = 0;
	resume(user);
	fence();
	this_thread.reporting = false;
	fence();
	this_thread.user = user;
}

/*
 * The kernel is about to be called to write to the ring, in the middle of a
 * slice. Returns false when it must not be: this is a signal handler, and what it
 * interrupts is writing there itself.
 */
bool coroprof_user_pause(void)
{
	if (likely(!this_thread.user_mode))
		return true;
	if (!this_thread.user)
		return this_thread.reporting;
	this_thread.user = NULL;
	fence();
	this_thread.reporting = true;
	return true;
}

/*
 * The kernel has written: the slice goes on, the head has moved. What a handler
 * did meanwhile, it has left to be reported.
 */
void coroprof_user_unpause(bool nested)
{
	struct user *user = this_thread.own;

	if (likely(!this_thread.user_mode))
		return;
	if (nested) {
		withdraw(user);
		return;
	}
	take_head(user);
	if (user->page->until)
		user->room = user->page->until;
	fence();
	this_thread.reporting = false;
	fence();
	this_thread.user = user;
}
