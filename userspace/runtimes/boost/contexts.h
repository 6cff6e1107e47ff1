/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Coroutines of Boost.Context. */
#ifndef BOOST_CONTEXTS_H
#define BOOST_CONTEXTS_H

#include <stdbool.h>

#include "../stacks/stacks.h"

/**
 * struct fcontext - a coroutine made by make_fcontext(), or Boost.Fiber's dispatcher: its
 *                   coroutine is COROPROF_THREAD, as what it does is the thread's
 * @stack:   its stack and who it is
 * @top:     the end of the stack as make_fcontext() was given. What Boost keeps of
 *           the coroutine lies above it, in the same memory
 * @record:  that, once the coroutine has first run, or 0
 * @started: it has first run
 * @ready:   Boost.Fiber's: it was woken since it last ran
 */
struct fcontext {
	struct cstack stack;
	uintptr_t top;
	uintptr_t record;
	bool started;
	bool ready;
};

/* One was made of the @size bytes below @top, that is to run @fn. */
void fcontext_new(uintptr_t top, uintptr_t size, const void *fn);
/* The coroutine of a stack, or NULL if that is not Boost's. */
struct fcontext *fcontext_of(struct cstack *stack);
/* It is about to run for the first time, and is given @data. */
void fcontext_start(struct fcontext *context, uintptr_t data);

/* It is about to run. */
static inline void fcontext_enter(struct fcontext *context, uintptr_t data)
{
	if (__builtin_expect(!context, 0))
		return;
	if (__builtin_expect(!context->started, 0))
		fcontext_start(context, data);
	context->ready = false;
}

#endif /* BOOST_CONTEXTS_H */
