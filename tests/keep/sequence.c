// SPDX-License-Identifier: GPL-2.0
/*
 * sequence SECONDS: two threads, each with a sequence of coroutines that are told apart by their
 * tags, which are numbers one after the other, and five that stay: one of those runs after each
 * tenth of the sequence. Whatever part of this is recorded, its first and its last tag say what
 * must be in it.
 */
#include <coroprof/coroprof.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "../harness/rounds.h"

#define STAY	5
#define UNIT	1000ul	/* rounds */

static double seconds;
static uint32_t step, steady, maker;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* @arg: number of the thread. Tags are that times 10^6 and more; of those that stay from 900000 on. */
static void *work(void *arg)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t first = (uintptr_t)arg * 1000000;
	double end = now() + seconds;
	coroprof_co stays[STAY], made, co;

	/* Who created those that stay runs once, and never again. */
	made = coroprof_new(maker, COROPROF_THREAD, first + 999999);
	coroprof_switch(made);
	for (int i = 0; i < STAY; i++)
		stays[i] = coroprof_new(steady, made, first + 900000 + i);
	for (int i = 0; i < STAY; i++)
		coroprof_switch(stays[i]);
	coroprof_switch(COROPROF_THREAD);
	for (uint64_t n = 1; now() < end; n++) {
		co = coroprof_new(step, stays[0], first + n);
		coroprof_switch(co);
		rounds(UNIT * (1 + n % 5));
		coroprof_switch_done(COROPROF_THREAD);
		if (n % 10 == 0) {
			coroprof_switch(stays[n / 10 % STAY]);
			rounds(3 * UNIT);
			coroprof_switch(COROPROF_THREAD);
		}
		nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	seconds = argc > 1 ? atof(argv[1]) : 1;
	step = coroprof_label("step");
	steady = coroprof_label("steady");
	maker = coroprof_label("maker");
	pthread_create(&thread, NULL, work, (void *)2);
	work((void *)1);
	pthread_join(thread, NULL);
	return 0;
}
