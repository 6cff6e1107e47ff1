/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Work of which it is known what a processor counts in it, because it is written in
 * instructions, or because nothing but memory can be slow in it.
 */
#ifndef COROPROF_SELFTEST_WORK_H
#define COROPROF_SELFTEST_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one turn of a loop; 0: not known for this processor. */
#if defined(__x86_64__) || defined(__aarch64__)
#define WORK_TURN 2
#else
#define WORK_TURN 0
#endif

/*
 * Instructions from one sample to the next: on a processor of 10^10 a second still fewer
 * samples than the kernel takes.
 */
#define SAMPLED_PERIOD	1000000

/* Has a simulated PMU count all work that follows. False with errno. */
bool work_simulate(void);

/*
 * Runs @turns turns of a loop. There are two such functions, so that samples can be in the wrong
 * one.
 */
void selftest_one(uint64_t turns);
void selftest_other(uint64_t turns);

/**
 * struct chase - memory, each line of which points to another one, in an order that
 *                no processor foresees
 * @lines: the memory
 * @nr:    how many lines
 * @at:    where the last access was
 */
struct chase {
	struct chase_line *lines;
	uint64_t nr;
	struct chase_line *at;
};

bool chase_make(struct chase *chase, uint64_t bytes);
void chase_free(struct chase *chase);
/* Follows pointers through the memory. @misses: how many misses a simulated PMU counts for that. */
void chase_run(struct chase *chase, uint64_t accesses, uint64_t misses);

/* Touches so many new pages for the first time. */
bool work_pages(uint64_t pages);

#endif /* COROPROF_SELFTEST_WORK_H */
