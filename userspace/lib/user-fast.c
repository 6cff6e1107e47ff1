// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The switch without a system call, in the fast case. It reads counters and
 * clock, writes the record, and makes all of that valid by one store, the new
 * head: whenever the kernel looks, it finds the slice ended or going on, and
 * nothing in between. What is not the fast case is found out before, and passed on.
 *
 * Every instruction counts here. There is no call but at the end, so that
 * nothing has to be saved; what is constant from one call of the kernel to the
 * next has been looked up.
 */
#include "kind.h"
#include "wake.h"

/* READY is the only flag that comes here; to where it is in the last word. */
#define FLAGS_SHIFT 11
_Static_assert(COROPROF_SWITCH_READY << FLAGS_SHIFT == (uint64_t)COROPROF_SLICE_READY << 32,
	       "READY");

/**
 * struct ending - the slice that ends
 * @open:     the open slice
 * @reading:  of the counters
 * @now:      when it ends
 * @duration: how long it was
 * @slot:     second word of @open: its slot, and how many there were
 * @delta:    what the counters counted; 0 for those that are UNSUPPORTED
 */
struct ending {
	struct coroprof_open_slice *open;
	struct reading reading;
	uint64_t now;
	uint64_t duration;
	uint64_t slot;
	uint64_t delta[KIND_COUNTERS];
};

/*
 * WOKEN, of a record: to where it is in the last word, and what it adds to the size in the first.
 */
#define WOKEN_SHIFT 32
#define WOKEN_SIZE(woken) ((woken) * (sizeof(struct coroprof_slice_woken) / COROPROF_SLICE_WOKEN))
#define SIZE_SHIFT 16

/*
 * Computes the times and counts, too. @woken: COROPROF_SLICE_WOKEN if the slice has that, or 0.
 * Returns where the record ends.
 */
part word *put_record(const struct user *user, struct ending *ending,
		      const struct coroprof_slot *left, unsigned long flags, uint64_t woken,
		      const uint32_t kind)
{
	uint64_t now = time_of(user, &ending->reading), began, first, last, id;
	struct coroprof_open_slice *open;
	word *record;

	open = user->open;
	record = (word *)user->at;
	both(open, record);
	began = open->began;
	ending->slot = *(word *)&open->slot;
	both(began, ending->slot);
	ending->open = open;
	ending->now = now;
	ending->duration = now - began;
	first = user->first;
	last = user->last;
	both(first, last);
	last |= left->label;
	last |= flags << FLAGS_SHIFT | woken << WOKEN_SHIFT;
	first += WOKEN_SIZE(woken) << SIZE_SHIFT;
	id = left->id;
	both(id, last);
	record[0] = first | ending->slot << 32;
	record[1] = ending->now;
	record[2] = ending->duration;
	record[3] = id;
	record[4] = last;
	record += 5;
	for_all(kind, i)
		ending->delta[i] = KIND_COUNTED(kind, i) ? open->count[i] : 0;
	for_counted(kind, i)
		ending->delta[i] = ending->reading.count[i] - ending->delta[i];
	for_all(kind, i)
		*record++ = ending->delta[i];
	if (woken) {
		record[0] = open->wake_time;
		record[1] = open->waker;
		record += 2;
	}
	return record;
}

/*
 * The slice that begins. Of a counter that is UNSUPPORTED the open slices hold 0,
 * ever, and the totals what they held before.
 */
part struct coroprof_open_slice *put_next(const struct ending *ending, uint32_t number,
					  const uint32_t kind)
{
	struct coroprof_open_slice *next = user_other(ending->open);

	for_counted(kind, i)
		next->count[i] = ending->reading.count[i];
	next->began = ending->now;
	*(word *)&next->slot = ((ending->slot >> 32) + 1) << 32 | number;
	return next;
}

part void add_totals(struct coroprof_slot *left, const struct ending *ending, const uint32_t kind)
{
	uint64_t slices = left->slices, running_ns = left->running_ns, sum[KIND_COUNTERS];

	both(slices, running_ns);
	for_counted(kind, i)
		sum[i] = left->count[i];
	load_pairs(kind, sum);
	left->slices = slices + 1;
	left->running_ns = running_ns + ending->duration;
	for_counted(kind, i)
		left->count[i] = sum[i] + ending->delta[i];
}

/* The slot to switch to, if that is like most; else NULL. @left: out: the one that is current. */
part struct coroprof_slot *fast_slot(const struct user *user, uint64_t number,
				      struct coroprof_slot **left)
{
	struct coroprof_slot *slot = user->slot, *current;
	uint64_t slots = user->slots, fast;

