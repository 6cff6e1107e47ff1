// SPDX-License-Identifier: GPL-2.0
/* threads N: so many, which are there at the same time, and have one coroutine each. */
#include <pthread.h>
#include <stdlib.h>
#include <ucontext.h>

static pthread_barrier_t all;

struct pair {
	ucontext_t scheduler, coroutine;
	char stack[32768];
};

static _Thread_local struct pair *own;

static void work(void)
{
	for (;;)
		swapcontext(&own->coroutine, &own->scheduler);
}

static void *run(void *unused)
{
	own = calloc(1, sizeof(*own));
	getcontext(&own->coroutine);
	own->coroutine.uc_stack.ss_sp = own->stack;
	own->coroutine.uc_stack.ss_size = sizeof(own->stack);
	makecontext(&own->coroutine, work, 0);
	for (int i = 0; i < 10; i++) {
		swapcontext(&own->scheduler, &own->coroutine);
		pthread_barrier_wait(&all);
	}
	return unused;
}

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *threads = calloc(nr, sizeof(*threads));

	pthread_barrier_init(&all, NULL, nr);
	for (int i = 0; i < nr; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
