/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include <ucontext.h>

#include <coroprof/coroprof.h>

/**
 * struct context - a coroutine made by makecontext()
 * @low:     its stack
 * @high:    end of that
 * @co:      the coroutine
 * @started: it has begun to run
 * @link:    what runs when it returns, or NULL
 * @fn:      what it runs
 * @argc:    with so many arguments
 * @args:    these, and zeroes up to what CONTEXT_ARGS() says
 */
struct context {
	uintptr_t low;
	uintptr_t high;
	coroprof_co co;
	bool started;
	ucontext_t *link;
	void (*fn)(void);
	int argc;
	long args[];
};

/* The coroutine whose stack an address is on, or the thread. */
coroprof_co stack_coroutine(uintptr_t address);
/* From now on the stack is this one's. Whoever had any of it before is done. */
void stack_take(struct context *context);
/* It is nobody's. */
void stack_leave(struct context *context);

#endif /* STACKS_H */
