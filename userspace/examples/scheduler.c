// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tasks on swapcontext(), whose work is 1 : 5 : 20; record it with coroprof-read --no-preload. */
#include <stdio.h>
#include <ucontext.h>
#include <coroprof/coroprof.h>		/* cc ... $(pkg-config --cflags --libs libcoroprof) */

static struct task {
	const char *name;
	int work, served;
	coroprof_co co;
	ucontext_t context;
	char stack[65536];
} tasks[] = { { "read", .work = 1 }, { "parse", .work = 5 }, { "answer", .work = 20 } };
static struct task *ready[3], *running;
static unsigned int first, last;
static ucontext_t scheduler;

static void wake(struct task *task)
{
	coroprof_wake(task->co);		/* it waited; now it is ready */
	ready[last++ % 3] = task;
}

static void serve(void)
{
	while (running->served < 3) {
		for (volatile int i = 0; i < 100000 * running->work; i++)
			;
		if (running < &tasks[2])
			wake(running + 1);
		if (++running->served < 3)	/* it waits for the next request */
			swapcontext(&running->context, &scheduler);
	}
	printf("%s has ended\n", running->name);
}

static void run(struct task *task)
{
	running = task;
	coroprof_switch(task->co);		/* from here on the task is charged */
	swapcontext(&scheduler, &task->context);
	if (task->served < 3)
		coroprof_switch(COROPROF_THREAD);	/* ... and from here on the thread */
	else
		coroprof_switch_done(COROPROF_THREAD);
}

int main(void)
{
	for (struct task *t = tasks; t < &tasks[3]; t++) {
		getcontext(&t->context);
		t->context.uc_stack = (stack_t){ .ss_sp = t->stack, .ss_size = sizeof(t->stack) };
		t->context.uc_link = &scheduler;
		makecontext(&t->context, serve, 0);
		t->co = coroprof_new(coroprof_label(t->name), coroprof_current(), 0);
	}
	for (int request = 0; request < 3; request++)
		for (wake(tasks); first != last;)
			run(ready[first++ % 3]);
}
