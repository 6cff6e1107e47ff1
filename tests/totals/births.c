// SPDX-License-Identifier: GPL-2.0
/*
 * births [SECONDS]: coroutines that are born, switch and end in two threads, so that
 * their slots are used again and again; and some that stay. Prints what was told of each
 * label: coroutines, slices, instructions in loops of known length. With SECONDS it does so
 * until they are over, and prints nothing.
 */
#include <coroprof/coroprof.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../harness/rounds.h"

#define KINDS	3
#define BIRTHS	300	/* of each kind, in each thread */
#define STAY	5	/* of each kind */
#define UNIT	1000ul	/* rounds of a slice */

static const char *const names[KINDS] = { "once", "twice", "ten_times" };
static const unsigned long times[KINDS] = { 1, 2, 10 };
static uint32_t labels[KINDS];
static double seconds;

static bool is_over(const struct timespec *begin, int done)
{
	struct timespec now;

	if (!seconds)
		return done == BIRTHS;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec - begin->tv_sec + (now.tv_nsec - begin->tv_nsec) / 1e9 >= seconds;
}

/* A coroutine of three slices, which another one of its kind comes between. */
static void live(int kind, coroprof_co stays)
{
	coroprof_co co = coroprof_new(labels[kind], COROPROF_THREAD, 0);

	for (int i = 0; i < 3; i++) {
		coroprof_switch(co);
		rounds(times[kind] * UNIT);
		if (i == 2)
			break;
		coroprof_switch(stays);
		rounds(times[kind] * UNIT);
	}
	coroprof_switch_done(COROPROF_THREAD);
}

/* @arg: number of the thread. The tags of those that stay are all different. */
static void *work(void *arg)
{
	uint64_t thread = (uintptr_t)arg;
	coroprof_co stay[KINDS][STAY];
	struct timespec begin;

	for (int kind = 0; kind < KINDS; kind++)
		for (int i = 0; i < STAY; i++)
			stay[kind][i] = coroprof_new(labels[kind], COROPROF_THREAD,
							100 * thread + 10 * kind + i);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; !is_over(&begin, i); i++)
		for (int kind = 0; kind < KINDS; kind++)
			live(kind, stay[kind][i % STAY]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	seconds = argc > 1 ? atof(argv[1]) : 0;
	for (int kind = 0; kind < KINDS; kind++)
		labels[kind] = coroprof_label(names[kind]);
	pthread_create(&thread, NULL, work, (void *)2);
	work((void *)1);
	pthread_join(thread, NULL);
	for (int kind = 0; kind < KINDS && !seconds; kind++)
		printf("%s %d %d %lu\n", names[kind], 2 * (BIRTHS + STAY), 2 * BIRTHS * 5,
		       2 * BIRTHS * 5 * 3 * UNIT * times[kind]);
	return 0;
}
