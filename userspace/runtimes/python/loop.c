// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * asyncio's loop: whatever is to run goes through BaseEventLoop._call_soon(), which
 * is given a step of a task when the task is made, and again each time that what it
 * awaited has come. While somebody records, a function of ours stands in its place.
 */
#include <string.h>

#include "../runtime.h"
#include "loop.h"
#include "tasks.h"

bool loop_tells;

static PyTypeObject *task_type;
static PyObject *loop_type, *next_call_soon, *get_coro;

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

/* Of all tasks of asyncio's own loops; of others the adapter of Python alone tells. */
static struct adapter adapter = {
	.name = "asyncio",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES |
		COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
};

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
	if (unlikely(!adapter.told))
		runtime_tell(&adapter);
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

static void stop_listening(void)
{
	if (python.error())
		return;
	loop_tells = false;
	if (python.set(loop_type, "_call_soon", next_call_soon))
		python.clear();
}

#define ARGS_MAX 8

/* BaseEventLoop._call_soon(self, callback, args, context) */
static PyObject *call_soon(PyObject *self, PyObject *const *args, size_t nargs, PyObject *names)
{
	PyObject *all[ARGS_MAX + 1] = { self };

	if (likely(runtime_recorded()) && nargs)
		look_at(args[0]);
	else
		stop_listening();
	/* A call with more, or with names, is one that we do not know. */
	if (nargs > ARGS_MAX || names)
		return python.call(next_call_soon, args - 1, nargs + 1, names);
	memcpy(&all[1], args, nargs * sizeof(all[0]));
	return python.call(next_call_soon, all, nargs + 1, NULL);
}

static void forget(void)
{
	loop_tells = false;
	loop_type = NULL;
	next_call_soon = NULL;
}

/* Those are kept until Python ends. What a program has put there in its place is left alone. */
static bool find(void)
{
	PyObject *modules = python.modules(), *tasks = python.item(modules, "asyncio.tasks");

	loop_type = python_attribute(python.item(modules, "asyncio.base_events"), "BaseEventLoop");
	if (!loop_type || python.at_end(forget))
		return false;
	next_call_soon = python_attribute(loop_type, "_call_soon");
	task_type = (PyTypeObject *)python_attribute(tasks, "Task");
	get_coro = python_attribute((PyObject *)task_type, "get_coro");
	if (!get_coro || !next_call_soon || next_call_soon->type != python.function)
		next_call_soon = NULL;
	return true;
}

static void stand_in(void)
{
	static struct python_method method = {
		.name = "_call_soon", .flags = PYTHON_METH_FASTCALL_KEYWORDS,
	};
	PyObject *function;

	method.call = (python_call *)(void *)call_soon;
	function = python.new_method((PyTypeObject *)loop_type, &method);
	if (!function || python.set(loop_type, "_call_soon", function))
		python.clear();
	if (function)
		python.decref(function);
}

/*
 * Until asyncio has been imported there is nothing to listen to. Only the main interpreter
 * stays until Python ends.
 */
void loop_listen(void)
{
	if (python.error() || python.interpreter() != python.main_interpreter())
		return;
	if (!loop_type && !find())
		return;
	loop_tells = true;
	if (next_call_soon)
		stand_in();
}
