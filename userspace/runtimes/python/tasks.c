// SPDX-License-Identifier: LGPL-2.1-or-later
/* Coroutines of Python by their objects: entered, left and forgotten. */
#include "loop.h"
#include "name.h"
#include "tasks.h"

static struct table_node *buckets[16384];
static const struct table tasks = { buckets, 16384, sizeof(struct task) };

static struct adapter adapter = {
	.name = "Python",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

static void begin(struct task *task, PyObject *coroutine)
{
	task->co = runtime_new(&adapter, 0, runtime_current, (uintptr_t)coroutine);
	task->labelled = false;
}

struct task *task_find(PyObject *coroutine)
{
	return table_find(&tasks, (uintptr_t)coroutine);
}

struct task *task_get(PyObject *coroutine)
{
	struct task *task = table_find(&tasks, (uintptr_t)coroutine);

	if (unlikely(!task))
		task = table_get(&tasks, (uintptr_t)coroutine);
	if (!task || task->over)
		return NULL;
	if (!task->co)
		begin(task, coroutine);
	return task;
}

static void name(struct task *task, PyObject *coroutine)
{
	if (task->labelled || python.error())
		return;
	loop_check();
	coroprof_set_label(task->co, name_coroutine(coroutine));
	task->labelled = true;
}

coroprof_co task_enter(struct task *task, PyObject *coroutine)
{
	coroprof_co before = runtime_current;

	if (unlikely(runtime_recorded() && !task->labelled))
		name(task, coroutine);
	task->runs = true;
	runtime_switch(task->co);
	return before;
}

void task_leave(struct task *task, coroprof_co before, bool ended)
{
	task->runs = false;
	if (likely(!ended)) {
		runtime_switch(before);
		return;
	}
	task->co = 0;
	task->over = true;
	coroprof_switch_done(before);
}

void task_forget(struct task *task)
{
	task->over = false;
}
