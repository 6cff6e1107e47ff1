// SPDX-License-Identifier: GPL-2.0
/*
 * paced LABELS RATE: a program of 1000 coroutines of so many kinds that switches RATE times a second, by
 * the clock, until it is ended. It works a little in each, and sleeps between.
 */
#include <coroprof/coroprof.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define COROUTINES 1000u
#define STEPS 100u

static volatile uint32_t sum;

static void make(coroprof_co *coroutines, unsigned long labels)
{
	char name[32];

	for (uint32_t i = 0; i < COROUTINES; i++) {
		snprintf(name, sizeof(name), "kind %lu", i % labels);
		coroutines[i] = coroprof_new(coroprof_label(name), COROPROF_THREAD, i);
	}
}

static void work(const coroprof_co *coroutines, unsigned long count)
{
	static unsigned long i;

	for (unsigned long end = i + count; i < end; i++) {
		coroprof_switch(coroutines[i * 7 % COROUTINES]);
		for (uint32_t n = 0; n < 10 + i % 30; n++)
			sum += n;
	}
	coroprof_switch(COROPROF_THREAD);
}

/* As many times a second, however long the work took. */
static void wait_for_next(struct timespec *next)
{
	next->tv_nsec += 1000000000 / STEPS;
	if (next->tv_nsec >= 1000000000) {
		next->tv_nsec -= 1000000000;
		next->tv_sec++;
	}
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL) == EINTR)
		;
}

int main(int argc, char **argv)
{
	static coroprof_co coroutines[COROUTINES];
	unsigned long labels = argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long rate = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct timespec next;

	if (!labels || rate < STEPS) {
		fprintf(stderr, "usage: paced LABELS RATE\n");
		return EXIT_FAILURE;
	}
	make(coroutines, labels);
	clock_gettime(CLOCK_MONOTONIC, &next);
	for (;;) {
		work(coroutines, rate / STEPS);
		wait_for_next(&next);
	}
}
