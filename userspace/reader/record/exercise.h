/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that does nothing but switch between coroutines, begin and end spans,
 * make coroutines, and start threads, to be recorded: a child of this one, with
 * libcoroprof, as any program that uses it; or one without, which is probed.
 */
#ifndef COROPROF_EXERCISE_H
#define COROPROF_EXERCISE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/**
 * struct exercise_cost - of one operation
 * @ns:    time, negative if it was not measured
 * @count: what a counter counted, likewise
 */
struct exercise_cost {
	double ns;
	double count;
};

/**
 * struct exercise - what the child measured of itself
 * @switches: a switch
 * @spans:    begin and end of a span
 * @births:   what a coroutine takes to be made and to end, without its switches; of a probed
 *            child without its probes
 * @joins:    how much longer a thread runs, from its creation until it is gone, than one of a
 *            program that is not recorded, without its switches; with a ring that was there
 * @rings:    what it takes in addition if none has
 * @probes:   of a probed child, which has but this and births: a probe that reports a switch
 */
struct exercise {
	struct exercise_cost switches;
	struct exercise_cost spans;
	struct exercise_cost births;
	struct exercise_cost joins;
	struct exercise_cost rings;
	struct exercise_cost probes;
};

/**
 * struct exercise_how - what it is to do
 * @token:    of @session
 * @by_ioctl: it is not to switch from user mode
 * @spans:    the kernel knows spans
 * @probed:   it comes by probes and does nothing else
 * @counter:  counts of this one of the session's counters are measured; negative: times are
 * @session:  that records it
 * @forget:   called when @session can be read: what was recorded of threads that have ended is to
 *            be forgotten, as a reader does that has read it
 * @data:     for @forget
 */
struct exercise_how {
	uint64_t token;
	bool by_ioctl;
	bool spans;
	bool probed;
	int counter;
	int session;
	void (*forget)(void *data);
	void *data;
};

int exercise_run(struct exercise *exercise, const struct exercise_how *how,
		 struct error *err);

#endif /* COROPROF_EXERCISE_H */
