// SPDX-License-Identifier: GPL-2.0
/* Coroutines made by makecontext() and switched by longjmp(), as the kernel sees them. */
#include "order.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

/**
 * struct co - a coroutine as QEMU has it
 * @env:    where it goes on
 * @caller: who entered it
 * @entry:  what it runs
 * @done:   that has returned
 */
struct co {
	sigjmp_buf env;
	struct co *caller;
	void (*entry)(struct co *self);
	bool done;
};

static struct co cos[STACKS];
static __thread struct co leader;
static __thread struct co *current;
static __thread sigjmp_buf *creator;

static void jump(struct co *from, struct co *to)
{
	current = to;
	if (!sigsetjmp(from->env, 0))
		siglongjmp(to->env, 1);
}

static void enter(struct co *co)
{
	co->caller = current ? current : &leader;
	jump(co->caller, co);
}

static void yield(void)
{
	jump(current, current->caller);
}

static void trampoline(unsigned int upper, unsigned int lower)
{
	struct co *self = (struct co *)((uintptr_t)upper << 32 | lower);

	if (!sigsetjmp(self->env, 0))
		siglongjmp(*creator, 1);
	self->entry(self);
	self->done = true;
	yield();
}

static struct co *make(int n, void (*entry)(struct co *))
{
	uintptr_t address = (uintptr_t)&cos[n];
	ucontext_t context, old;
	sigjmp_buf back;

	cos[n] = (struct co){ .entry = entry };
	getcontext(&context);
	context.uc_stack.ss_sp = stacks[n];
	context.uc_stack.ss_size = STACK;
	context.uc_link = &old;
	makecontext(&context, (void (*)(void))trampoline, 2, (unsigned int)(address >> 32),
		    (unsigned int)address);
	creator = &back;
	if (!sigsetjmp(back, 0))
		swapcontext(&old, &context);
	return &cos[n];
}

static void two_yields(struct co *self)
{
	(void)self;
	yield();
	yield();
}

static void as_in_qemu(void)
{
	struct co *a, *b;

	watch_from_here();
	a = make(0, two_yields);
	in_order("-*A-", "a coroutine starts by swapcontext() and is left by siglongjmp()");
	b = make(1, two_yields);
	in_order("*B-", "another coroutine starts by swapcontext(), too");
	enter(a);
	in_order("A-", "siglongjmp() enters the first coroutine, not the last, and leaves it");
	enter(b);
	enter(a);
	enter(b);
	in_order("B-A-B-", "two coroutines take turns by siglongjmp()");
	enter(a);
	enter(b);
	in_order("A-B-", "two coroutines take turns to their end");
	ok(a->done && b->done, "two coroutines have come to their end");
}

static void enters_b(struct co *self)
{
	struct co *b = make(1, two_yields);

	(void)self;
	enter(b);
	yield();
	enter(b);
}

static void nested(void)
{
	struct co *a = make(0, enters_b);

	watch_from_here();
	enter(a);
	in_order("A*BABA-", "a coroutine makes and enters another by siglongjmp()");
	enter(a);
	in_order("ABA-", "a coroutine enters another again when it goes on");
}

static jmp_buf handler;

static __attribute__((noinline)) void throw_from(volatile char *frame)
{
	frame[0] = 1;
	longjmp(handler, frame[0]);
}

static __attribute__((noinline)) void throw(void)
{
	volatile char frame[512];

	throw_from(frame);
}

static void exceptions(struct co *self)
{
	static volatile int i;

	(void)self;
	for (i = 0; i < 1000; i++) {
		if (!setjmp(handler))
			throw();
	}
}

static void within(void)
{
	struct co *a = make(0, exceptions);

	watch_from_here();
	enter(a);
	in_order("A-", "jumps within a coroutine are no switches");
	exceptions(NULL);
	in_order("", "jumps within the thread's own stack are no switches");
}

static sigjmp_buf from_signal;
static struct co *to_enter;

static void on_signal(int number)
{
	(void)number;
	siglongjmp(from_signal, 1);
}

static void enter_on_signal(int number)
{
	(void)number;
	enter(to_enter);
}

static void signals_itself(struct co *self)
{
	(void)self;
	signal(SIGUSR1, on_signal);
	if (!sigsetjmp(from_signal, 1))
		raise(SIGUSR1);
	yield();
	signal(SIGUSR1, enter_on_signal);
	raise(SIGUSR1);
}

static void take_signals_on(char *stack)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t alternate = { .ss_sp = stack, .ss_size = STACK };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR2, &action, NULL);
}

static void signals_elsewhere(struct co *self)
{
	static char stack[STACK];

	(void)self;
	take_signals_on(stack);
	if (!sigsetjmp(from_signal, 1))
		raise(SIGUSR2);
}

