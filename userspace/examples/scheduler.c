// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A scheduler of coroutines on swapcontext(), and all it has to tell coroprof:
 *
 *     cc scheduler.c $(pkg-config --cflags --libs libcoroprof) -o scheduler
 *     coroprof-read --no-preload -- ./scheduler
 *
 * (--no-preload, because the preload library would tell of swapcontext(), too.)
 */
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include <coroprof/coroprof.h>

enum left { WAITS, GAVE_WAY, ENDED };

struct task {
	coroprof_co co;
	void (*fn)(void);
	enum left left;
	struct task *next;
	ucontext_t context;
	char stack[65536];
};

static ucontext_t scheduler;
static struct task *running, *first, **last = &first;

/* The task is ready to run: from here to its next switch its time is "ready". */
static void wake(struct task *task)
{
	coroprof_wake(task->co);
	task->next = NULL;
	*last = task;
	last = &task->next;
}

/* Back to the scheduler, until somebody wakes the task. */
static void leave(enum left left)
{
	running->left = left;
	swapcontext(&running->context, &scheduler);
}

static void yield(void)
{
	wake(running);
	leave(GAVE_WAY);
}

static void begin(void)
{
	running->fn();
	leave(ENDED);
}

static struct task *spawn(const char *name, void (*fn)(void))
{
	struct task *task = calloc(1, sizeof(*task));

	if (!task)
		abort();
	task->fn = fn;
	getcontext(&task->context);
	task->context.uc_stack.ss_sp = task->stack;
	task->context.uc_stack.ss_size = sizeof(task->stack);
	makecontext(&task->context, begin, 0);
	task->co = coroprof_new(coroprof_label(name), coroprof_current(), 0);
	wake(task);
	return task;
}

/* What the thread does between two tasks is its own: COROPROF_THREAD. */
static void back(struct task *task)
{
	if (task->left == WAITS) {
		coroprof_switch(COROPROF_THREAD);
	} else if (task->left == GAVE_WAY) {
		coroprof_switch_ready(COROPROF_THREAD);
	} else {
		coroprof_switch_done(COROPROF_THREAD);
		free(task);
	}
}

static void run(void)
{
	while ((running = first)) {
		first = first->next;
		if (!first)
			last = &first;
		coroprof_switch(running->co);
		swapcontext(&scheduler, &running->context);
		back(running);
	}
}

/* A program: one task makes numbers, another adds them up. */
static struct task *adder;
static int number, sum;

static void add(void)
{
	while (sum < 6) {
		leave(WAITS);
		sum += number;
	}
	printf("sum %d\n", sum);
}

static void make(void)
{
	for (number = 1; number <= 3; number++) {
		coroprof_span_begin(coroprof_label("hand over"));
		wake(adder);
		yield();
		coroprof_span_end();
	}
}

int main(void)
{
	adder = spawn("add", add);
	spawn("make", make);
	run();
	return 0;
}
