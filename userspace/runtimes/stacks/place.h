/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the calling thread is: on its own stack or on which coroutine's, by what
 * was told. Whoever is asked compares that with the stack pointer: where they
 * differ, the program has switched by other means as well.
 */
#ifndef PLACE_H
#define PLACE_H

#include <signal.h>

#include "stacks.h"

/* The stack the thread is on; NULL for its own, or one that is not known. */
extern __thread struct cstack *place_stack
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The stack pointer is @sp: if that is a surprise, tell so. */
void place_check(uintptr_t sp);
/* The thread leaves the stack it is on; what runs there then is kept. */
void place_leave(void);
/* It goes on there, with what ran there when that was left. */
void place_go(struct cstack *stack);
/* The same; the coroutine that is left has ended, and its stack waits for another. */
void place_end(struct cstack *to);
/* It is there, and runs @co. */
void place_arrive(struct cstack *stack, coroprof_co co);
/* As place_go(), but returns what to switch to. */
coroprof_co place_next(struct cstack *stack);
/* To be called before coroutines may be made of the thread's own memory. */
void place_settle(void);
/* The stack to go on that an address is on, or NULL. */
struct cstack *place_find(uintptr_t address);
bool place_on_signal_stack(stack_t *signal);

/*
 * What most jumps do: stay on the stack they begin on, be it a coroutine's or the
 * thread's own, far from any coroutine's. No more than some loads.
 */
static inline bool place_stays(uintptr_t address, uintptr_t sp)
{
	const struct cstack *stack = place_stack;

	if (stack)
		return stack_holds(stack, sp) && stack_holds(stack, address);
	return address > sp && !stack_possible(sp) && !stack_possible(address);
}

#endif /* PLACE_H */
