// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * makecontext(), swapcontext(), setcontext(). A coroutine that is left by swapcontext()
 * is in our swapcontext() when it is resumed, by whatever and on whichever
 * thread, and says there who it is. So does one that starts, in our function
 * around its own. Only contexts saved by getcontext() say nothing: whoever
 * resumes one says it for them, by the stack they are on.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdlib.h>

#include "../runtime.h"
#include "../preload/preload.h"
#include "../stacks/place.h"
#include "contexts.h"
#include "names.h"
#include "qemu.h"

#if defined(__x86_64__)
#define CONTEXT_PC(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RIP])
#define CONTEXT_SP(context) ((uintptr_t)(context)->uc_mcontext.gregs[REG_RSP])
#elif defined(__aarch64__)
#define CONTEXT_PC(context) ((uintptr_t)(context)->uc_mcontext.pc)
#define CONTEXT_SP(context) ((uintptr_t)(context)->uc_mcontext.sp)
#else
#error "tell here where a context keeps its program counter and stack pointer"
#endif

/* Code that, when a context is resumed in it, says which coroutine that is. */
#define SPEAKS __attribute__((section("coroprof_speaks"), noinline))
extern const char __start_coroprof_speaks[] __attribute__((visibility("hidden")));
extern const char __stop_coroprof_speaks[] __attribute__((visibility("hidden")));

#define STACK_POINTER ((uintptr_t)__builtin_frame_address(0))

typedef void make_fn(ucontext_t *context, void (*fn)(void), int argc, ...);
typedef int swap_fn(ucontext_t *from, const ucontext_t *to);
typedef int set_fn(const ucontext_t *to);

static make_fn *next_make(void)
{
	static void *kept;

	return (make_fn *)preload_kept(&kept, "makecontext");
}

/* Arguments too many do no harm to the function called. */
static void call(void (*fn)(void), int argc, const long *a)
{
	if (argc <= ARGS_FEW)
		((void (*)(long, long, long, long, long, long, long, long))fn)(
			a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
	else
		((void (*)(long, long, long, long, long, long, long, long,
			   long, long, long, long, long, long, long, long,
			   long, long, long, long, long, long, long, long,
			   long, long, long, long, long, long, long, long))fn)(
			a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7],
			a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15],
			a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23],
			a[24], a[25], a[26], a[27], a[28], a[29], a[30], a[31]);
}

/* Its function has returned. */
static void leave(struct context *context, unsigned long ends, const ucontext_t *link,
		  uintptr_t sp)
{
	coroprof_co co = context->stack.co;
	struct cstack *to;

	place_check(sp);
	if (!context_end(context, ends)) {
		place_go(link ? stack_find(CONTEXT_SP(link)) : NULL);
		return;
	}
	if (coroprof_current() != co)
		coroprof_switch_unreported(co);
	to = link ? stack_find(CONTEXT_SP(link)) : NULL;
	coroprof_switch_done(place_next(to));
}

/* What every coroutine runs. It gets the address of its context in two halves. */
static SPEAKS void run(unsigned int upper, unsigned int lower)
{
	struct context *context = (struct context *)((uintptr_t)upper << 32 | lower);
	const ucontext_t *link = context->link;
	unsigned long ends = context->ends;

	context->started = true;
	place_arrive(&context->stack, context->stack.co);
	call(context->fn, context->argc, context->args);
	leave(context, ends, link, STACK_POINTER);
}

static void make(const struct context *context, ucontext_t *ucontext)
{
	uintptr_t address = (uintptr_t)context;

	next_make()(ucontext, (void (*)(void))run, 2, (unsigned int)(address >> 32),
		    (unsigned int)address);
}

/* The same call again. Arguments take a whole register or place each. */
static void make_unknown(ucontext_t *ucontext, void (*fn)(void), int argc, const long *a)
{
	next_make()(ucontext, fn, argc, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7],
		    a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15],
		    a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23],
		    a[24], a[25], a[26], a[27], a[28], a[29], a[30], a[31]);
}

static struct adapter adapter = {
	.name = "ucontext",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES,
};

static struct context *begin(const ucontext_t *ucontext, void (*fn)(void), int argc,
			     const long *a)
{
	uintptr_t end = (uintptr_t)ucontext->uc_stack.ss_sp + ucontext->uc_stack.ss_size;
	struct context *context;
	coroprof_co co;

	place_settle();
	place_check(STACK_POINTER);
	co = runtime_new(qemu_program ? &qemu_adapter : &adapter,
			 coroprof_label_code(name_taken((void *)fn)), coroprof_current(), end);
	context = context_new(ucontext, fn, argc, a, co);
	if (!context)
		coroprof_done(co);
	return context;
}

EXPORT void makecontext(ucontext_t *ucontext, void (*fn)(void), int argc, ...)
{
	struct context *context;
	long a[ARGS_MAX] = { 0 };
	va_list args;

	if (argc > ARGS_MAX)
		abort();
	va_start(args, argc);
	for (int i = 0; i < argc; i++)
		a[i] = va_arg(args, long);
	va_end(args);

	context = ucontext_runtime.off ? NULL : begin(ucontext, fn, argc, a);
	if (context)
		make(context, ucontext);
	else
		make_unknown(ucontext, fn, argc, a);
}

static bool speaks(const ucontext_t *context)
{
	uintptr_t pc = CONTEXT_PC(context);

	return pc >= (uintptr_t)__start_coroprof_speaks && pc < (uintptr_t)__stop_coroprof_speaks;
}

static void announce(const ucontext_t *to)
{
	if (unlikely(!speaks(to)))
		place_go(stack_find(CONTEXT_SP(to)));
	else
		place_leave();
}

EXPORT SPEAKS int swapcontext(ucontext_t *from, const ucontext_t *to)
{
	static void *kept;
	swap_fn *swap = (swap_fn *)preload_kept(&kept, "swapcontext");
	struct cstack *stack;
	coroprof_co me;
	int ret;

	if (ucontext_runtime.off)
		return swap(from, to);
	place_check(STACK_POINTER);
	stack = place_here.stack;
	me = coroprof_current();
	announce(to);
	ret = swap(from, to);
	place_arrive(stack, me);
	return ret;
}

EXPORT int setcontext(const ucontext_t *to)
{
	static void *kept;
	set_fn *set = (set_fn *)preload_kept(&kept, "setcontext");

	if (!ucontext_runtime.off) {
		place_check(STACK_POINTER);
		announce(to);
	}
	return set(to);
}
