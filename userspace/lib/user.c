// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The switch without a system call, in the plain case. It reads counters and
 * clock, writes the record, and makes all of that valid by one store, the new
 * head: whenever the kernel looks, it finds the slice ended or going on, and
 * nothing in between. All that is not plain is found out before, and passed on.
 *
 * Every instruction counts here. There is no call but at the end, so that
 * nothing has to be saved; what is constant from one call of the kernel to the
 * next has been looked up.
 */
#include "user.h"

/* Two members at a time. */
typedef uint64_t __attribute__((may_alias)) word;

/* READY is the only flag that comes here; to where it is in the last word. */
#define FLAGS_SHIFT 11
_Static_assert(COROPROF_SWITCH_READY << FLAGS_SHIFT == (uint64_t)COROPROF_SLICE_READY << 32,
	       "READY");

/*
 * How many counters there are, and which of them are UNSUPPORTED, in one number: a
 * bit for each that is, below a 1. It is known when the function is compiled, so
 * that a counter the machine lacks costs no more than a zero in the record.
 */
#define KIND_COUNTERS 4u
#define KINDS (2u << KIND_COUNTERS)
#define KIND_NR(kind) (31u - (uint32_t)__builtin_clz(kind))
#define KIND_COUNTED(kind, i) (!((kind) >> (i) & 1))

/* Of the functions of each kind. */
#define part static inline __attribute__((always_inline))
#define for_all(kind, i) _Pragma("GCC unroll 8") for (uint32_t i = 0; i < KIND_NR(kind); i++)
#define for_counted(kind, i) for_all(kind, i) if (KIND_COUNTED(kind, i))

/**
 * struct ending - the slice that ends
 * @open:     the open slice
 * @now:      when it ends
 * @duration: how long it was
 * @slot:     second word of @open: its slot, and how many there were
 * @count:    what the counters read
 * @delta:    what they counted; 0 for those that are UNSUPPORTED
 * @lock:     of their pages, after they were read
 * @noted:    what these were when the slice began
 */
struct ending {
	struct coroprof_open_slice *open;
	uint64_t now;
	uint64_t duration;
	uint64_t slot;
	uint64_t count[KIND_COUNTERS];
	uint64_t delta[KIND_COUNTERS];
	uint32_t lock[KIND_COUNTERS];
	uint32_t noted[KIND_COUNTERS];
};

part void read_counter(const struct user_counter *counter, struct ending *ending, uint32_t i)
{
	uint32_t noted = counter->lock, number = counter->number;
	const volatile struct perf_event_mmap_page *page;
	uint64_t value, offset;

	both(noted, number);
	value = arch_counter(number, i == 0);
	page = counter->page;
	offset = counter->offset;
	both(page, offset);
	ending->lock[i] = page->lock;
	ending->noted[i] = noted;
	ending->count[i] = arch_extend(value) + offset;
}

/* Takes the times, too. @passed: so many cycles. Returns where the record ends. */
part word *put_record(const struct user *user, struct ending *ending, uint64_t passed,
		      const struct coroprof_slot *left, unsigned long flags, const uint32_t kind)
{
	uint64_t mult = user->mult, ns = user->ns, began, first, last, id;
	struct coroprof_open_slice *open;
	word *record;

	both(mult, ns);
	record = (word *)user->at;
	open = user->open;
	both(record, open);
	began = open->began;
	ending->slot = *(word *)&open->slot;
	both(began, ending->slot);
	ending->open = open;
	ending->now = ns + (passed * mult >> 32);
	ending->duration = ending->now - began;
	first = user->first;
	last = user->last;
	both(first, last);
	last |= left->label;
	last |= flags << FLAGS_SHIFT;
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
		ending->delta[i] = ending->count[i] - ending->delta[i];
	for_all(kind, i)
		*record++ = ending->delta[i];
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
		next->count[i] = ending->count[i];
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
	for_counted(kind, i) {
		if (i % 2 && KIND_COUNTED(kind, i - 1))
			both(sum[i - 1], sum[i]);
	}
	left->slices = slices + 1;
	left->running_ns = running_ns + ending->duration;
	for_counted(kind, i)
		left->count[i] = sum[i] + ending->delta[i];
}

