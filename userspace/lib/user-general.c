// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The switch without a system call, with whatever details the slice has and
 * whatever counters there are. What this can't do either is left to the kernel.
 */
#include "user.h"
#include "wake.h"

struct ending {
	uint64_t now;
	uint32_t flags;
	uint32_t size;
	bool dropped;
	uint64_t delta[COROPROF_COUNTERS_MAX];
};

static void put_details(void *to, const struct coroprof_open_slice *open,
			const struct coroprof_slot *slot)
{
	if (open->flags & COROPROF_SLICE_FRESH) {
		struct coroprof_slice_fresh *fresh = to;

		fresh->parent = slot->parent;
		fresh->tag = slot->tag;
		to = fresh + 1;
	}
	if (open->flags & COROPROF_SLICE_WOKEN) {
		struct coroprof_slice_woken *woken = to;

		woken->wake_time = open->wake_time;
		woken->waker = open->waker;
	}
}

static uint64_t now_after(struct user *user, uint64_t began)
{
	uint64_t passed = arch_cycles() - user->cycles;

	if (passed > user->span) {
		coroprof_user_clock(user, began);
		return user->ns;
	}
	return user_time(user, passed);
}

/* Returns false if a counter was disturbed since the slice began. */
static bool count(const struct user *user, struct ending *ending)
{
	for (uint32_t i = 0; i < user->nr; i++) {
		const struct user_counter *counter = &user->counter[i];

		ending->delta[i] = 0;
		if (user_is_word(user, i))
			ending->delta[i] = user_word(user) - user->open->count[i];
		if (!counter->page)
			continue;
		ending->delta[i] = (arch_counter(counter->number, i == 0) + counter->offset -
				    user->open->count[i]) & counter->mask;
		if (counter->page->lock != counter->lock)
			return false;
	}
	return true;
}

/* Everything but the writing. Returns false when the kernel has to be called. */
static bool end(struct user *user, struct ending *ending, unsigned long flags)
{
	const struct coroprof_open_slice *open = user->open;

	ending->flags = open->flags | (flags & COROPROF_SWITCH_END ? COROPROF_SLICE_END : 0) |
			(flags & COROPROF_SWITCH_READY ? COROPROF_SLICE_READY : 0) |
			(flags & COROPROF_SWITCH_UNREPORTED ? COROPROF_SLICE_UNREPORTED : 0);
	/* Details are there from the beginning of a slice on. */
	ending->size = coroprof_slice_size(open->flags, user->nr);
	ending->now = now_after(user, open->began);
	if (!count(user, ending))
		return false;
	ending->dropped = (user->head & ~1ull) + ending->size > user->page->until;
	return !ending->dropped || (!user->page->attention && user_may_drop(user));
}

static void put_record(const struct user *user, const struct ending *ending)
{
	const struct coroprof_open_slice *open = user->open;
	struct coroprof_record_slice *record = (void *)user->at;
	uint64_t *counts = (uint64_t *)(record + 1);

	record->type = COROPROF_RECORD_SLICE;
	record->size = (uint16_t)ending->size;
	record->slot = open->slot;
	record->time = ending->now;
	record->duration = ending->now - open->began;
	record->id = user->current->id;
	record->label = user->current->label;
	record->flags = (uint16_t)ending->flags;
	record->standing = (uint16_t)user->standing;
	for (uint32_t i = 0; i < user->nr; i++)
		counts[i] = ending->delta[i];
	put_details(counts + user->nr, open, user->current);
}

/* @fresh: COROPROF_SLICE_FRESH, or 0 */
static void put_next(const struct user *user, const struct ending *ending, uint32_t number,
		     struct coroprof_wake wake, uint32_t fresh)
{
	const struct coroprof_open_slice *open = user->open;
	struct coroprof_open_slice *next = user_other(user->open);

	next->began = ending->now;
	next->slot = number;
	next->slices = open->slices + 1;
	next->dropped = open->dropped + ending->dropped;
	next->wake_time = wake.time;
	next->waker = wake.waker;
	next->flags = fresh | (wake.time ? COROPROF_SLICE_WOKEN : 0);
	for (uint32_t i = 0; i < user->nr; i++)
		next->count[i] = open->count[i] + ending->delta[i];
}

static void add_totals(const struct user *user, const struct ending *ending)
{
	struct coroprof_slot *left = user->current;

	left->slices++;
	left->running_ns += ending->now - user->open->began;
	for (uint32_t i = 0; i < user->nr; i++)
		left->count[i] += ending->delta[i];
	if (ending->flags & COROPROF_SLICE_END)
		left->mark[0] = 0;
}

