// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ruby reports each switch between fibers to whoever asks for it. It can be asked once it has set
 * itself up, and before it runs anything: when ruby_setup() returns, which ruby_init() calls.
 * No file is required, no variable is set, and no object of Ruby is made.
 */
#include <stdlib.h>

#include "../preload/scope.h"
#include "fibers.h"

struct runtime ruby_runtime;

static void *next(void **kept, const char *name, const void *caller)
{
	void *function = __atomic_load_n(kept, __ATOMIC_RELAXED);

	if (unlikely(!function)) {
		function = scope_original(name, caller);
		__atomic_store_n(kept, function, __ATOMIC_RELAXED);
	}
	return function;
}

#define NEXT(name) ({								\
	static void *kept;							\
										\
	(__typeof__(&name))next(&kept, #name, __builtin_return_address(0));	\
})

/* Threads that are several threads of the system: only what one begins with would be known. */
static bool has_moving_threads(void)
{
	const char *value = getenv("RUBY_MN_THREADS");

	return ruby.version[1] >= 3 && value && atoi(value);
}

static bool listens;

static void listen(const void *setup)
{
	if (ruby_runtime.off || listens)
		return;
	if (!ruby_find(setup) || has_moving_threads()) {
		coroprof_debug("this Ruby is not known: its fibers are not told");
		return;
	}
	listens = true;
	ruby.add_event_hook(fiber_listener, RUBY_FIBER_SWITCH | RUBY_THREAD_BEGIN, 0);
}

int ruby_setup(void);
void ruby_init(void);
VALUE rb_fiber_new(void *function, VALUE argument);
VALUE rb_fiber_scheduler_unblock(VALUE scheduler, VALUE blocker, VALUE fiber);

EXPORT int ruby_setup(void)
{
	__typeof__(&ruby_setup) original = NEXT(ruby_setup);
	int state = original();

	if (!state)
		listen((const void *)original);
	return state;
}

/* It may call a ruby_setup() before which nothing can stand. */
EXPORT void ruby_init(void)
{
	__typeof__(&ruby_init) original = NEXT(ruby_init);

	original();
	listen((const void *)original);
}

/* Fibers whose code is in C, above all those of enumerators. */
EXPORT VALUE rb_fiber_new(void *function, VALUE argument)
{
	VALUE self = NEXT(rb_fiber_new)(function, argument);
	struct fiber *fiber = listens && runtime_recorded() ? fiber_of(self, true) : NULL;

	if (unlikely(fiber))
		fiber->label = fiber_label_here();
	return self;
}

/* What a fiber waits for has come: Ruby informs the program's own scheduler, from any thread. */
EXPORT VALUE rb_fiber_scheduler_unblock(VALUE scheduler, VALUE blocker, VALUE self)
{
	struct fiber *fiber = listens && runtime_recorded() ? fiber_of(self, false) : NULL;

	if (fiber && fiber->co && fiber->co != runtime_current)
		coroprof_wake(fiber->co);
	return NEXT(rb_fiber_scheduler_unblock)(scheduler, blocker, self);
}
