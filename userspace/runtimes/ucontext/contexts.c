// SPDX-License-Identifier: LGPL-2.1-or-later
/* Coroutines made by makecontext(), by their stacks: made, ended, and used again. */
#include <stdlib.h>
#include <string.h>

#include "../runtime.h"
#include "contexts.h"

/* Linked by @stack.left. The lock of the library guards it. */
static struct cstack *unused;

static void give_back(struct context *context)
{
	context->ends++;
	__atomic_store_n(&context->stack.left, unused, __ATOMIC_RELAXED);
	unused = &context->stack;
}

static struct context *take(void)
{
	struct cstack *stack = unused;

	if (!stack)
		return calloc(1, sizeof(struct context));
	unused = stack->left;
	return (struct context *)stack;
}

/*
 * One that has not started may still do so, if the program knows that the
 * stack is free by then: it is not used for another. One that runs, and makes
 * another of the stack it is on, can't be done below the lock.
 */
static void gone(struct cstack *old)
{
	struct context *context = (struct context *)old;

	if (old->co != coroprof_current())
		coroprof_done(old->co);
	if (context->started)
		give_back(context);
	else
		old->co = old->inner = COROPROF_THREAD;
}

static void fill(struct context *new, const ucontext_t *ucontext, void (*fn)(void), int argc,
		 const long *args)
{
	new->started = false;
	new->named = false;
	new->link = ucontext->uc_link;
	new->fn = fn;
	new->argc = argc;
	memcpy(new->args, args, (argc > ARGS_FEW ? ARGS_MAX : ARGS_FEW) * sizeof(*args));
}

/*
 * Most programs make the next coroutine where one has ended: then the tree stays as it is, and
 * whoever makes a coroutine of the memory has it alone.
 */
static struct context *ended_in(uintptr_t low, uintptr_t high)
{
	struct cstack *stack = stack_find(high);

	if (!stack || stack->gone != gone || stack->low != low || stack->high != high ||
	    stack->co != COROPROF_THREAD)
		return NULL;
	return (struct context *)stack;
}

struct context *context_new(const ucontext_t *ucontext, void (*fn)(void), int argc,
			    const long *args, coroprof_co co)
{
	uintptr_t low = (uintptr_t)ucontext->uc_stack.ss_sp;
	uintptr_t high = low + ucontext->uc_stack.ss_size;
	struct context *new = ended_in(low, high);

	if (likely(new)) {
		fill(new, ucontext, fn, argc, args);
		new->stack.co = new->stack.inner = co;
		return new;
	}
	coroprof_lock();
	new = take();
	if (new) {
		fill(new, ucontext, fn, argc, args);
		new->stack.co = new->stack.inner = co;
		new->stack.gone = gone;
	}
	stack_take(low, high, new ? &new->stack : NULL);
	coroprof_unlock();
	return new;
}

/*
 * Its stack stays in the tree, as nobody's, until the memory is used for another. So an end takes
 * no lock, which would be two calls of the kernel, nor does a beginning with the same bounds.
 */
bool context_end(struct context *context, unsigned long ends)
{
	if (context->ends != ends)
		return false;
	context->stack.co = context->stack.inner = COROPROF_THREAD;
	return true;
}
