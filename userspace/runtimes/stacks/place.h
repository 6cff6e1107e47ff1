/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the calling thread is: on its own stack or on which coroutine's, by what
 * was reported. Whoever is asked compares that with the stack pointer: where they
 * differ, the program has switched by other means as well.
 */
#ifndef PLACE_H
#define PLACE_H

#include <signal.h>

#include "../runtime.h"
#include "stacks.h"

/**
 * struct place - where the calling thread is
 * @stack:   the stack it is on; NULL for its own, or one that is not known
 * @inner:   of its own stack: what struct cstack.inner is of another
 * @settled: memory that it has got for its own stack is no coroutine's any more
 */
struct place {
	struct cstack *stack;
	coroprof_co inner;
	bool settled;
};

extern __thread struct place place_here
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

void place_settle_now(void);
void place_look_around(uintptr_t sp);
/* It is there, and runs @co. */
void place_arrive(struct cstack *stack, coroprof_co co);
/* As place_go(); the coroutine that is left has ended, and its stack waits for another. */
void place_end(struct cstack *to);
bool place_on_signal_stack(stack_t *signal);

/* To be called before coroutines may be made of the thread's own memory. */
static inline void place_settle(void)
{
	if (unlikely(!place_here.settled))
		place_settle_now();
}

/* The stack to go on that an address is on, or NULL. */
static inline struct cstack *place_find(uintptr_t address)
{
	struct cstack *stack = stack_find(address);

	if (likely(!stack || stack == place_here.stack || place_here.settled))
		return stack;
	place_settle_now();
	return stack_find(address);
}

/* The stack pointer is @sp: if that is a surprise, say so. */
static inline void place_check(uintptr_t sp)
{
	if (likely(place_here.stack && stack_holds(place_here.stack, sp)))
		return;
	if (unlikely(place_here.stack || stack_find(sp)))
		place_look_around(sp);
}

static inline coroprof_co *place_inner(struct cstack *stack)
{
	return stack ? &stack->inner : &place_here.inner;
}

static inline coroprof_co place_outer(const struct cstack *stack)
{
	return stack ? stack->co : COROPROF_THREAD;
}

/* The thread leaves the stack it is on; what runs there then is kept. */
static inline void place_leave(void)
{
	*place_inner(place_here.stack) = runtime_current;
}

/* It goes on there. Returns what ran there when that was left, to switch to. */
static inline coroprof_co place_next(struct cstack *stack)
{
	coroprof_co *inner = place_inner(stack), next = *inner;

	*inner = place_outer(stack);
	place_here.stack = stack;
	return next;
}

/* The same, and switches. */
static inline void place_go(struct cstack *stack)
{
	if (unlikely(stack == place_here.stack))
		return;
	place_leave();
	runtime_switch(place_next(stack));
}

/*
 * What most jumps do: stay on the stack they begin on, be it a coroutine's or the
 * thread's own, far from any coroutine's. No more than some loads.
 */
static inline bool place_stays(uintptr_t address, uintptr_t sp)
{
	const struct cstack *stack = place_here.stack;

	if (stack)
		return stack_holds(stack, sp) && stack_holds(stack, address);
	return address > sp && !stack_possible(sp) && !stack_possible(address);
}

#endif /* PLACE_H */
