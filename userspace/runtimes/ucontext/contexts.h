/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coroutines made by makecontext(). */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include <ucontext.h>

#include "../stacks/stacks.h"

/* So many arguments fit into registers, or a little more. */
#define ARGS_FEW 8
/* More than any program has. */
#define ARGS_MAX 32

/**
 * struct context - a coroutine made by makecontext()
 * @stack:   its stack and who it is
 * @started: it has begun to run
 * @named:   QEMU's: it has the label of what it was entered for
 * @ends:    how many coroutines that this stood for have ended
 * @link:    what runs when it returns, or NULL
 * @fn:      what it runs
 * @argc:    with so many arguments
 * @args:    these, and zeroes
 */
struct context {
	struct cstack stack;
	bool started;
	bool named;
	unsigned long ends;
	ucontext_t *link;
	void (*fn)(void);
	int argc;
	long args[ARGS_MAX];
};

/* For what makecontext() was called with, or NULL without memory. Its stack is its own now. */
struct context *context_new(const ucontext_t *ucontext, void (*fn)(void), int argc,
			    const long *args, coroprof_co co);
/*
 * It has returned. False if it ended before, when another was made on a part of its
 * stack, as in an array of its function: @context may stand for another one then.
 * @ends was there when it started.
 */
bool context_end(struct context *context, unsigned long ends);

#endif /* CONTEXTS_H */
