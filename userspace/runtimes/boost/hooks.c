// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Boost.Context, and what is built on it: Coroutine, Coroutine2, Fiber, and
 * programs that call it themselves. Its contexts are stack pointers, another at each
 * switch: a coroutine is known by the stack that it lies on.
 *
 * All that is to be reported is reported before the switch, and the last thing a hook does
 * is to jump to the function it stands for. So exceptions that leave a coroutine
 * by way of its last switch meet nothing of ours.
 */
#include <stdlib.h>

#include "../preload/scope.h"
#include "../preload/table.h"
#include "../runtime.h"
#include "../stacks/place.h"
#include "contexts.h"
#include "original.h"

struct runtime boost_runtime;

/* What jump_fcontext() gives to the coroutine it enters, in two registers. */
struct transfer {
	void *context;
	void *data;
};

/*
 * Before Boost 1.61 they took other arguments: all that registers hold are passed
 * on, and without ontop_fcontext() nothing is reported.
 */
#define PARAMETERS uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d
#define ARGUMENTS a, b, c, d

typedef struct transfer switch_fn(PARAMETERS);
typedef uintptr_t make_fn(PARAMETERS);

enum hook { MAKE, JUMP, ONTOP, HOOKS };

static const char *const names[] = {
	[MAKE] = "make_fcontext", [JUMP] = "jump_fcontext", [ONTOP] = "ontop_fcontext",
};

/**
 * struct site - a place that calls a hook
 * @original: what it would have called without us
 * @report:   that is of a Boost whose functions are known
 */
struct site {
	struct table_node node;
	void *original;
	bool report;
};

static struct table_node *buckets[256];
static const struct table sites = { buckets, 256, sizeof(struct site) };

static bool has_ontop(const void *original)
{
	return scope_sibling(original, names[ONTOP]) != NULL;
}

static __attribute__((noinline)) const struct site *site_new(enum hook hook, const void *caller)
{
	/* Without memory to remember it the call has to get there all the same. */
	static __thread struct site forgotten;
	struct site *site = calloc(1, sizeof(*site));
	bool kept = site != NULL;

	if (!site)
		site = &forgotten;
	site->node.key = (uintptr_t)caller * HOOKS + hook;
	site->original = boost_original(names[hook], caller);
	site->report = !boost_runtime.off && has_ontop(site->original);
	return kept ? table_add(&sites, &site->node) : site;
}

static inline const struct site *site_of(enum hook hook, const void *caller)
{
	const struct site *site = table_find(&sites, (uintptr_t)caller * HOOKS + hook);

	return likely(site != NULL) ? site : site_new(hook, caller);
}

#define SITE(hook) site_of(hook, __builtin_return_address(0))
#define STACK_POINTER ((uintptr_t)__builtin_frame_address(0))

EXPORT uintptr_t make_fcontext(PARAMETERS)
{
	const struct site *site = SITE(MAKE);

	if (site->report) {
		place_check(STACK_POINTER);
		fcontext_new(a, b, (const void *)c);
	}
	return ((make_fn *)site->original)(ARGUMENTS);
}

/* The thread goes on at @to, which is given @data. */
static inline void go(uintptr_t to, uintptr_t data, uintptr_t sp)
{
	struct cstack *stack;

	place_check(sp);
	stack = place_find(to);
	fcontext_enter(fcontext_of(stack), data);
	place_go(stack);
}

EXPORT struct transfer jump_fcontext(PARAMETERS)
{
	const struct site *site = SITE(JUMP);

	if (likely(site->report))
		go(a, b, STACK_POINTER);
	return ((switch_fn *)site->original)(ARGUMENTS);
}

/*
 * A coroutine of Boost.Context that is over has its record destroyed, and its stack with it, by a
 * function that it runs on top of another coroutine.
 */
static bool ends(uintptr_t data)
{
	const struct fcontext *from = fcontext_of(place_here.stack);

	return from && from->record && from->record == data &&
	       from->stack.co != COROPROF_THREAD && from->stack.co == coroprof_current();
}

EXPORT struct transfer ontop_fcontext(PARAMETERS)
{
	const struct site *site = SITE(ONTOP);

	if (likely(site->report)) {
		place_check(STACK_POINTER);
		if (ends(b))
			place_end(place_find(a));
		else
			go(a, 0, STACK_POINTER);
	}
	return ((switch_fn *)site->original)(ARGUMENTS);
}
