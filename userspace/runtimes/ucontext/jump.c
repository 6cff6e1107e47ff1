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

#include "../runtime.h"
#include "../preload/preload.h"
#include "../stacks/place.h"
#include "jumpbuf.h"
#include "qemu.h"

typedef void jump_fn(void *env, int value);

static void go_qemu(struct cstack *to, int value)
{
	struct cstack *from = place_here.stack;

	if (value == QEMU_ENTER && to)
		qemu_enter(to);
	if (value == QEMU_TERMINATE && from && from->co != COROPROF_THREAD &&
	    from->co == coroprof_current())
		place_end(to);
	else
		place_go(to);
}

static void go(struct cstack *stack, int value)
{
	if (unlikely(qemu_program) && stack != place_here.stack)
		go_qemu(stack, value);
	else
		place_go(stack);
}

/*
 * To memory that is nobody's. A jump within a stack leads upwards: what leads down
 * leads to a stack that was not made by makecontext(), or back from a signal's.
 */
static void go_unknown(uintptr_t address, uintptr_t sp, int value)
{
	stack_t signal;

	if (!place_here.stack && address > sp)
		return;
	if (place_on_signal_stack(&signal)) {
		if (address - (uintptr_t)signal.ss_sp > signal.ss_size)
			place_go(NULL);
	} else if (place_here.stack) {
		go(NULL, value);
	} else {
		coroprof_switch_unreported(coroprof_current());
	}
}

/* By a jump to an address, from @sp, by which longjmp() returns @value. */
static void jump(uintptr_t address, uintptr_t sp, int value)
{
	struct cstack *stack;

	if (place_here.stack && stack_holds(place_here.stack, address))
		return;
	stack = place_find(address);
	if (stack)
		go(stack, value);
	else
		go_unknown(address, sp, value);
}

static __attribute__((noinline)) void leave(uintptr_t target, uintptr_t sp, int value)
{
	place_check(sp);
	if (target)
		jump(target, sp, value);
}

static inline void announce(const void *env, uintptr_t sp, int value)
{
	uintptr_t target = jumpbuf_sp(env);

	if (unlikely(!place_stays(target, sp)))
		leave(target, sp, value);
}

/* By another name, as the compiler believes that one so called never returns. */
#define HOOK(name)								\
	static void *next_##name;						\
	EXPORT void hook_##name(void *env, int value) __asm__(#name);		\
	EXPORT void hook_##name(void *env, int value)				\
	{									\
		if (likely(!ucontext_runtime.off))					\
			announce(env, (uintptr_t)__builtin_frame_address(0), value); \
		((jump_fn *)preload_kept(&next_##name, #name))(env, value);	\
	}

HOOK(longjmp)
HOOK(_longjmp)
HOOK(siglongjmp)
HOOK(__longjmp_chk)

/* Ahead of time: a signal handler can't look for a function safely. */
static __attribute__((constructor)) void constructor(void)
{
	next_longjmp = preload_next("longjmp");
	next__longjmp = preload_next("_longjmp");
	next_siglongjmp = preload_next("siglongjmp");
	next___longjmp_chk = preload_next("__longjmp_chk");
}

static void begin(void)
{
	jumpbuf_init();
	qemu_init();
}

struct runtime ucontext_runtime = { .begin = begin };
