// SPDX-License-Identifier: GPL-2.0
/*
 * [TURNS [close]]: one coroutine of ucontext, NAME, that runs and yields for a while: what the preload library records. With
 * "close" it closes all descriptors after half of that, as daemons do.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static ucontext_t scheduler, coroutine;

static void spend(long ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec < ns);
}

void NAME(void)
{
	for (;;) {
		spend(2000000);
		swapcontext(&coroutine, &scheduler);
	}
}

int main(int argc, char **argv)
{
	static char stack[65536];
	int turns = argc > 1 ? atoi(argv[1]) : 100;

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = sizeof(stack);
	makecontext(&coroutine, NAME, 0);
	for (int i = 0; i < turns; i++) {
		if (argc > 2 && i == turns / 2)
			closefrom(3);
		swapcontext(&scheduler, &coroutine);
	}
	return 0;
}
