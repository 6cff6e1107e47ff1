// SPDX-License-Identifier: GPL-2.0
/* Coroutines as QEMU makes them, names them, and uses them again. */
#include "order.h"

#include <setjmp.h>
#include <ucontext.h>

enum action { YIELD = 1, TERMINATE = 2, ENTER = 3 };

typedef struct Coroutine {
	void (*entry)(void *argument);
	void *argument;
	struct Coroutine *caller;
	sigjmp_buf env;
} Coroutine;

/* The library knows QEMU by these. */
Coroutine *qemu_coroutine_create(void (*entry)(void *), void *argument);
void qemu_aio_coroutine_enter(Coroutine *co);

static Coroutine leader, made[STACKS], *current = &leader;
static int pooled = -1, nr_made;

static void jump(Coroutine *from, Coroutine *to, enum action action)
{
	current = to;
	if (!sigsetjmp(from->env, 0))
		siglongjmp(to->env, action);
}

static void trampoline(int lower, int upper)
{
	Coroutine *self = (Coroutine *)((uintptr_t)(unsigned int)upper << 32 |
					(unsigned int)lower);

	if (!sigsetjmp(self->env, 0))
		siglongjmp(*(sigjmp_buf *)self->argument, 1);
	for (;;) {
		self->entry(self->argument);
		pooled = (int)(self - made);
		jump(self, self->caller, TERMINATE);
	}
}

static void make(Coroutine *co, char *stack)
{
	ucontext_t context, old;
	sigjmp_buf back;

	co->argument = &back;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK;
	context.uc_link = &old;
	makecontext(&context, (void (*)(void))trampoline, 2, (int)(uintptr_t)co,
		    (int)((uintptr_t)co >> 32));
	if (!sigsetjmp(back, 0))
		swapcontext(&old, &context);
}

Coroutine *qemu_coroutine_create(void (*entry)(void *), void *argument)
{
	int n = pooled >= 0 ? pooled : nr_made;

	if (pooled < 0)
		make(&made[nr_made++], stacks[n]);
	pooled = -1;
	made[n].entry = entry;
	made[n].argument = argument;
	return &made[n];
}

void qemu_aio_coroutine_enter(Coroutine *co)
{
	Coroutine *self = current;

	co->caller = self;
	jump(self, co, ENTER);
}

static void yield(void)
{
	jump(current, current->caller, YIELD);
}

static void reads(void *unused)
{
	(void)unused;
	yield();
}

static void writes(void *unused)
{
	(void)unused;
}

static void names(void)
{
	Coroutine *co = qemu_coroutine_create(reads, NULL);
	const struct mock_event *event;
	uint64_t first;

	watch_from_here();
	qemu_aio_coroutine_enter(co);
	event = next_switch();
	ok(is_function(event, (void *)reads), "a coroutine is called by what it was created for");
	first = event->id;
	next_switch();
	qemu_aio_coroutine_enter(co);
	event = next_switch();
	ok(is_function(event, (void *)reads) && event->id == first,
	   "a coroutine is the same when it goes on");
	event = next_switch();
	ok(event->arg & COROPROF_SWITCH_END, "a coroutine ends when its function has returned");

	co = qemu_coroutine_create(writes, NULL);
	qemu_aio_coroutine_enter(co);
	event = next_switch();
	ok(is_function(event, (void *)writes),
	   "a coroutine that is used again is called by its new function");
	ok(event->id != first && event->arg & COROPROF_SWITCH_FRESH,
	   "a coroutine that is used again is another");
	event = next_switch();
	ok(event->arg & COROPROF_SWITCH_END, "a coroutine that is used again ends as well");
	ok(!next_switch(), "no switch is told twice");
}

static void enters_another(void *unused)
{
	Coroutine *other = qemu_coroutine_create(reads, unused);

	qemu_aio_coroutine_enter(other);
	qemu_aio_coroutine_enter(other);
}

static void nested(void)
{
	Coroutine *co = qemu_coroutine_create(enters_another, NULL);

	watch_from_here();
	qemu_aio_coroutine_enter(co);
	in_order("*A*BABAB!A!-", "a coroutine that enters another goes on when that waits or ends");
}

int main(void)
{
	record(true);
	names();
	nested();
	return tap_done();
}
