// SPDX-License-Identifier: GPL-2.0
/*
 * Threads whose work is known: each of WORKERS gets a name of its own, and runs loops of so many units; one sleeps between
 * them; one ends by pthread_exit(), one is cancelled, one can't be; a child of fork() works on; and main() has two units. It has no
 * coroutines, and knows nothing of coroprof.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../harness/rounds.h"

enum { UNIT = 1000000, NAPS = 5, WORKERS = 4 };

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

static void *work(void *units)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%d", (int)(long)units);
	pthread_setname_np(pthread_self(), name);
	rounds((unsigned long)units * UNIT);
	return units;
}

static void *sleeps(void *unused)
{
	for (int i = 0; i < NAPS; i++) {
		nap();
		rounds(UNIT);
	}
	return unused;
}

static void *exits(void *unused)
{
	rounds(5 * UNIT);
	pthread_exit(unused);
}

static void *waits(void *unused)
{
	rounds(6 * UNIT);
	for (;;)
		pause();
	return unused;
}

/* Is cancelled before it runs, and forbids that first. */
static void *finishes(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	rounds(8 * UNIT);
	return unused;
}

static pthread_t begin(void *(*function)(void *), long argument)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, (void *)argument))
		abort();
	return thread;
}

static void end(pthread_t thread, void *result)
{
	void *got;

	if (pthread_join(thread, &got) || got != result)
		abort();
}

int main(void)
{
	pthread_t worker[WORKERS + 1], thread;
	int status;

	rounds(2 * UNIT);
	for (long i = 1; i <= WORKERS; i++)
		worker[i] = begin(work, i);
	for (long i = 1; i <= WORKERS; i++)
		end(worker[i], (void *)i);
	end(begin(sleeps, 0), NULL);
	end(begin(exits, 0), NULL);
	thread = begin(waits, 0);
	for (int i = 0; i < 20; i++)
		nap();
	pthread_cancel(thread);
	end(thread, PTHREAD_CANCELED);
	thread = begin(finishes, 0);
	pthread_cancel(thread);
	end(thread, NULL);
	if (!fork()) {
		rounds(7 * UNIT);
		_exit(5);
	}
	wait(&status);
	return WEXITSTATUS(status) + 2;
}
