// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tasks of tokio by their addresses: taken by the one thread that runs them, entered, left, woken,
 * forgotten.
 */
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "../preload/charge.h"
#include "tasks.h"

/* A thread that leaves a task has a few instructions to go; it may be held up by others. */
#define PATIENCE 1000

static struct table_node *buckets[65536];
static const struct table tasks = { buckets, 65536, sizeof(struct task) };

struct task *tokio_find(void **task)
{
	return table_find(&tasks, (uintptr_t)task);
}

struct task *tokio_get(void **task)
{
	struct task *found = table_find(&tasks, (uintptr_t)task);

	return likely(found != NULL) ? found : table_get(&tasks, (uintptr_t)task);
}

bool tokio_try(struct task *task)
{
	return !__atomic_test_and_set(&task->taken, __ATOMIC_ACQUIRE);
}

void tokio_give_back(struct task *task)
{
	__atomic_clear(&task->taken, __ATOMIC_RELEASE);
}

bool tokio_take(struct task *task)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (likely(tokio_try(task)))
			return true;
		sched_yield();
	}
	return false;
}

/* The macro that makes a span of a function gives it the function's name. */
static bool is_end(const char *name, const char *end)
{
	size_t length = strlen(name), less = strlen(end);

	return length >= less && !strcmp(name + length - less, end);
}

static void label(struct task *task, const struct kind *kind)
{
	char span[SPAN_ROOM], text[NAME_ROOM + SPAN_ROOM + 4];
	const char *name = kind->name;

	if (kind->span && span_name(kind->span, (void *const *)task->node.key, span) &&
	    !is_end(name, span)) {
		snprintf(text, sizeof(text), "%s (%s)", span, name);
		name = text;
	}
	coroprof_set_label(task->co, coroprof_label(name));
	task->labelled = true;
}

static struct adapter adapter = {
	.name = "tokio",
	.sees = COROPROF_SEES_NAMES | COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
};

coroprof_co tokio_enter(struct task *task, const struct kind *kind)
{
	coroprof_co before = runtime_current;

	/* Who has spawned it is not known: the scheduler runs it. */
	if (unlikely(!task->co)) {
		task->co = runtime_new(&adapter, 0, COROPROF_THREAD, task->node.key);
		task->labelled = false;
	}
	if (unlikely(runtime_recorded() && !task->labelled)) {
		charge();
		label(task, kind);
	}
	runtime_switch(task->co);
	return before;
}

void tokio_leave(struct task *task, coroprof_co before, enum task_state state)
{
	if (state == TASK_ENDED) {
		task->co = COROPROF_THREAD;
		coroprof_switch_done(before);
	} else if (state == TASK_READY) {
		coroprof_switch_ready(before);
	} else {
		runtime_switch(before);
	}
}

void tokio_wake(struct task *task, const struct kind *kind)
{
	if (likely(!runtime_recorded()) || !task->co)
		return;
	if (unlikely(!task->labelled))
		label(task, kind);
	coroprof_wake(task->co);
}

void tokio_forget(struct task *task)
{
	if (task->co)
		coroprof_done(task->co);
	task->co = COROPROF_THREAD;
}
