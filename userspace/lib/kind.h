/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A kind says in one number how many counters there are and which of them are UNSUPPORTED: it
 * has a bit for each counter, set if that is UNSUPPORTED, and above these bits a 1. One more
 * bit, above all of that, says that the last counter is the program's own. The fast
 * case has a function for each kind, which is compiled for that kind. So it has no loops, and
 * a counter that the machine lacks costs nothing but a zero in the record.
 */
#ifndef COROPROF_KIND_H
#define COROPROF_KIND_H

#include "user.h"

#define KIND_COUNTERS 4u
#define KIND_WORD (2u << KIND_COUNTERS)
#define KINDS (2 * KIND_WORD)
#define KIND_NR(kind) (31u - (uint32_t)__builtin_clz((kind) & (KIND_WORD - 1)))
#define KIND_COUNTED(kind, i) (!((kind) >> (i) & 1))
#define KIND_IS_WORD(kind, i) ((kind) & KIND_WORD && (i) == KIND_NR(kind) - 1)

#define ALL_KINDS(of)									\
	of(1) of(2) of(3) of(4) of(5) of(6) of(7) of(8) of(9) of(10) of(11) of(12) of(13)	\
	of(14) of(15) of(16) of(17) of(18) of(19) of(20) of(21) of(22) of(23) of(24) of(25)	\
	of(26) of(27) of(28) of(29) of(30) of(31)					\
	of(34) of(36) of(37) of(40) of(41) of(42) of(43)				\
	of(48) of(49) of(50) of(51) of(52) of(53) of(54) of(55)

/* For the parts of the functions of each kind. */
#define part static inline __attribute__((always_inline))
#define for_all(kind, i) _Pragma("GCC unroll 8") for (uint32_t i = 0; i < KIND_NR(kind); i++)
#define for_counted(kind, i) for_all(kind, i) if (KIND_COUNTED(kind, i))
#define for_events(kind, i) for_counted(kind, i) if (!KIND_IS_WORD(kind, i))

/* Makes the compiler load the counters' values at this place, two at a time. */
#define load_pairs(kind, value)								\
	for_counted(kind, i) {								\
		if (i % 2 && KIND_COUNTED(kind, i - 1))					\
			both((value)[i - 1], (value)[i]);				\
	}

/* For access to two members at a time. */
typedef uint64_t __attribute__((may_alias)) word;

/**
 * struct reading - all counters, read once
 * @passed: cycles since the clock was read
 * @span:   the most cycles that @passed may be
 * @count:  value of each counter
 * @lock:   lock of each counter's page, read after its value; the program's own has none
 * @noted:  what this lock was when the slice began
 */
struct reading {
	uint64_t passed;
	uint64_t span;
	uint64_t count[KIND_COUNTERS];
	uint32_t lock[KIND_COUNTERS];
	uint32_t noted[KIND_COUNTERS];
};

part void read_counter(const struct user_counter *counter, struct reading *reading, uint32_t i)
{
	uint32_t noted = counter->lock, number = counter->number;
	const volatile struct perf_event_mmap_page *page;
	uint64_t value, offset;
	uint32_t lock;

	both(noted, number);
	value = arch_counter(number, i == 0);
	page = counter->page;
	offset = counter->offset;
	both(page, offset);
	lock = page->lock;
	once(lock);
	reading->lock[i] = lock;
	reading->noted[i] = noted;
	reading->count[i] = arch_extend(value) + offset;
}

part void read_all(const struct user *user, struct reading *reading, const uint32_t kind)
{
	uint64_t cycles = user->cycles, span = user->span;

	both(cycles, span);
	reading->span = span;
	reading->passed = arch_cycles() - cycles;
	for_events(kind, i)
		read_counter(&user->counter[i], reading, i);
	if (kind & KIND_WORD)
		reading->count[KIND_NR(kind) - 1] = user_word(user);
}

/* Whether the reading is valid. Join it to other conditions with &: then they make one branch. */
part bool holds(const struct reading *reading, const uint32_t kind)
{
	bool undisturbed = true;

	for_events(kind, i)
		undisturbed &= reading->lock[i] == reading->noted[i];
	return undisturbed & (reading->passed <= reading->span);
}

part uint64_t time_of(const struct user *user, const struct reading *reading)
{
	uint64_t mult = user->mult, ns = user->ns;

	both(mult, ns);
	return ns + (reading->passed * mult >> 32);
}

#endif /* COROPROF_KIND_H */
