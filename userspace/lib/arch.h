/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What user mode may read of the machine itself: hardware counters, by the
 * number that the page of a perf event gives, and the counter behind the clock.
 * The reads are volatile, so they keep their order among themselves and with
 * volatile reads of shared pages, and no more is needed.
 */
#ifndef COROPROF_ARCH_H
#define COROPROF_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "internal.h"

#if defined(__aarch64__)

/* In config1 of armv8_pmuv3: format/rdpmc, format/long. */
#define ARCH_CONFIG1_USER 2ull
#define ARCH_CONFIG1_WIDE 1ull
#define ARCH_COUNTER_MAX 31u
#define ARCH_COUNTER_CYCLES 31u
/* The bits of a counter as wide as they come, and what it reads as a number. */
#define ARCH_COUNTER_MASK UINT64_MAX
#define arch_extend(value) (value)

/*
 * What a counter reads now. @counter: as page->index, less one. @first: of several,
 * so that it is likely the one for cycles. What is less likely is out of the way.
 */
static inline uint64_t arch_counter(uint32_t counter, bool first)
{
	uint64_t value;

	if (first)
		__asm__ volatile("cmp %w1, %2\n\tb.ne 1f\n\tmrs %0, pmccntr_el0\n2:\n"
				 "\t.subsection 1\n1:\tmsr pmselr_el0, %x1\n\tisb\n"
				 "\tmrs %0, pmxevcntr_el0\n\tb 2b\n\t.previous"
				 : "=r"(value) : "r"(counter), "i"(ARCH_COUNTER_CYCLES) : "cc");
	else
		__asm__ volatile("cmp %w1, %2\n\tb.eq 1f\n\tmsr pmselr_el0, %x1\n\tisb\n"
				 "\tmrs %0, pmxevcntr_el0\n2:\n"
				 "\t.subsection 1\n1:\tmrs %0, pmccntr_el0\n\tb 2b\n\t.previous"
				 : "=r"(value) : "r"(counter), "i"(ARCH_COUNTER_CYCLES) : "cc");
	return value;
}

static inline uint64_t arch_cycles(void)
{
	uint64_t value;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
	return value;
}

#elif defined(__x86_64__)

#define ARCH_CONFIG1_USER 0ull
#define ARCH_CONFIG1_WIDE 0ull
/* Fixed counters have bit 30. */
#define ARCH_COUNTER_MAX 0x4000ffffu
#define ARCH_COUNTER_MASK 0xffffffffffffull
#define arch_extend(value) ((uint64_t)((int64_t)((value) << 16) >> 16))

static inline uint64_t arch_counter(uint32_t counter, bool first)
{
	uint32_t low, high;

	(void)first;
	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return (uint64_t)high << 32 | low;
}

static inline uint64_t arch_cycles(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}

#else

#define ARCH_CONFIG1_USER 0ull
#define ARCH_CONFIG1_WIDE 0ull
#define ARCH_COUNTER_MAX 0u
#define ARCH_COUNTER_MASK UINT64_MAX
#define arch_extend(value) (value)

static inline uint64_t arch_counter(uint32_t counter, bool first)
{
	(void)counter;
	(void)first;
	return 0;
}

static inline uint64_t arch_cycles(void)
{
	return 0;
}

#endif

/*
 * Two words that are 16 bytes, and aligned so, are exchanged for *first and *second, as one. Orders
 * all other accesses to memory of the thread before and behind it as they are in the source.
 */
#if defined(__aarch64__)

#define ARCH_HAS_PAIRS true

static inline void arch_exchange_pair(__u64 *pair, uint64_t *first, uint64_t *second)
{
	uint64_t old_first, old_second;
	uint32_t failed;

	__asm__ volatile("1:\tldaxp %0, %1, [%3]\n\tstlxp %w2, %4, %5, [%3]\n\tcbnz %w2, 1b"
			 : "=&r"(old_first), "=&r"(old_second), "=&r"(failed)
			 : "r"(pair), "r"(*first), "r"(*second) : "memory");
	*first = old_first;
	*second = old_second;
}

#elif defined(__x86_64__)

#define ARCH_HAS_PAIRS true

static inline void arch_exchange_pair(__u64 *pair, uint64_t *first, uint64_t *second)
{
	uint64_t old_first = pair[0], old_second = pair[1];

	__asm__ volatile("1:\tlock cmpxchg16b (%2)\n\tjne 1b"
			 : "+a"(old_first), "+d"(old_second)
			 : "r"(pair), "b"(*first), "c"(*second) : "memory", "cc");
	*first = old_first;
	*second = old_second;
}

#else

#define ARCH_HAS_PAIRS false

static inline void arch_exchange_pair(__u64 *pair, uint64_t *first, uint64_t *second)
{
	(void)pair;
	*first = *second = 0;
}

#endif

/* Adds to a word of the thread's own, in one piece as its signal handlers see it. */
static inline void arch_add(uint64_t *word, uint64_t value)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*word) : "re"(value) : "cc");
#else
	__atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

#endif /* COROPROF_ARCH_H */
