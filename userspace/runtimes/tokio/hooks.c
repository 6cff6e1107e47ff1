// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tokio: a task is run by poll(), which the table of its type has; so are the functions
 * that schedule it once it was woken, cancel it as the runtime ends, and free it.
 *
 * A task begins with its state: bits, and above these how many refer to it. While poll()
 * runs we do too. So it is still there afterwards, and says how it is; and if nobody
 * else has referred to it for the last time, we free it in the place of poll().
 *
 * Between the moment that a task may be polled by another thread, and that poll() returns,
 * there are some instructions: the other thread waits for these, see tokio_take().
 */
#include "kinds.h"
#include "tasks.h"

#define RUNNING 1ul
#define COMPLETE 2ul
#define NOTIFIED 4ul
#define REFERENCE 64ul

typedef unsigned long state_t;

static inline state_t *state_of(void **task)
{
	return (state_t *)task;
}

/* Whether to poll it now is to run it: it may have been cancelled since it was scheduled. */
static inline bool is_due(void **task)
{
	state_t state = __atomic_load_n(state_of(task), __ATOMIC_ACQUIRE);

	return (state & (RUNNING | COMPLETE | NOTIFIED)) == NOTIFIED && state >= REFERENCE;
}

static inline enum task_state state_after(void **task)
{
	state_t state = __atomic_load_n(state_of(task), __ATOMIC_ACQUIRE);

	if (state & COMPLETE)
		return TASK_ENDED;
	return state & NOTIFIED ? TASK_READY : TASK_WAITS;
}

static void release(void **task, const struct kind *kind, struct task *known)
{
	if (__atomic_fetch_sub(state_of(task), REFERENCE, __ATOMIC_ACQ_REL) / REFERENCE != 1)
		return;
	tokio_forget(known);
	kind->next.dealloc(task);
}

/* @run is a function that runs the task, and gives up one reference to it. It is taken. */
static inline void run(void **task, const struct kind *kind, struct task *known, tokio_fn *run)
{
	coroprof_co before;

	__atomic_fetch_add(state_of(task), REFERENCE, __ATOMIC_RELAXED);
	before = tokio_enter(known, kind);
	run(task);
	tokio_leave(known, before, state_after(task));
	tokio_give_back(known);
	release(task, kind, known);
}

static void poll(void **task)
{
	const struct kind *kind = kind_of(task);
	struct task *known = tokio_get(task);

	if (unlikely(!known || !tokio_take(known))) {
		kind->next.poll(task);
	} else if (likely(is_due(task))) {
		run(task, kind, known, kind->next.poll);
	} else {
		tokio_give_back(known);
		kind->next.poll(task);
	}
}

/* What the task does as its future is dropped is its own. If it runs, it does that later. */
static void shutdown(void **task)
{
	const struct kind *kind = kind_of(task);
	struct task *known = tokio_find(task);

	if (!known || !tokio_try(known)) {
		kind->next.shutdown(task);
	} else if (known->co) {
		run(task, kind, known, kind->next.shutdown);
	} else {
		tokio_give_back(known);
		kind->next.shutdown(task);
	}
}

static void schedule(void **task)
{
	const struct kind *kind = kind_of(task);
	struct task *known = tokio_find(task);

	if (likely(known != NULL))
		tokio_wake(known, kind);
	kind->next.schedule(task);
}

/* Nobody refers to it. */
static void dealloc(void **task)
{
	const struct kind *kind = kind_of(task);
	struct task *known = tokio_find(task);

	if (known)
		tokio_forget(known);
	kind->next.dealloc(task);
}

static void begin(void)
{
	static const struct kind_hooks hooks = {
		.poll = poll, .schedule = schedule, .dealloc = dealloc, .shutdown = shutdown,
	};

	kinds_begin(&hooks);
}

struct runtime tokio_runtime = { .begin = begin };