/* Returns false if the kernel has ended the recording, and the slice, meanwhile. */
static bool commit(struct thread *self, coroprof_co to, struct user *user,
		   const struct ending *ending)
{
	uint32_t size = ending->dropped ? 0 : ending->size;
	uint64_t head = (user->head + size) ^ 1;

	self->current = to;
	__atomic_store_n(&user->producer->head, head, __ATOMIC_RELEASE);
	fence();
	if (ending->dropped ? user_drop_late(user, user_other(user->open)) :
			      user->page->attention && user->page->closed < (head & ~1ull))
		return false;
	user->head = head;
	user->at += size;
	return true;
}

static bool end_and_begin(struct thread *self, coroprof_co to, uint32_t number,
			  unsigned long flags, struct user *user, uint32_t fresh)
{
	struct coroprof_open_slice *open = user->open, *next = user_other(open);
	struct coroprof_slot *slot = &user->slot[number];
	struct coroprof_wake wake;
	struct ending ending;

	if (!end(user, &ending, flags))
		return false;
	if (!ending.dropped)
		put_record(user, &ending);
	wake = wake_take(slot);
	put_next(user, &ending, number, wake, fresh);
	if (!commit(self, to, user, &ending)) {
		wake_give_back(slot, wake);
		return false;
	}
	add_totals(user, &ending);
	/* The fast case counts on no flags in the one that is not open. */
	open->flags = 0;
	user->open = next;
	user->current = slot;
	user->fast = next->flags ? STAMP_NONE : user->stamp;
	return true;
}

/*
 * Whether @to runs already, as the kernel knows, and there is nothing to report of it. A switch
 * that was begun has noted @to, but not its slot; what was not reported to the kernel has another
 * stamp.
 */
static bool goes_on(const struct thread *self, coroprof_co to, uint32_t number,
		    unsigned long flags, const struct user *user)
{
	return !(flags & ~COROPROF_SWITCH_READY) && to == self->current &&
	       &user->slot[number] == user->current && user->stamp == stamp();
}

/* Whether the slice that goes on can be ended, and one of that slot begun. */
static bool possible(const struct user *user, uint32_t number)
{
	return number < user->slots && user->slot[number].mark[0] == user->stamp &&
	       &user->slot[number] != user->current && !user->page->attention;
}

/*
 * Whether it is a coroutine that the kernel has not seen, and that this thread may introduce. Not one
 * whose slice goes on: after a switch that failed, its entry may be another's by now.
 */
static bool is_new(const struct user *user, uint32_t number)
{
	const struct coroutine *entry = &coroprof_entries[number];

	return number > ENTRY_SLOTLESS && number < user->slots && entry->id &&
	       &user->slot[number] != user->current &&
	       entry->generation != coroprof_generation_low() && user->stamp == stamp() &&
	       !user->page->attention;
}

/*
 * Ends a slice, and begins the first one of a coroutine: its slot becomes what SWITCH would make of
 * it. A signal handler that comes in once that has begun must not introduce it again; if it switches
 * to that coroutine, a slice without FRESH comes before the one that has it.
 */
static bool end_and_introduce(struct thread *self, coroprof_co to, uint32_t number,
			      unsigned long flags, struct user *user)
{
	struct coroutine *entry = &coroprof_entries[number];
	struct coroprof_slot *slot = coroprof_slot(number, entry);

	if (!slot)
		return false;
	coroprof_slot_clear(slot);
	/* The recording's epoch: that of the process may be another by now. */
	slot->since = (uint32_t)user->stamp;
	slot->standing = user->standing;
	slot->mark[0] = user->stamp;
	entry->counters = self->counters;
	entry->generation = coroprof_generation_low();
	fence();
	if (end_and_begin(self, to, number, flags, user, COROPROF_SLICE_FRESH))
		return true;
	entry->generation = 0;
	slot->mark[0] = 0;
	return false;
}

void coroprof_user_switch(coroprof_co to, unsigned long flags, struct user *user,
			  struct thread *self)
{
	uint32_t number = to ? to : self->slot;
	bool done;

	if (unlikely(user->denied)) {
		coroprof_user_deny(to, flags, user, self);
		return;
	}
	done = goes_on(self, to, number, flags, user) ||
	       (possible(user, number) && end_and_begin(self, to, number, flags, user, 0)) ||
	       (is_new(user, number) && end_and_introduce(self, to, number, flags, user));
	fence();
	if (self->user_mode)
		self->user = user;
	if (!done)
		coroprof_switch_ioctl(to, flags);
}

/*
 * After a switch came too late, as the recording had ended: what was taken for it is there again.
 */
void coroprof_user_switch_late(coroprof_co to, unsigned long flags, struct user *user,
			       struct thread *self, struct coroprof_wake wake)
{
	wake_give_back(&user->slot[to ? to : self->slot], wake);
	coroprof_user_switch(to, flags, user, self);
}
