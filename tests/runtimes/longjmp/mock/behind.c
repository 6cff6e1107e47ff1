// SPDX-License-Identifier: GPL-2.0
/*
 * A program that also switches stacks in a way that the preload library can't see:
 * the compiler's own setjmp() and longjmp() are a few instructions, and no calls.
 */
#include "order.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static ucontext_t thread, a, b, resume;
static void *mark_thread[5], *mark_a[5];
static void (*action)(void);
static volatile int visits;

static __attribute__((noinline)) void go(void **mark)
{
	__builtin_longjmp(mark, 1);
}

/* In the first coroutine, from the thread. It comes back by whatever means. */
static __attribute__((noinline)) void behind(void (*fn)(void))
{
	action = fn;
	if (!__builtin_setjmp(mark_thread))
		go(mark_a);
}

static void make(ucontext_t *context, int n, void (*fn)(void))
{
	getcontext(context);
	context->uc_stack.ss_sp = stacks[n];
	context->uc_stack.ss_size = STACK;
	context->uc_link = &resume;
	makecontext(context, fn, 0);
}

static __attribute__((noinline)) void wait_reported(void)
{
	if (!__builtin_setjmp(mark_a))
		swapcontext(&a, &thread);
}

static void acts(void)
{
	wait_reported();
	action();
}

/* There is a coroutine, and the thread runs. */
static void prepare(void)
{
	make(&a, 0, acts);
	swapcontext(&thread, &a);
	order();
}

static void swaps(void)
{
	swapcontext(&a, &resume);
}

static void sets(void)
{
	setcontext(&resume);
}

static void returns(void)
{
}

/* @fn leads to where @resume was saved. */
static void comes_back(void (*fn)(void), const char *expected, const char *name)
{
	prepare();
	visits = 0;
	getcontext(&resume);
	if (!visits++)
		behind(fn);
	in_order(expected, "%s", name);
}

static void makes(void)
{
	make(&b, 1, returns);
	go(mark_thread);
}

static void jumps(void)
{
	jmp_buf env;

	if (!setjmp(env))
		longjmp(env, 1);
	go(mark_thread);
}

static void noticed(void)
{
	comes_back(swaps, "~A-", "swapcontext() notices that it is in another coroutine");
	comes_back(sets, "~A-", "setcontext() does");
	comes_back(returns, "~A!-", "so does the end of a coroutine");
	prepare();
	behind(makes);
	in_order("~A", "so does makecontext()");
	prepare();
	in_order("", "whoever made the first one anew");
}

static void leaves(void)
{
	swapcontext(&b, &thread);
}

static void noticed_by_jumps(void)
{
	make(&b, 1, leaves);
	prepare();
	behind(jumps);
	in_order("~A", "so does longjmp()");
	swapcontext(&thread, &b);
	in_order("~-*B-", "and swapcontext() when it is in none any more");
}

static sigjmp_buf on_unknown, on_thread;

static void starts(int number)
{
	(void)number;
	if (sigsetjmp(on_unknown, 0))
		siglongjmp(on_thread, 1);
}

/* Some libraries make stacks by signals: what runs there is not known. */
static void by_signal_stack(void)
{
	struct sigaction take = { .sa_handler = starts, .sa_flags = SA_ONSTACK };
	stack_t alternate = { .ss_sp = stacks[2], .ss_size = STACK };
	stack_t none = { .ss_flags = SS_DISABLE };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &take, NULL);
	raise(SIGUSR1);
	sigaltstack(&none, NULL);
	watch_from_here();
	if (!sigsetjmp(on_thread, 0))
		siglongjmp(on_unknown, 1);
	in_order("~-", "siglongjmp() to a stack that nobody knows is told as such");
}

/* One of an ABI level below 3. */
static void old_module(void)
{
	prepare();
	((void (*)(uint32_t, int, int))mock_symbol("mock_fail"))(MOCK_SWITCH, EINVAL, 1);
	behind(jumps);
	in_order("A", "a module that knows nothing of that is told of the switch alone");
}

int main(void)
{
	record(true);
	noticed();
	noticed_by_jumps();
	by_signal_stack();
	old_module();
	return tap_done();
}
