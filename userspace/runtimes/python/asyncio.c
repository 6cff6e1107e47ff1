// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * asyncio's tasks have their loop call a step of theirs soon, when they are made and
 * each time that what they await has come. Whatever asyncio's own loop is to run goes
 * through BaseEventLoop._call_soon(). uvloop's is in C, and has no such method; tasks
 * ask it by call_soon().
 */
#include <string.h>

#include "loop.h"

static PyTypeObject *task_type;
static PyObject *get_coro;

static bool find(void)
{
	PyObject *tasks = python.item(python.modules(), "asyncio.tasks");

	task_type = (PyTypeObject *)python_attribute(tasks, "Task");
	get_coro = python_attribute((PyObject *)task_type, "get_coro");
	return get_coro;
}

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

static PyObject *coroutine_of(PyObject *callback)
{
	PyObject *task = task_of(callback);
	PyObject *coroutine = task ? python.call(get_coro, &task, 1, NULL) : NULL;

	if (task)
		python.decref(task);
	return coroutine;
}

#define SEEN (COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_WAKES | COROPROF_SEES_ENDS)

static python_call asyncio_call_soon, uvloop_call_soon;

struct loop loop_asyncio = {
	.adapter = { .name = "asyncio", .sees = SEEN },
	.module = "asyncio.base_events", .type_name = "BaseEventLoop",
	.method = { "_call_soon", asyncio_call_soon, PYTHON_METH_FASTCALL_KEYWORDS, NULL },
	.find = find, .coroutine = coroutine_of,
};

struct loop loop_uvloop = {
	.adapter = { .name = "uvloop", .sees = SEEN },
	.module = "uvloop", .type_name = "Loop",
	.method = { "call_soon", uvloop_call_soon, PYTHON_METH_FASTCALL_KEYWORDS, NULL },
	.find = find, .coroutine = coroutine_of,
};

/* (self, callback, args, context) */
static PyObject *asyncio_call_soon(PyObject *self, uintptr_t args, uintptr_t nargs, uintptr_t names)
{
	return loop_call(&loop_asyncio, self, (PyObject *const *)args, nargs, (PyObject *)names);
}

/* (self, callback, *args, context=None) */
static PyObject *uvloop_call_soon(PyObject *self, uintptr_t args, uintptr_t nargs, uintptr_t names)
{
	return loop_call(&loop_uvloop, self, (PyObject *const *)args, nargs, (PyObject *)names);
}
