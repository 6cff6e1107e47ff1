// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The stacks of coroutines, a tree of intervals that do not overlap. A program
 * does not say that it gives a coroutine up: it uses the stack for another.
 */
#include <search.h>
#include <stdlib.h>

#include "../../lib/internal.h"
#include "stacks.h"

static void *tree;

/* Those that overlap are equal. */
static int compare(const void *left, const void *right)
{
	const struct context *a = left, *b = right;

	if (a->high <= b->low)
		return -1;
	return a->low >= b->high;
}

static struct context *find(uintptr_t low, uintptr_t high)
{
	struct context key = { .low = low, .high = high };
	void *node = tfind(&key, &tree, compare);

	return node ? *(struct context **)node : NULL;
}

coroprof_co stack_coroutine(uintptr_t address)
{
	struct context *context;
	coroprof_co co;

	coroprof_lock();
	/* An empty stack's pointer is its end. */
	context = find(address - 1, address);
	co = context ? context->co : COROPROF_THREAD;
	coroprof_unlock();
	return co;
}

/*
 * One that has not started may still do so, if the program knows that the
 * stack is free by then: it stays in memory.
 */
static void replace(struct context *old)
{
	tdelete(old, &tree, compare);
	coroprof_done(old->co);
	if (old->started)
		free(old);
	else
		old->co = COROPROF_THREAD;
}

void stack_take(struct context *context)
{
	struct context *old;

	coroprof_lock();
	while ((old = find(context->low, context->high)))
		replace(old);
	tsearch(context, &tree, compare);
	coroprof_unlock();
}

void stack_leave(struct context *context)
{
	coroprof_lock();
	if (find(context->low, context->high) == context)
		tdelete(context, &tree, compare);
	coroprof_unlock();
	free(context);
}