/*
 * @flags: 0 or COROPROF_SWITCH_READY
 *
 * When the thread was in the middle of this while its recording was ended, for a
 * signal handler that switched, self->user_mode is false: but then there was a
 * call of the kernel, attention is drawn, and this does not get to its end.
 */
part void switch_plain(coroprof_co to, unsigned long flags, struct user *user,
		       struct thread *self, const uint32_t kind)
{
	const uint64_t size = sizeof(struct coroprof_record_slice) +
			      KIND_NR(kind) * sizeof(uint64_t);
	uint64_t number = to ? to : self->slot, slots, plain, cycles, span, passed, head, until;
	const volatile struct coroprof_channel_page *page;
	struct coroprof_slot *slot, *left;
	struct coroprof_open_slice *next;
	struct ending ending;
	bool undisturbed = true;
	char *at;

	slot = user->slot;
	slots = user->slots;
	both(slot, slots);
	slot += number;
	if (unlikely(number >= slots))
		goto not_plain;
	plain = user->plain;
	left = user->current;
	both(plain, left);
	/* To itself: the totals would be at stake if the kernel ended the recording. */
	if (unlikely(slot->mark[0] != plain) || unlikely(slot == left) ||
	    unlikely(slot->wake_time))
		goto not_plain;

	cycles = user->cycles;
	span = user->span;
	both(cycles, span);
	passed = arch_cycles() - cycles;
	for_counted(kind, i)
		read_counter(&user->counter[i], &ending, i);
	head = user->head;
	page = user->page;
	both(head, page);
	head = (head + size) ^ 1;
	/* While there is attention, it is 0. */
	until = page->until;
	for_counted(kind, i)
		undisturbed &= ending.lock[i] == ending.noted[i];
	if (unlikely(!(undisturbed & (passed <= span) & (head <= until))))
		goto not_plain;

	at = (char *)put_record(user, &ending, passed, left, flags, kind);
	next = put_next(&ending, number, kind);
	self->current = to;
	__atomic_store_n(&user->producer->head, head, __ATOMIC_RELEASE);
	fence();
	/* The kernel may have ended the recording meanwhile, and the slice with it. */
	if (unlikely(page->attention) && page->closed < (head & ~1ull))
		goto not_plain;

	add_totals(left, &ending, kind);
	user->current = slot;
	user->at = at;
	user->open = next;
	user->head = head;
	fence();
	self->user = user;
	return;

not_plain:
	coroprof_user_switch(to, flags, user, self);
}

#define ALL_KINDS(of)									\
	of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11) of(12) of(13)	\
	of(14) of(15) of(16) of(17) of(18) of(19) of(20) of(21) of(22) of(23) of(24) of(25)	\
	of(26) of(27) of(28) of(29) of(30) of(31)

#define PLAIN(kind)									\
	static void plain_##kind(coroprof_co to, unsigned long flags, struct user *user,	\
				 struct thread *self)					\
	{										\
		switch_plain(to, flags, user, self, kind);				\
	}

#define PATH(kind) [kind] = plain_##kind,

ALL_KINDS(PLAIN)

/* The way for the plain case, when all counters that count can be read alike. */
user_path coroprof_user_path(const struct user *user)
{
	static const user_path paths[KINDS] = { ALL_KINDS(PATH) };
	uint32_t kind = 1u << user->nr;

	for (uint32_t i = 0; i < user->nr; i++) {
		if (!user->counter[i].page)
			kind |= 1u << i;
		else if (user->counter[i].mask != ARCH_COUNTER_MASK)
			return coroprof_user_switch;
	}
	return kind < KINDS ? paths[kind] : coroprof_user_switch;
}
