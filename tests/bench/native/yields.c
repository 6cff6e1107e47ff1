// SPDX-License-Identifier: GPL-2.0
/*
 * yields COUNT: two threads on one processor, the first of which gives way to
 * the second so often. What perf is to record.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static volatile bool done;

static void *give_way(void *arg)
{
	while (!done)
		sched_yield();
	return arg;
}

static int stay_here(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	return sched_setaffinity(0, sizeof(set), &set);
}

int main(int argc, char **argv)
{
	unsigned long count = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_t other;

	if (!count) {
		fprintf(stderr, "usage: yields COUNT\n");
		return EXIT_FAILURE;
	}
	if (stay_here() || pthread_create(&other, NULL, give_way, NULL)) {
		perror("yields");
		return EXIT_FAILURE;
	}
	while (count--)
		sched_yield();
	done = true;
	pthread_join(other, NULL);
	return EXIT_SUCCESS;
}
