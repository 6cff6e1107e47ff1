// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../runtime.h"
#include "place.h"

__thread struct cstack *place_stack;

/* Of the thread's own stack: what struct cstack.inner is of another. */
static __thread coroprof_co thread_inner;

/* The thread's own stack; nothing if that can't be told. */
static __thread struct {
	uintptr_t low;
	uintptr_t high;
	bool known;
} own;

static void look_up(void)
{
	pthread_attr_t attr;
	size_t size = 0;
	void *low = NULL;

	own.known = true;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	pthread_attr_getstack(&attr, &low, &size);
	pthread_attr_destroy(&attr);
	own.low = (uintptr_t)low;
	own.high = (uintptr_t)low + size;
}

static bool first_thread(void)
{
	return syscall(SYS_gettid) == getpid();
}

/*
 * A new thread may have got memory that coroutines had, which are gone then. The
 * first thread has memory that nobody had.
 */
void place_settle(void)
{
	int saved = errno;

	if (!own.known && !first_thread()) {
		look_up();
		stacks_forget(own.low, own.high);
	}
	errno = saved;
}

struct cstack *place_find(uintptr_t address)
{
	struct cstack *stack = stack_find(address);

	if (likely(!stack || stack == place_stack || own.known))
		return stack;
	place_settle();
	return stack_find(address);
}

/* Whether the thread is on its own stack, where that is known by more than the tree. */
static bool on_own_stack(uintptr_t sp)
{
	int saved = errno;

	if (!own.known)
		look_up();
	errno = saved;
	return sp > own.low && sp <= own.high;
}

bool place_on_signal_stack(stack_t *signal)
{
	return !sigaltstack(NULL, signal) && signal->ss_flags & SS_ONSTACK;
}

static coroprof_co *inner(struct cstack *stack)
{
	return stack ? &stack->inner : &thread_inner;
}

static coroprof_co outer(const struct cstack *stack)
{
	return stack ? stack->co : COROPROF_THREAD;
}

static void surprise(struct cstack *stack)
{
	place_stack = stack;
	*inner(stack) = outer(stack);
	coroprof_switch_missed(outer(stack));
}

/*
 * Not where it was thought to be. If a coroutine had what is the thread's own stack
 * now, as an array in a function that has returned, then that one is gone.
 */
static void look_around(uintptr_t sp)
{
	struct cstack *stack;
	stack_t signal;

	place_settle();
	stack = stack_find(sp);
	if (stack && stack != place_stack && on_own_stack(sp)) {
		stacks_forget(sp - 1, sp);
		stack = NULL;
	}
	if (stack != place_stack && (stack || !place_on_signal_stack(&signal)))
		surprise(stack);
}

void place_check(uintptr_t sp)
{
	if (place_stack && stack_holds(place_stack, sp))
		return;
	if (place_stack || stack_find(sp))
		look_around(sp);
}

void place_leave(void)
{
	*inner(place_stack) = coroprof_current();
}

coroprof_co place_next(struct cstack *stack)
{
	coroprof_co next = *inner(stack);

	*inner(stack) = outer(stack);
	place_stack = stack;
	return next;
}

void place_arrive(struct cstack *stack, coroprof_co co)
{
	place_next(stack);
	if (coroprof_current() != co)
		coroprof_switch(co);
}

void place_go(struct cstack *stack)
{
	if (stack == place_stack)
		return;
	place_leave();
	coroprof_switch(place_next(stack));
}

void place_end(struct cstack *to)
{
	struct cstack *from = place_stack;

	from->co = from->inner = COROPROF_THREAD;
	coroprof_switch_done(place_next(to));
}
