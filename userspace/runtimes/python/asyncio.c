// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * asyncio's tasks have their loop call a step of theirs soon, when they are made and
 * each time that what they await has come. Its own loops, and those that inherit from them,
 * make a Handle of whatever they are to call, which they append to a deque.
 */
#include <string.h>

#include "loop.h"

static PyTypeObject *task_type;
static PyObject *get_coro, *callback_name;

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

PyObject *asyncio_coroutine(PyObject *callback)
{
	PyObject *task = task_of(callback);
	PyObject *coroutine = task ? python.call(get_coro, &task, 1, NULL) : NULL;

	if (task)
		python.decref(task);
	return coroutine;
}

static PyObject *coroutine_of(PyObject *queue, PyObject *handle)
{
	PyObject *callback = python.get_plain(handle, callback_name);
	PyObject *coroutine = callback ? asyncio_coroutine(callback) : NULL;

	(void)queue;
	if (callback)
		python.decref(callback);
	return coroutine;
}

/* Those are kept until Python ends. */
static void find(PyObject *module)
{
	PyObject *modules = python.modules();

	(void)module;
	task_type = python_type(python.item(modules, "asyncio.tasks"), "Task");
	get_coro = python_attribute((PyObject *)task_type, "get_coro");
	callback_name = python.intern("_callback");
	if (get_coro && callback_name)
		loop_asyncio.item = python_type(python.item(modules, "asyncio.events"), "Handle");
}

struct loop loop_asyncio = {
	.adapter = {
		.name = "asyncio",
		.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES |
			COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
	},
	.module = "asyncio.base_events", .type = "BaseEventLoop",
	.find = find, .coroutine = coroutine_of,
};
