// SPDX-License-Identifier: LGPL-2.1-or-later
/* Coroutines of Python by their objects: entered, left and forgotten. */
#include "loop.h"
#include "../preload/charge.h"
#include "name.h"
#include "request.h"
#include "tasks.h"

static struct table_node *buckets[16384];
static const struct table tasks = { buckets, 16384, sizeof(struct task) };

static struct adapter adapter = {
	.name = "Python",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

/* A server may have no framework behind it that is known. */
#define LOOKS_MAX 64

static void begin(struct task *task, PyObject *coroutine)
{
	task->co = runtime_new(&adapter, 0, runtime_current, (uintptr_t)coroutine);
	task->labelled = false;
	task->framework = NULL;
	task->looks = 0;
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
	coroprof_set_label(task->co, name_coroutine(coroutine, &task->framework));
	task->labelled = true;
}

/* Its route is looked for after each step until it is found: then that step is labelled by it. */
static __attribute__((noinline)) void find_request(struct task *task, PyObject *coroutine)
{
	if (python.error() || python.ends())
		return;
	charge();
	if (task->looks++ < LOOKS_MAX)
		task->request = task->framework->request(coroutine);
	else
		task->framework = NULL;
}

static __attribute__((noinline)) void find_route(struct task *task, bool ended)
{
	PyObject *request = task->request, *coroutine = (PyObject *)task->node.key;
	uint32_t label = 0;

	if (runtime_recorded())
		label = request_label(task->framework, request, ended ? NULL : coroutine);
	if (label) {
		coroprof_set_label(task->co, label);
		task->framework = NULL;
	}
	task->request = NULL;
	python.decref(request);
}

coroprof_co task_enter(struct task *task, PyObject *coroutine)
{
	coroprof_co before = runtime_current;

	if (unlikely(runtime_recorded() && !task->labelled))
		name(task, coroutine);
	if (unlikely(task->framework && runtime_recorded()))
		find_request(task, coroutine);
	task->runs = true;
	runtime_switch(task->co);
	return before;
}

void task_leave(struct task *task, coroprof_co before, bool ended)
{
	task->runs = false;
	if (unlikely(task->request))
		find_route(task, ended);
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
