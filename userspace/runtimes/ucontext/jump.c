// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * longjmp() and its kin. Most jumps stay on the stack they begin on. One to another
 * stack is a switch.
 *
 * They may be called in signal handlers. The last thing a hook does is to jump to
 * the function it stands for, with nothing left of itself on the stack:
 * __longjmp_chk() looks at the stack pointer.
 */
#include <stdlib.h>

#include "../../lib/internal.h"
#include "../preload/preload.h"
#include "jumpbuf.h"
#include "place.h"
#include "qemu.h"

typedef void jump_fn(void *env, int value);

static __attribute__((noinline)) void leave(uintptr_t target, uintptr_t sp, int value)
{
	place_check(sp);
	if (target)
		place_jump(target, sp, value);
}

static inline void announce(const void *env, uintptr_t sp, int value)
{
	uintptr_t target = jumpbuf_sp(env);

	if (unlikely(!place_stays(target, sp)))
		leave(target, sp, value);
}

static jump_fn *next(jump_fn **kept, const char *name)
{
	jump_fn *function = __atomic_load_n(kept, __ATOMIC_RELAXED);

	if (unlikely(!function)) {
		function = (jump_fn *)preload_next(name);
		if (!function)
			abort();
		__atomic_store_n(kept, function, __ATOMIC_RELAXED);
	}
	return function;
}

/* By another name, as the compiler believes that one so called never returns. */
#define HOOK(name)								\
	static jump_fn *next_##name;						\
	EXPORT void hook_##name(void *env, int value) __asm__(#name);		\
	EXPORT void hook_##name(void *env, int value)				\
	{									\
		if (likely(!preload_off))					\
			announce(env, (uintptr_t)__builtin_frame_address(0), value); \
		next(&next_##name, #name)(env, value);				\
	}

HOOK(longjmp)
HOOK(_longjmp)
HOOK(siglongjmp)
HOOK(__longjmp_chk)

/* Ahead of time: a signal handler can't look for a function safely. */
static __attribute__((constructor)) void constructor(void)
{
	next_longjmp = (jump_fn *)preload_next("longjmp");
	next__longjmp = (jump_fn *)preload_next("_longjmp");
	next_siglongjmp = (jump_fn *)preload_next("siglongjmp");
	next___longjmp_chk = (jump_fn *)preload_next("__longjmp_chk");
	jumpbuf_init();
	qemu_init();
}
