// SPDX-License-Identifier: GPL-2.0
/*
 * Coroutines that run loops of a known number of instructions, made by
 * makecontext() and entered by siglongjmp() ever after, as QEMU does it: three on
 * each of two threads, the third of which another enters; and one that waits while
 * its thread, which is then the only one, sleeps. Each also jumps within itself, as
 * programs do for exceptions. With an argument, the program switches behind
 * everybody's back instead. It knows nothing of coroprof.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#include "../../harness/rounds.h"

#define THREADS 2
#define TURNS 10
#define UNIT 300000ul	/* rounds of a turn */
#define NAP 2000000l	/* ns */

struct co {
	sigjmp_buf env;
	struct co *caller;
	unsigned long times;
	struct co *inner;
};

static __thread struct co leader;
static __thread struct co *current;
static __thread sigjmp_buf *creator;
static char stacks[THREADS][3][65536] __attribute__((aligned(16)));
static char waiting_stack[sizeof(stacks[0][0])] __attribute__((aligned(16)));
static struct co cos[THREADS][3], waiting;

static void jump(struct co *from, struct co *to)
{
	current = to;
	if (!sigsetjmp(from->env, 0))
		siglongjmp(to->env, 1);
}

static void enter(struct co *co)
{
	co->caller = current;
	jump(current, co);
}

static __attribute__((noinline)) void throw(jmp_buf env)
{
	longjmp(env, 1);
}

static __attribute__((noinline)) void catch(unsigned long n)
{
	jmp_buf env;

	if (!setjmp(env)) {
		rounds(n / 2);
		throw(env);
	}
	rounds(n / 2);
}

static __attribute__((noinline)) void turns(struct co *self)
{
	for (;;) {
		catch(self->times * UNIT);
		if (self->inner)
			enter(self->inner);
		jump(self, self->caller);
	}
}

static void begin(struct co *self)
{
	if (!sigsetjmp(self->env, 0))
		siglongjmp(*creator, 1);
	turns(self);
}

#define NAMED(name)						\
	static void name(unsigned int upper, unsigned int lower)	\
	{								\
		begin((struct co *)((uintptr_t)upper << 32 | lower));	\
	}
NAMED(light)
NAMED(middle)
NAMED(heavy)
NAMED(waits)

static void make(struct co *co, char *stack, void (*fn)(unsigned int, unsigned int),
		 unsigned long times)
{
	ucontext_t context, old;
	sigjmp_buf back;

	co->times = times;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stacks[0][0]);
	context.uc_link = &old;
	makecontext(&context, (void (*)(void))fn, 2, (unsigned int)((uintptr_t)co >> 32),
		    (unsigned int)(uintptr_t)co);
	creator = &back;
	if (!sigsetjmp(back, 0))
		swapcontext(&old, &context);
}

static void make_all(struct co *own, char (*stack)[sizeof(stacks[0][0])])
{
	current = &leader;
	make(&own[0], stack[0], light, 1);
	make(&own[1], stack[1], middle, 5);
	make(&own[2], stack[2], heavy, 20);
	own[1].inner = &own[2];
}

static void *thread(void *number)
{
	intptr_t n = (intptr_t)number;

	make_all(cos[n], stacks[n]);
	for (int turn = 0; turn < TURNS; turn++) {
		enter(&cos[n][0]);
		enter(&cos[n][1]);
	}
	return NULL;
}

static void sleep_around(void)
{
	struct timespec nap = { .tv_nsec = NAP };

	current = &leader;
	make(&waiting, waiting_stack, waits, 1);
	for (int turn = 0; turn < TURNS; turn++) {
		enter(&waiting);
		nanosleep(&nap, NULL);
	}
	enter(&waiting);
}

/* A coroutine that is entered once more by a few instructions, and no call. */
static ucontext_t scheduler, left;
static void *mark[5];

static __attribute__((noinline)) void enter_behind(void)
{
	__builtin_longjmp(mark, 1);
}

static void secret(void)
{
	if (!__builtin_setjmp(mark))
		swapcontext(&left, &scheduler);
	rounds(20 * UNIT);
	swapcontext(&left, &scheduler);
}

static void behind(void)
{
	static volatile int visits;

	getcontext(&left);
	left.uc_stack.ss_sp = stacks[0][0];
	left.uc_stack.ss_size = sizeof(stacks[0][0]);
	makecontext(&left, secret, 0);
	getcontext(&scheduler);
	if (visits++ == 0)
		setcontext(&left);
	if (visits == 2)
		enter_behind();
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	(void)argv;
	if (argc > 1) {
		behind();
	} else {
		for (intptr_t i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, thread, (void *)i);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
		sleep_around();
	}
	puts("done");
	return 0;
}