	both(slot, slots);
	slot += number;
	if (unlikely(number >= slots))
		return NULL;
	fast = user->fast;
	current = user->current;
	both(fast, current);
	*left = current;
	/* To itself: the totals would be at stake if the kernel ended the recording. */
	if (unlikely(slot->mark[0] != fast) || unlikely(slot == current) ||
	    unlikely(slot->wake_time))
		return NULL;
	return slot;
}

/*
 * As switch_plain(), where the slice that ends was woken, or the one that begins is, or both. What
 * was said of the coroutine's becoming ready goes into the open slice, and has to be taken before
 * that is shown to the kernel.
 *
 * From a slice that was woken the thread comes here at once, without a look at whether the switch
 * is plain. Where it comes next is set before the counters are read: a read that is refused sets
 * that, too, and comes last.
 * @plain: where it comes from a slice that was not
 */
part void switch_woken(coroprof_co to, unsigned long flags, struct user *user,
		       struct thread *self, user_path plain, const uint32_t kind)
{
	uint64_t size = sizeof(struct coroprof_record_slice) + KIND_NR(kind) * sizeof(uint64_t);
	uint64_t number = to ? to : self->slot, head, until, woken, whole;
	struct coroprof_slot *slot = user->slot + number, *left = user->current;
	const volatile struct coroprof_channel_page *page = user->page;
	struct coroprof_open_slice *open = user->open, *next;
	struct coroprof_wake wake = { 0 };
	struct ending ending;
	char *at;

	woken = open->flags;
	if (unlikely(number >= user->slots) || unlikely(woken & ~(uint64_t)COROPROF_SLICE_WOKEN) ||
	    unlikely(slot->mark[0] != user->stamp) || unlikely(slot == left))
		goto not_fast;
	whole = __atomic_load_n(&slot->wake_time, __ATOMIC_RELAXED);
	if (unlikely(whole > COROPROF_WAKE_WHOLE))
		goto not_fast;
	if (!whole)
		self->path = plain;

	read_all(user, &ending.reading, kind);
	size += WOKEN_SIZE(woken);
	head = (user->head + size) ^ 1;
	until = page->until;
	if (unlikely(!(holds(&ending.reading, kind) & (head <= until))))
		goto not_fast;

	at = (char *)put_record(user, &ending, left, flags, woken, kind);
	next = put_next(&ending, number, kind);
	if (whole) {
		wake = wake_take_whole(slot);
		next->wake_time = wake.time;
		next->waker = wake.waker;
		next->flags = wake.time ? COROPROF_SLICE_WOKEN : 0;
	}
	self->current = to;
	__atomic_store_n(&user->producer->head, head, __ATOMIC_RELEASE);
	fence();
	if (unlikely(page->attention) && page->closed < (head & ~1ull)) {
		coroprof_user_switch_late(to, flags, user, self, wake);
		return;
	}

	add_totals(left, &ending, kind);
	/* The fast case counts on no flags in the one that is not open. */
	open->flags = 0;
	user->fast = wake.time ? STAMP_NONE : user->stamp;
	user->current = slot;
	user->open = next;
	user->at = at;
	user->head = head;
	fence();
	self->user = user;
	return;

not_fast:
	coroprof_user_switch(to, flags, user, self);
}

#define DECLARE(kind)									\
	static void fast_##kind(coroprof_co to, unsigned long flags, struct user *user,	\
				struct thread *self);
