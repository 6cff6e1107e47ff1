// SPDX-License-Identifier: GPL-2.0
/*
 * Boost.Context's three functions, called as a program does that has a scheduler of
 * its own: coroutines as the kernel sees them.
 */
#include "order.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct transfer {
	void *context;
	void *data;
};

extern void *make_fcontext(void *top, size_t size, void (*fn)(struct transfer));
extern struct transfer jump_fcontext(void *to, void *data);
extern struct transfer ontop_fcontext(void *to, void *data,
				      struct transfer (*fn)(struct transfer));

static void *make(int stack, void (*fn)(struct transfer))
{
	return make_fcontext(stacks[stack] + STACK, STACK, fn);
}

/* Gives back what it is given, one more, for ever. */
static void counts(struct transfer t)
{
	for (;;)
		t = jump_fcontext(t.context, (char *)t.data + 1);
}

static void life(void)
{
	void *a = make(0, counts);
	const struct mock_event *event;
	struct transfer t;

	watch_from_here();
	t = jump_fcontext(a, (void *)7);
	is((intptr_t)t.data, 8, "what a coroutine is given and gives back arrives");
	event = next_reported_switch();
	while (event && !strncmp(event->label, "(thread", 7))
		event = next_reported_switch();
	ok(is_function(event, counts) && event->arg & COROPROF_SWITCH_FRESH,
	   "a coroutine is called by the function that make_fcontext() was given");
	watch_from_here();
	for (int i = 0; i < 3; i++)
		t = jump_fcontext(t.context, t.data);
	is((intptr_t)t.data, 11, "what a coroutine is given arrives ever after");
	in_order("A-A-A-", "each jump is a switch");
}

static void again(void)
{
	const struct mock_event *first, *second;

	jump_fcontext(make(1, counts), NULL);
	watch_from_here();
	jump_fcontext(make(1, counts), NULL);
	first = next_reported_switch();
	jump_fcontext(make(1, counts), NULL);
	next_reported_switch();
	second = next_reported_switch();
	ok(first->tag == second->tag && first->id != second->id &&
	   second->arg & COROPROF_SWITCH_FRESH,
	   "a coroutine on a stack that another had is a new one");
}

static void *inner;

static void calls_inner(struct transfer t)
{
	struct transfer back = jump_fcontext(inner, NULL);

	inner = back.context;
	jump_fcontext(t.context, NULL);
}

static void nested(void)
{
	inner = make(1, counts);
	watch_from_here();
	jump_fcontext(make(0, calls_inner), NULL);
	in_order("*A*BA-", "a coroutine that is entered by another gives back to that");
}

static void *where;

static struct transfer on_top(struct transfer t)
{
	where = __builtin_frame_address(0);
	return t;
}

static void ontop(void)
{
	struct transfer t = jump_fcontext(make(0, counts), NULL);

	watch_from_here();
	t = ontop_fcontext(t.context, (void *)1, on_top);
	ok((char *)where > stacks[0] && (char *)where < stacks[0] + STACK &&
	   (intptr_t)t.data == 2, "a function runs on top of a coroutine, with what it is given");
	in_order("A-", "a function put on top of a coroutine runs as that one");
	t = ontop_fcontext(t.context, stacks[0] + STACK, on_top);
	in_order("A-", "data that lies where the stack ends does not end anybody");
}

static void *resumes(void *context)
{
	return jump_fcontext(context, NULL).context;
}

static void threads(void)
{
	struct transfer t = jump_fcontext(make(0, counts), NULL);
	pthread_t thread;
	void *back;

	watch_from_here();
	pthread_create(&thread, NULL, resumes, t.context);
	pthread_join(thread, &back);
	in_order("-A-", "a coroutine goes on on another thread");
	jump_fcontext(back, NULL);
	in_order("A-", "a coroutine goes on on the first thread again");
}

static void forks(void)
{
	struct transfer t = jump_fcontext(make(0, counts), NULL);
	int status = -1;
	pid_t pid;

	watch_from_here();
	pid = fork();
	if (!pid) {
		t = jump_fcontext(t.context, (void *)5);
		_exit((intptr_t)t.data == 6 && !strcmp(order(), "-*A-") ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status),
	   "a forked child goes on with its copy of a coroutine");
	watch_from_here();
	jump_fcontext(t.context, NULL);
	in_order("A-", "the parent of a forked child goes on with its coroutine");
}

static ucontext_t outside, other;

static void enters_boost(void)
{
	inner = jump_fcontext(inner, NULL).context;
	swapcontext(&other, &outside);
}

static void mixed(void)
{
	inner = make(1, counts);
	getcontext(&other);
	other.uc_stack.ss_sp = stacks[2];
	other.uc_stack.ss_size = STACK;
	makecontext(&other, enters_boost, 0);
	watch_from_here();
	swapcontext(&outside, &other);
	in_order("*C*BC-", "a coroutine made by makecontext() enters one of Boost's, and goes on");
}

int main(void)
{
	/* Of each place that calls Boost, once. */
	setenv("MOCK_FINDS_NAMES", "1", true);
	record(true);
	life();
	again();
	nested();
	ontop();
	threads();
	forks();
	mixed();
	return tap_done();
}
