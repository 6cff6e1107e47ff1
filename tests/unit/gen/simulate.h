/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small simulated runtime: threads take the coroutine that has been ready for
 * longest, run it, and put it to sleep, yield it or end it. The same seed gives
 * the same recording.
 */
#ifndef COROPROF_TESTS_SIMULATE_H
#define COROPROF_TESTS_SIMULATE_H

#include <stdint.h>

#include "gen/gen.h"

/**
 * struct simulate_kind - coroutines of one kind
 * @label:      number of their label
 * @weight:     how many of them, relative to the other kinds
 * @run_ns:     mean running time of a slice
 * @sleep_ns:   mean time until it is woken
 * @ipc:        instructions per cycle
 * @blocked:    one in so many slices blocks the thread, 0 for none
 * @yields:     one in so many slices ends READY, 0 for none
 * @untold:     its wakes are not reported
 */
struct simulate_kind {
	uint32_t label;
	uint32_t weight;
	uint64_t run_ns;
	uint64_t sleep_ns;
	double ipc;
	uint32_t blocked;
	uint32_t yields;
	bool untold;
};

/**
 * struct simulate - what to simulate
 * @process_id:   process, already written
 * @channel:      number of the first channel; they are made here
 * @threads:      how many
 * @tid:          of the first thread
 * @coroutines:   how many are born
 * @slices:       mean of each one's number of slices
 * @begin:        time
 * @seed:         of the random numbers
 * @thread_label: label of the threads' own slots
 * @kinds:        the kinds
 * @nr_kinds:     how many
 * @wakes_one:    of the threads that sleep, what is ready wakes one, not all
 * @adjust:       called for each slice before it is written, or NULL
 */
struct simulate {
	uint32_t process_id;
	uint32_t channel;
	uint32_t threads;
	int32_t tid;
	uint32_t coroutines;
	uint32_t slices;
	uint64_t begin;
	uint64_t seed;
	uint32_t thread_label;
	const struct simulate_kind *kinds;
	uint32_t nr_kinds;
	bool wakes_one;
	void (*adjust)(struct gen *g, uint32_t channel, struct gen_slice *s);
};

void simulate(struct gen *g, const struct simulate *what);

#endif /* COROPROF_TESTS_SIMULATE_H */
