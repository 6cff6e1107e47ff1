/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the self-test asks of the program that it records, and what that knows of its
 * own coroutines without coroprof: memory that both of them map.
 */
#ifndef COROPROF_SELFTEST_TRUTH_H
#define COROPROF_SELFTEST_TRUTH_H

#include <stdbool.h>
#include <stdint.h>

/* Of more processors, the first ones are tried. */
#define TRUTH_CPUS		512
#define TRUTH_COROUTINES	(TRUTH_CPUS + 16)

/* What a coroutine is there to show. */
enum truth_kind {
	TRUTH_SHORT,		/* many short slices */
	TRUTH_LONGER,		/* as many, twice as long */
	TRUTH_CPU,		/* on one processor alone */
	TRUTH_MOVES,		/* from processor to processor within slices */
	TRUTH_PREEMPTED,	/* beside another thread on its processor */
	TRUTH_NEAR,		/* accesses to memory that any cache holds */
	TRUTH_FAR,		/* accesses to memory that no cache holds */
	TRUTH_PAGES,		/* page faults */
	TRUTH_BLOCKED,		/* sleeps in its slices */
	TRUTH_ONE,		/* sampled, in a function of its own */
	TRUTH_OTHER,		/* likewise, and three times as much */
};

/**
 * struct truth_coroutine - what is known of one coroutine
 * @label:        its label
 * @kind:         enum truth_kind
 * @cpu:          TRUTH_CPU: the processor
 * @slices:       how many
 * @instructions: of its loops, to which comes what it takes to switch and to look at
 *                clocks
 * @accesses:     to memory, each of which waits for the one before
 * @pages:        that it was the first to touch
 * @wall_min_ns:  its slices took at least so long: between a look at the clock right
 *                after the switch to it and one right before the switch from it
 * @wall_max_ns:  and at most so long: looks before and after; 0: it did not look
 * @cpu_min_ns:   likewise by the thread's CPU time, which the scheduler counts
 * @cpu_max_ns:   likewise
 * @slept_ns:     of it at least so long asleep
 * @preempted_min: at least so often it lost its processor to somebody else
 */
struct truth_coroutine {
	char label[32];
	uint32_t kind;
	int32_t cpu;
	uint64_t slices;
	uint64_t instructions;
	uint64_t accesses;
	uint64_t pages;
	uint64_t wall_min_ns;
	uint64_t wall_max_ns;
	uint64_t cpu_min_ns;
	uint64_t cpu_max_ns;
	uint64_t slept_ns;
	uint64_t preempted_min;
};

/**
 * struct truth_plan - what is asked
 * @sampled:   work to be sampled; else all other kinds
 * @given:     open no perf events, so that the session has to
 * @simulated: the PMU is a simulated one that counts what is set
 * @far_bytes: memory that no cache holds, 0: leave that out
 */
struct truth_plan {
	bool sampled;
	bool given;
	bool simulated;
	uint64_t far_bytes;
};

/**
 * struct truth - all of it
 * @plan:      see there
 * @done:      the program came to its end
 * @error:     what kept it from that, or ""
 * @cpus:      how many processors it ran on
 * @back_ns:   the clock went back by so much at most, from one processor to another;
 *             0: never
 * @back_from: which ones
 * @back_to:   likewise
 * @steal_ns:  of all processors, by what the machine below says (/proc/stat)
 * @nr:        how many coroutines
 * @coroutine: each has its index here, plus one, as its tag
 */
struct truth {
	struct truth_plan plan;
	bool done;
	char error[256];
	uint32_t cpus;
	uint64_t back_ns;
	int32_t back_from;
	int32_t back_to;
	uint64_t steal_ns;
	uint32_t nr;
	struct truth_coroutine coroutine[TRUTH_COROUTINES];
};

#endif /* COROPROF_SELFTEST_TRUTH_H */
