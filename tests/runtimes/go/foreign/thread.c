// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <stdlib.h>

#include "_cgo_export.h"

/* Rounds of a loop of two instructions at least: what Go is charged with is far below that. */
#define ROUNDS 10000000

static pthread_t thread;

static void *run(void *turns)
{
	for (int i = 0; i < *(int *)turns; i++) {
		called();
		for (volatile long round = 0; round < ROUNDS; round++)
			;
	}
	return NULL;
}

void thread_begin(int turns)
{
	static int all;

	all = turns;
	if (pthread_create(&thread, NULL, run, &all))
		abort();
}

void thread_end(void)
{
	pthread_join(thread, NULL);
}
