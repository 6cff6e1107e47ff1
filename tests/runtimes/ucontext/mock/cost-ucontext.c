// SPDX-License-Identifier: GPL-2.0
/*
 * cost-ucontext KIND COUNT: does a thing with swapcontext() so often, and no more.
 * The script `cost` beside this counts its instructions, with the preload library
 * and without.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK 65536

static ucontext_t scheduler, coroutine;
static char stack[STACK] __attribute__((aligned(16)));

static void yields(void)
{
	for (;;)
		swapcontext(&coroutine, &scheduler);
}

static void returns(void)
{
}

static void make(void (*fn)(void))
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = &scheduler;
	makecontext(&coroutine, fn, 0);
}

int main(int argc, char **argv)
{
	long count = argc == 3 ? atol(argv[2]) : 0;

	bool life = argc == 3 && !strcmp(argv[1], "life");

	if (!count || (!life && strcmp(argv[1], "swap")))
		return fprintf(stderr, "usage: cost-ucontext swap|life COUNT\n"), 2;
	make(yields);
	for (long i = 0; i < count; i++) {
		if (life)
			make(returns);
		swapcontext(&scheduler, &coroutine);
	}
	return 0;
}
