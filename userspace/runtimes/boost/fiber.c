// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Boost.Fiber's schedulers. A fiber is ready when another makes it so, which may be
 * on another thread, or when one of Boost's algorithms is given it, which is also
 * where those come that have slept. Of both the first is reported. Boost keeps what it
 * knows of a fiber on the fiber's stack: there it is known by.
 */
#include "../runtime.h"
#include "../stacks/place.h"
#include "contexts.h"
#include "original.h"

static struct adapter adapter = {
	.name = "Boost.Fiber",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES |
		COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
};

static void woken(uintptr_t object)
{
	struct fcontext *context = fcontext_of(stack_find(object));

	if (!context || context->ready || &context->stack == place_here.stack)
		return;
	context->ready = true;
	if (unlikely(!__atomic_load_n(&adapter.reported, __ATOMIC_RELAXED)))
		runtime_report(&adapter);
	coroprof_wake(context->stack.inner);
}

typedef uintptr_t wake_fn(uintptr_t self, uintptr_t object);

static wake_fn *next(wake_fn **kept, const char *name, const void *caller)
{
	wake_fn *function = __atomic_load_n(kept, __ATOMIC_RELAXED);

	if (unlikely(!function)) {
		function = (wake_fn *)boost_original(name, caller);
		__atomic_store_n(kept, function, __ATOMIC_RELAXED);
	}
	return function;
}

/* A member function that is given the fiber. */
#define HOOK(name)								\
	EXPORT uintptr_t name(uintptr_t self, uintptr_t object)			\
	{									\
		static wake_fn *kept;						\
										\
		if (unlikely(runtime_recorded()) && !boost_runtime.off)		\
			woken(object);						\
		return next(&kept, #name, __builtin_return_address(0))(self, object); \
	}

/* boost::fibers::context::schedule(context *) */
HOOK(_ZN5boost6fibers7context8scheduleEPS1_)
/* boost::fibers::algo::round_robin::awakened(context *), and of the others */
HOOK(_ZN5boost6fibers4algo11round_robin8awakenedEPNS0_7contextE)
HOOK(_ZN5boost6fibers4algo11shared_work8awakenedEPNS0_7contextE)
HOOK(_ZN5boost6fibers4algo13work_stealing8awakenedEPNS0_7contextE)
HOOK(_ZN5boost6fibers4numa4algo13work_stealing8awakenedEPNS0_7contextE)