static void signals(void)
{
	struct co *a = make(0, signals_itself);

	to_enter = make(1, two_yields);
	watch_from_here();
	enter(a);
	in_order("A-", "a jump out of a signal handler, within the coroutine, is no switch");
	enter(a);
	in_order("ABA-", "a jump out of a signal handler into another coroutine is a switch");
	a = make(0, signals_elsewhere);
	watch_from_here();
	enter(a);
	in_order("A-", "a jump back from a signal's own stack is no switch");
	if (!sigsetjmp(from_signal, 1))
		raise(SIGUSR2);
	in_order("", "a jump from a signal's own stack to the thread is no switch");
}

static ucontext_t here, there;

static void jumps_and_swaps(struct co *self)
{
	(void)self;
	yield();
	swapcontext(&there, &here);
	yield();
}

static void mixed(void)
{
	struct co *a = make(0, jumps_and_swaps);
	static volatile bool back;

	watch_from_here();
	enter(a);
	back = false;
	getcontext(&here);
	if (!back) {
		back = true;
		enter(a);
	}
	in_order("A-A-", "a coroutine entered by siglongjmp() may be left by swapcontext()");
	leader.env[0].__mask_was_saved = 0;
	if (!sigsetjmp(leader.env, 0)) {
		current = a;
		swapcontext(&here, &there);
	}
	in_order("A-", "a coroutine resumed by swapcontext() may be left by siglongjmp()");
	enter(a);
	in_order("A-", "a coroutine left either way may go on");
}

/**
 * struct cc - a coroutine as spice-gtk has it
 * @jmp:  where it goes on
 * @last: who made it
 */
struct cc {
	jmp_buf jmp;
	ucontext_t uc;
	ucontext_t last;
};

static struct cc cc, thread_cc;

static void cc_swap(struct cc *from, struct cc *to)
{
	if (!_setjmp(from->jmp))
		_longjmp(to->jmp, 1);
}

static void cc_trampoline(void)
{
	ucontext_t tmp;

	if (!_setjmp(cc.jmp))
		swapcontext(&tmp, &cc.last);
	for (;;)
		cc_swap(&cc, &thread_cc);
}

static void as_in_spice(void)
{
	watch_from_here();
	getcontext(&cc.uc);
	cc.uc.uc_stack.ss_sp = stacks[2];
	cc.uc.uc_stack.ss_size = STACK;
	cc.uc.uc_link = &cc.last;
	makecontext(&cc.uc, cc_trampoline, 0);
	swapcontext(&cc.last, &cc.uc);
	in_order("*C-", "a coroutine goes back to its maker by swapcontext()");
	cc_swap(&thread_cc, &cc);
	in_order("C-", "a coroutine goes back to its maker by _longjmp()");
	cc_swap(&thread_cc, &cc);
	in_order("C-", "a coroutine goes back by _longjmp() each time");
}

#define ROUNDS 200

static void *one_of_many(void *n)
{
	struct co *co = make((int)(intptr_t)n, two_yields);

	for (int i = 0; i < ROUNDS; i++) {
		enter(co);
		enter(co);
		enter(co);
		co = make((int)(intptr_t)n, two_yields);
	}
	return NULL;
}

/* Of each thread: its own coroutine and itself, in turns. */
static void on_threads(void)
{
	const struct mock_event *event;
	struct { int tid; char last; } seen[STACKS] = { 0 };
	pthread_t thread[STACKS];
	long nr = 0, wrong = 0;

	watch_from_here();
	for (intptr_t i = 0; i < STACKS; i++)
		pthread_create(&thread[i], NULL, one_of_many, (void *)i);
	for (int i = 0; i < STACKS; i++)
		pthread_join(thread[i], NULL);
	while ((event = next_switch())) {
		int i = 0;

		while (seen[i].tid && seen[i].tid != event->tid)
			i++;
		seen[i].tid = event->tid;
		wrong += !seen[i].last ? letter(event) != '-' :
			 (letter(event) == '-') == (seen[i].last == '-');
		wrong += !!(event->arg & COROPROF_SWITCH_UNREPORTED);
		seen[i].last = letter(event);
		nr++;
	}
	is(wrong, 0, "threads with coroutines of their own are not mixed up");
	is(nr, STACKS * (1 + 2 + ROUNDS * 8), "no switch on threads is told twice or missed");
}

/* A thread whose stack lies where coroutines' were, which never ended. */
static void *on_old_stacks(void *unused)
{
	exceptions(NULL);
	return unused;
}

static void reused(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	watch_from_here();
	make(0, two_yields);
	make(1, two_yields);
	order();
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stacks, sizeof(stacks));
	pthread_create(&thread, &attr, on_old_stacks, NULL);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	in_order("", "a thread that gets the memory of coroutines is none of them");
}

int main(void)
{
	record(true);
	as_in_qemu();
	nested();
	within();
	signals();
	mixed();
	as_in_spice();
	on_threads();
	reused();
	return tap_done();
}
