// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which stack the thread is on, and what follows where it is another than was thought. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../runtime.h"
#include "place.h"

__thread struct place place_here;

/* The thread's own stack; nothing if that can't be known. */
static __thread struct {
	uintptr_t low;
	uintptr_t high;
	bool known;
} own __attribute__((tls_model("initial-exec")));

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
void place_settle_now(void)
{
	int saved = errno;

	if (!first_thread()) {
		look_up();
		stacks_forget(own.low, own.high);
	}
	place_here.settled = true;
	errno = saved;
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

static void surprise(struct cstack *stack)
{
	place_next(stack);
	coroprof_switch_unreported(place_outer(stack));
}

/*
 * Not where it was thought to be. If a coroutine had what is the thread's own stack
 * now, as an array in a function that has returned, then that one is gone.
 */
void place_look_around(uintptr_t sp)
{
	struct cstack *stack;
	stack_t signal;

	place_settle();
	stack = stack_find(sp);
	if (stack && stack != place_here.stack && on_own_stack(sp)) {
		stacks_forget(sp - 1, sp);
		stack = NULL;
	}
	if (stack != place_here.stack && (stack || !place_on_signal_stack(&signal)))
		surprise(stack);
}

void place_arrive(struct cstack *stack, coroprof_co co)
{
	place_next(stack);
	if (runtime_current != co)
		coroprof_switch(co);
}

void place_end(struct cstack *to)
{
	struct cstack *from = place_here.stack;

	from->co = from->inner = COROPROF_THREAD;
	coroprof_switch_done(place_next(to));
}
