// SPDX-License-Identifier: GPL-2.0
/*
 * longjmp() with the check of where it leads, as with -D_FORTIFY_SOURCE=2: the hook
 * must be gone from the stack by then.
 */
#include "order.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* What the compiler makes of longjmp() then. */
void checked(jmp_buf env, int value) __asm__("__longjmp_chk");

static ucontext_t thread, a;
static jmp_buf env;
static volatile int caught;

static void throws(void)
{
	while (caught < 3) {
		if (!setjmp(env))
			checked(env, 1);
		caught++;
	}
	swapcontext(&a, &thread);
}

static void within(void)
{
	watch_from_here();
	getcontext(&a);
	a.uc_stack.ss_sp = stacks[0];
	a.uc_stack.ss_size = STACK;
	makecontext(&a, throws, 0);
	swapcontext(&thread, &a);
	is(caught, 3, "jumps upwards arrive");
	in_order("-*A-", "and are no switches");
}

static __attribute__((noinline)) int leave_frame(volatile char *room)
{
	room[0] = 1;
	return setjmp(env);
}

static __attribute__((noinline)) int returned_from(void)
{
	volatile char room[4096];

	return leave_frame(room);
}

/* The signal that a jump to a function that has returned ends with. */
static int jump_downwards(void)
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		fclose(stderr);
		if (returned_from())
			_exit(0);
		checked(env, 1);
	}
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void downwards(void)
{
	is(jump_downwards(), SIGABRT, "a jump downwards is refused");
}

static sigjmp_buf from_signal;

static void on_signal(int number)
{
	(void)number;
	checked(from_signal, 1);
}

static void from_signal_stack(void)
{
	static char stack[STACK];
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	static volatile int back;

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &action, NULL);
	watch_from_here();
	if (!sigsetjmp(from_signal, 1))
		raise(SIGUSR1);
	else
		back = 1;
	is(back, 1, "one from a signal's own stack is let through");
	in_order("", "and is no switch");
}

int main(void)
{
	record(true);
	within();
	downwards();
	from_signal_stack();
	return tap_done();
}
