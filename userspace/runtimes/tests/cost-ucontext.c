// SPDX-License-Identifier: GPL-2.0
/*
 * cost-ucontext KIND COUNT: does a thing with swapcontext() so often, and no more.
 * The script `cost` beside this counts its instructions, with the preload library
 * and without.
 */
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

static void make(void)
{
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = STACK;
	makecontext(&coroutine, yields, 0);
}

int main(int argc, char **argv)
{
	long count = argc == 3 ? atol(argv[2]) : 0;

	if (!count || strcmp(argv[1], "swap"))
		return fprintf(stderr, "usage: cost-ucontext swap COUNT\n"), 2;
	make();
	for (long i = 0; i < count; i++)
		swapcontext(&scheduler, &coroutine);
	return 0;
}
