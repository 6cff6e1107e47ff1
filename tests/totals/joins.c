// SPDX-License-Identifier: GPL-2.0
/*
 * joins threads | births | pool [TIMES]: threads that live shortly, and join to run one coroutine;
 * coroutines that live shortly, in one thread; threads that never have a coroutine, beside one
 * that has; TIMES as long. Prints what was told of the label, as births does, and for a pool how many threads
 * there are and what they run; and for how many nanoseconds all of it was on a CPU. The work is the same whether it is
 * recorded or not.
 */
#include <coroprof/coroprof.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../harness/rounds.h"

#define THREADS	300
#define BIRTHS	10000
#define POOL	3
#define SHORT	20000ul		/* rounds of a slice in a thread that lives shortly */
#define BIRTH	100ul		/* of a coroutine that does */
#define LONG	20000000ul	/* of a thread without coroutines */

static uint32_t label;

static void *in_coroutine(void *rounds_of)
{
	coroprof_switch(coroprof_new(label, COROPROF_THREAD, 0));
	rounds((uintptr_t)rounds_of);
	coroprof_switch_done(COROPROF_THREAD);
	return NULL;
}

static void *without(void *rounds_of)
{
	rounds((uintptr_t)rounds_of);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;

	for (int i = 0; i < THREADS; i++) {
		pthread_create(&thread, NULL, in_coroutine, (void *)SHORT);
		pthread_join(thread, NULL);
	}
	printf("work %d %d %lu\n", THREADS, THREADS, THREADS * 3 * SHORT);
}

static void births(void)
{
	for (int i = 0; i < BIRTHS; i++)
		in_coroutine((void *)BIRTH);
	printf("work %d %d %lu\n", BIRTHS, BIRTHS, BIRTHS * 3 * BIRTH);
}

static void pool(int times)
{
	pthread_t thread[POOL];
	unsigned long work = times * LONG;

	for (int i = 0; i < POOL; i++)
		pthread_create(&thread[i], NULL, without, (void *)work);
	in_coroutine((void *)work);
	for (int i = 0; i < POOL; i++)
		pthread_join(thread[i], NULL);
	printf("pool %d %lu\n", POOL, POOL * 3 * work);
}

static void say_cpu(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	printf("cpu %ld\n", cpu.tv_sec * 1000000000L + cpu.tv_nsec);
}

int main(int argc, char **argv)
{
	label = coroprof_label("work");
	if (argc > 1 && !strcmp(argv[1], "threads"))
		threads();
	else if (argc > 1 && !strcmp(argv[1], "births"))
		births();
	else
		pool(argc > 2 ? atoi(argv[2]) : 1);
	say_cpu();
	return 0;
}