#define WOKEN(kind)									\
	static __attribute__((noinline)) void						\
	woken_##kind(coroprof_co to, unsigned long flags, struct user *user,		\
		     struct thread *self)						\
	{										\
		switch_woken(to, flags, user, self, fast_##kind, kind);			\
	}

ALL_KINDS(DECLARE)
ALL_KINDS(WOKEN)

/*
 * @flags: 0 or COROPROF_SWITCH_READY
 * @woken: switch_woken() of the kind
 *
 * When the thread was in the middle of this while its recording was ended, for a
 * signal handler that switched, self->user_mode is false: but then there was a
 * call of the kernel, attention is drawn, and this does not get to its end.
 */
part void switch_plain(coroprof_co to, unsigned long flags, struct user *user,
		       struct thread *self, user_path woken, const uint32_t kind)
{
	const uint64_t size = sizeof(struct coroprof_record_slice) +
			      KIND_NR(kind) * sizeof(uint64_t);
	uint64_t number = to ? to : self->slot, head, until;
	const volatile struct coroprof_channel_page *page;
	struct coroprof_slot *slot, *left;
	struct coroprof_open_slice *next;
	struct ending ending;
	char *at;

	slot = fast_slot(user, number, &left);
	if (unlikely(!slot)) {
		self->path = woken;
		woken(to, flags, user, self);
		return;
	}

	read_all(user, &ending.reading, kind);
	head = user->head;
	page = user->page;
	both(head, page);
	head = (head + size) ^ 1;
	/* While there is attention, it is 0. */
	until = page->until;
	if (unlikely(!(holds(&ending.reading, kind) & (head <= until))))
		goto not_plain;

	at = (char *)put_record(user, &ending, left, flags, 0, kind);
	next = put_next(&ending, number, kind);
	self->current = to;
	__atomic_store_n(&user->producer->head, head, __ATOMIC_RELEASE);
	fence();
	/* The kernel may have ended the recording meanwhile, and the slice with it. */
	if (unlikely(page->attention) && page->closed < (head & ~1ull))
		goto not_plain;

	add_totals(left, &ending, kind);
	user->current = slot;
	user->open = next;
	user->at = at;
	user->head = head;
	fence();
	self->user = user;
	return;

not_plain:
	coroprof_user_switch(to, flags, user, self);
}

/* In the fast case the open slice has no flags: so both are compared at once. */
_Static_assert(offsetof(struct coroprof_channel_page, drop_until) ==
		       offsetof(struct coroprof_channel_page, attention) + sizeof(uint32_t) &&
	       offsetof(struct coroprof_open_slice, dropped) ==
		       offsetof(struct coroprof_open_slice, flags) + sizeof(uint32_t),
	       "attention and drop_until, flags and dropped are one word each");

/* As put_record(), without a record. */
part void put_nothing(const struct user *user, struct ending *ending, const uint32_t kind)
{
	struct coroprof_open_slice *open = ending->open;
	uint64_t began = open->began;

	ending->slot = *(word *)&open->slot;
	both(began, ending->slot);
	ending->now = time_of(user, &ending->reading);
	ending->duration = ending->now - began;
	for_counted(kind, i)
		ending->delta[i] = open->count[i];
	load_pairs(kind, ending->delta);
	for_counted(kind, i)
		ending->delta[i] = ending->reading.count[i] - ending->delta[i];
}

/*
 * The same while the ring is full, as it always is in a session of totals: there is no
 * record, and the position of the head stays, so that what informs the kernel has ended
 * the recording is another.
 */
part void switch_dropping(coroprof_co to, unsigned long flags, struct user *user,
			  struct thread *self, const uint32_t kind)
{
	uint64_t number = to ? to : self->slot, head, state, dropped;
	const volatile struct coroprof_channel_page *page;
	struct coroprof_slot *slot, *left;
	struct coroprof_open_slice *next;
	struct ending ending;

	slot = fast_slot(user, number, &left);
	if (unlikely(!slot))
		goto not_plain;

	read_all(user, &ending.reading, kind);
	head = user->head;
	page = user->page;
	both(head, page);
	state = *(const volatile word *)&page->attention;
	ending.open = user->open;
	dropped = *(word *)&ending.open->flags;
	if (unlikely(!(holds(&ending.reading, kind) & !(uint32_t)state & (state != dropped))))
		goto not_plain;

	put_nothing(user, &ending, kind);
	next = put_next(&ending, number, kind);
	*(word *)&next->flags = dropped + (1ull << 32);
	self->current = to;
	head ^= 1;
	__atomic_store_n(&user->producer->head, head, __ATOMIC_RELEASE);
	fence();
	if (user_drop_late(user, next))
		goto not_plain;

	add_totals(left, &ending, kind);
	user->current = slot;
	user->open = next;
	user->head = head;
	fence();
	self->user = user;
	return;

not_plain:
	coroprof_user_switch(to, flags, user, self);
}

#define FAST(kind)									\
	static void fast_##kind(coroprof_co to, unsigned long flags, struct user *user,	\
				 struct thread *self)					\
	{										\
		switch_plain(to, flags, user, self, woken_##kind, kind);				\
	}										\
	static void dropping_##kind(coroprof_co to, unsigned long flags, struct user *user,	\
				    struct thread *self)				\
	{										\
		switch_dropping(to, flags, user, self, kind);				\
	}

#define PATH(kind) [kind] = { fast_##kind, dropping_##kind },

ALL_KINDS(FAST)

/* 0: there is no fast case. */
uint32_t coroprof_user_kind(const struct user *user)
{
	uint32_t kind = 1u << user->nr;

	if (user->nr > KIND_COUNTERS || (user->words && user->words != kind >> 1))
		return 0;
	if (user->words)
		kind |= KIND_WORD;
	for (uint32_t i = 0; i < user->nr; i++) {
		if (user_is_word(user, i))
			continue;
		if (!user->counter[i].page)
			kind |= 1u << i;
		else if (user->counter[i].mask != ARCH_COUNTER_MASK)
			return 0;
	}
	return kind;
}

user_path coroprof_user_path(uint32_t kind, bool full)
{
	static const user_path paths[KINDS][2] = {
		{ coroprof_user_switch, coroprof_user_switch }, ALL_KINDS(PATH)
	};

	return paths[kind][full];
}
