/* SPDX-License-Identifier: GPL-2.0 */
/* Slices of coroutines whose truth is kept: clocks are looked at around both switches. */
#ifndef COROPROF_SELFTEST_KNOWN_H
#define COROPROF_SELFTEST_KNOWN_H

#include <coroprof/coroprof.h>

#include "selftest/truth.h"

/**
 * struct known_look - what the calling thread's clocks say
 * @wall_ns:   CLOCK_MONOTONIC
 * @cpu_ns:    of the thread
 * @preempted: how often it lost its processor while it could run
 */
struct known_look {
	uint64_t wall_ns;
	uint64_t cpu_ns;
	uint64_t preempted;
};

/**
 * struct known_slice - one that goes on
 * @truth:  of its coroutine
 * @before: the switch to it
 * @after:  it
 */
struct known_slice {
	struct truth_coroutine *truth;
	struct known_look before;
	struct known_look after;
};

/* Creates a coroutine with the next row of @truth, whose index is its tag. */
coroprof_co known_coroutine(struct truth *truth, enum truth_kind kind, const char *label,
			    struct truth_coroutine **row);

void known_begin(struct known_slice *slice, struct truth_coroutine *truth, coroprof_co co);
void known_end(struct known_slice *slice);

#endif /* COROPROF_SELFTEST_KNOWN_H */
