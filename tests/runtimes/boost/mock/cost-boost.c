// SPDX-License-Identifier: GPL-2.0
/*
 * cost-boost KIND COUNT: does a thing with Boost.Context so often, and no more. The
 * script `cost` beside this counts its instructions, with the preload library and
 * without.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct transfer {
	void *context;
	void *data;
};

extern void *make_fcontext(void *top, size_t size, void (*fn)(struct transfer));
extern struct transfer jump_fcontext(void *to, void *data);

/* As many as a server may have. */
#define STACKS 1000
#define STACK 4096

static char stacks[STACKS][STACK] __attribute__((aligned(16)));

static void yields(struct transfer t)
{
	for (;;)
		t = jump_fcontext(t.context, NULL);
}

static void *make(int stack)
{
	return make_fcontext(stacks[stack] + STACK, STACK, yields);
}

/* Into a coroutine, one after the other, and back. */
static void jump(long count)
{
	void *contexts[STACKS];

	for (int i = 0; i < STACKS; i++)
		contexts[i] = make(i);
	for (long i = 0; i < count; i++)
		contexts[i % STACKS] = jump_fcontext(contexts[i % STACKS], NULL).context;
}

/* Made on a stack that had one before, and entered once. */
static void life(long count)
{
	for (long i = 0; i < count; i++)
		jump_fcontext(make(0), NULL);
}

int main(int argc, char **argv)
{
	long count = argc == 3 ? atol(argv[2]) : 0;

	if (count && !strcmp(argv[1], "jump"))
		jump(count);
	else if (count && !strcmp(argv[1], "life"))
		life(count);
	else
		return fprintf(stderr, "usage: cost-boost jump|life COUNT\n"), 2;
	return 0;
}
