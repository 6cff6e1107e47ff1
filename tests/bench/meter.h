/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The meter: how many instructions, of user and of kernel mode, the calling
 * thread executes for an operation.
 */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stdint.h>

/*
 * Turns of a round. A multiple of 48: where the kernel moves its stack at random
 * at each system call, every 48th of them makes the random numbers for 48.
 */
#define METER_TURNS 960u

/* What is measured. @turn runs through the numbers of the loop. */
typedef void (*operation_fn)(uint32_t turn);

/**
 * struct loop - rounds of METER_TURNS turns of an operation
 * @operation: what each turn does
 * @empty:     the same around functions that do nothing, to be subtracted; NULL: a
 *             function that does nothing
 * @first:     the first number handed to it
 * @span:      how many numbers there are; they are visited in turn
 * @warm:      rounds that are not counted
 * @rounds:    rounds that are
 * @between:   called after each round, uncounted; or NULL
 * @arg:       for @between
 */
struct loop {
	operation_fn operation;
	operation_fn empty;
	uint32_t first;
	uint32_t span;
	unsigned int warm;
	unsigned int rounds;
	void (*between)(void *arg);
	void *arg;
};

/**
 * struct cost - instructions for one turn, less those of an empty function
 * @least: of the round with the fewest: no interrupt came
 * @mean:  over all rounds, the interrupts of the clock with them
 */
struct cost {
	double least;
	double mean;
};

/* A negative errno, or 0. One call for each thread that measures. */
int meter_open(void);
int meter_run(const struct loop *loop, struct cost *cost);
/* The least cost of an operation that takes its turns on two numbers. */
int meter_least(operation_fn operation, double *least);

#endif /* BENCH_METER_H */
