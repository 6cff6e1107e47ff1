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
#define KINDS 32u
#define KIND_NR(kind) (31u - (uint32_t)__builtin_clz(kind))
#define KIND_COUNTED(kind, i) (!((kind) >> (i) & 1))

/*
 * @flags: 0 or COROPROF_SWITCH_READY
 *
 * Of a counter that is UNSUPPORTED the open slices hold 0, ever, and the totals what
 * they held before.
 *
 * When the thread was in the middle of this while its recording was ended, for a
 * signal handler that switched, self->user_mode is false: but then there was a
 * call of the kernel, attention is drawn, and this does not get to its end.
 */
static inline __attribute__((always_inline)) void
switch_plain(coroprof_co to, unsigned long flags, struct user *user, struct thread *self,
	     const uint32_t kind)
{
	const uint32_t nr = KIND_NR(kind);
	const uint64_t size = sizeof(struct coroprof_record_slice) + nr * sizeof(uint64_t);
	uint64_t number = to ? to : self->slot, slots = user->slots, plain = user->plain;
	struct coroprof_slot *left = user->current, *slot = &user->slot[number];
	const volatile struct coroprof_channel_page *page = user->page;
	uint64_t count[COROPROF_COUNTERS_MAX], delta[COROPROF_COUNTERS_MAX];
	struct coroprof_open_slice *open = user->open, *next = user_other(open);
	uint64_t head = user->head, cycles = user->cycles, span = user->span;
	uint64_t passed, now, duration, running, first, last;
	word *record;

	/* To itself: the totals would be at stake if the kernel ended the recording. */
	if (unlikely(number >= slots) || unlikely(slot->mark[0] != plain) ||
	    unlikely(slot == left) || unlikely(slot->wake_time) || unlikely(page->attention))
		goto not_plain;

	passed = arch_cycles() - cycles;
#pragma GCC unroll 8
	for (uint32_t i = 0; i < nr; i++) {
		const struct user_counter *counter = &user->counter[i];

		if (!KIND_COUNTED(kind, i))
			continue;
		uint32_t number_at = counter->number, lock = counter->lock;

		count[i] = arch_extend(arch_counter(number_at)) + counter->offset;
		if (unlikely(counter->page->lock != lock))
			goto not_plain;
		delta[i] = count[i] - open->count[i];
	}
	head = (head + size) ^ 1;
	if (unlikely(passed > span) || unlikely(head > page->until))
		goto not_plain;

	now = user_time(user, passed);
	duration = now - open->began;
	running = *(word *)&open->slot;
	first = user->first | running << 32;
	last = user->last | left->label | flags << FLAGS_SHIFT;
	record = (word *)user->at;
	record[0] = first;
	record[1] = now;
	record[2] = duration;
	record[3] = left->id;
	record[4] = last;
#pragma GCC unroll 8
	for (uint32_t i = 0; i < nr; i++)
		record[5 + i] = KIND_COUNTED(kind, i) ? delta[i] : 0;
#pragma GCC unroll 8
	for (uint32_t i = 0; i < nr; i++) {
		if (KIND_COUNTED(kind, i))
			next->count[i] = count[i];
	}
	next->began = now;
	*(word *)&next->slot = ((running >> 32) + 1) << 32 | number;
	self->current = to;
	__atomic_store_n(&user->producer->head, head, __ATOMIC_RELEASE);
	fence();
	/* The kernel may have ended the recording meanwhile, and the slice with it. */
	if (unlikely(page->attention) && page->closed < (head & ~1ull))
		goto not_plain;

	left->slices++;
	left->running_ns += duration;
#pragma GCC unroll 8
	for (uint32_t i = 0; i < nr; i++) {
		if (KIND_COUNTED(kind, i))
			left->count[i] += delta[i];
	}
	user->current = slot;
	user->open = next;
	user->head = head;
	user->at = (char *)record + size;
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
