// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * asyncio's loop: whatever is to run goes through BaseEventLoop._call_soon(), which
 * is given a step of a task when the task is made, and again each time that what it
 * awaited has come. In its place stands a function of ours that calls it.
 */
#include "../runtime.h"
#include "loop.h"
#include "tasks.h"

#include <string.h>

bool loop_found;

/* Kept for good. */
static PyTypeObject *task_type;
static PyObject *next_call_soon, *get_coro;

/* Of a callback, whose step of a task it is; a new reference, or NULL. */
static PyObject *task_of(PyObject *callback)
{
	const char *type = callback->type->name, *dot = strrchr(type, '.');
	PyObject *self = NULL;

	if (callback->type == python.builtin) {
		self = python.self_of(callback);
		if (self)
			python.incref(self);
	} else if (!strcmp(dot ? dot + 1 : type, "TaskStepMethWrapper")) {
		self = python.get(callback, "__self__");
	}
	if (self && !python.is_subtype(self->type, task_type)) {
		python.decref(self);
		self = NULL;
	}
	return self;
}

/* Its label comes first: to wake it tells all that is known of it. */
static void ready(PyObject *coroutine)
{
	coroprof_co before = runtime_current;
	struct task *task;

	if (coroutine->type != python.coroutine)
		return;
	task = task_get(coroutine);
	if (!task || task->runs)
		return;
	task_name(task, coroutine);
	runtime_switch(before);
	coroprof_wake(task->co);
}

static void look_at(PyObject *callback)
{
	PyObject *task = task_of(callback);
	PyObject *coroutine = task ? python.call(get_coro, &task, 1, NULL) : NULL;

	if (coroutine) {
		ready(coroutine);
		python.decref(coroutine);
	}
	if (task)
		python.decref(task);
	if (python.error())
		python.clear();
}

/* _call_soon(self, callback, args, context) */
static PyObject *call_soon(PyObject *unused, PyObject *const *args, size_t nargs, PyObject *names)
{
	(void)unused;
	if (unlikely(runtime_recorded()) && nargs > 1)
		look_at(args[1]);
	return python.call(next_call_soon, args, nargs, names);
}

static PyObject *get_from(PyObject *object, const char *name)
{
	PyObject *value = object ? python.get(object, name) : NULL;

	if (!value)
		python.clear();
	return value;
}

static bool find_task(PyObject *tasks)
{
	task_type = (PyTypeObject *)get_from(tasks, "Task");
	get_coro = get_from((PyObject *)task_type, "get_coro");
	return get_coro != NULL;
}

static void replace(PyObject *loop)
{
	static struct python_method method = {
		.name = "_call_soon", .flags = PYTHON_METH_FASTCALL_KEYWORDS,
	};
	PyObject *function, *bound = NULL;

	method.call = (python_call *)(void *)call_soon;
	function = python.new_function(&method, NULL, NULL, NULL);
	if (function)
		bound = python.new_method(function);
	if (!bound || python.set(loop, "_call_soon", bound))
		python.clear();
	if (bound)
		python.decref(bound);
	if (function)
		python.decref(function);
}

void loop_find_now(void)
{
	PyObject *modules = python.modules(), *events, *tasks, *loop;

	if (python.error())
		return;
	events = python.item(modules, "asyncio.base_events");
	tasks = python.item(modules, "asyncio.tasks");
	loop = get_from(events, "BaseEventLoop");
	if (!loop)
		return;
	loop_found = true;
	next_call_soon = get_from(loop, "_call_soon");
	/* A program may have put another there: that one is left alone. */
	if (next_call_soon && next_call_soon->type == python.function && find_task(tasks))
		replace(loop);
	python.decref(loop);
}
