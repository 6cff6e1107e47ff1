// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * asyncio's tasks have their loop call a step of theirs soon, when they are made and
 * each time that what they await has come. Its own loops, and those that inherit from them,
 * make a Handle of whatever they are to call, which they append to a deque.
 */
#include <string.h>

#include "loop.h"
#include "member.h"

static PyTypeObject *task_type, *step_type;
static PyObject *get_coro, *callback_name;
static struct member callback_of_handle, task_of_step, coroutine_of_task;

static bool is_task(const PyObject *object)
{
	return object && (object->type == task_type || python.is_subtype(object->type, task_type));
}

/* A new reference, or NULL, as from all of these. */
static PyObject *coroutine_in(PyObject *task)
{
	PyObject *coroutine;

	if (!is_task(task))
		return NULL;
	if (likely(coroutine_of_task.offset)) {
		coroutine = member_of(&coroutine_of_task, task);
		if (coroutine)
			python.incref(coroutine);
		return coroutine;
	}
	coroutine = python.call(get_coro, &task, 1, NULL);
	member_learn(&coroutine_of_task, task, task_type, coroutine);
	return coroutine;
}

/* The type of the callback that a task's step is has no name in any module. */
static bool is_step(const PyObject *callback)
{
	const char *type = callback->type->name, *dot = strrchr(type, '.');

	return !strcmp(dot ? dot + 1 : type, "TaskStepMethWrapper");
}

static PyObject *coroutine_asked(PyObject *callback)
{
	PyObject *task = is_step(callback) ? python.get(callback, "__self__") : NULL, *coroutine;

	if (!task)
		return NULL;
	coroutine = coroutine_in(task);
	if (coroutine && !step_type) {
		step_type = callback->type;
		python.incref((PyObject *)step_type);
	}
	if (coroutine && callback->type == step_type)
		member_learn(&task_of_step, callback, step_type, task);
	python.decref(task);
	return coroutine;
}

PyObject *asyncio_coroutine(PyObject *callback)
{
	if (callback->type == python.builtin)
		return coroutine_in(python.self_of(callback));
	if (likely(callback->type == step_type && task_of_step.offset))
		return coroutine_in(member_of(&task_of_step, callback));
	return coroutine_asked(callback);
}

static PyObject *coroutine_of(PyObject *queue, PyObject *handle)
{
	PyObject *callback, *coroutine;

	(void)queue;
	if (likely(callback_of_handle.offset)) {
		callback = member_of(&callback_of_handle, handle);
		return callback ? asyncio_coroutine(callback) : NULL;
	}
	callback = python.get_plain(handle, callback_name);
	if (!callback)
		return NULL;
	member_learn(&callback_of_handle, handle, loop_asyncio.item, callback);
	coroutine = asyncio_coroutine(callback);
	python.decref(callback);
	return coroutine;
}

/* Those are kept until Python ends. */
static void find(PyObject *module)
{
	PyObject *modules = python.modules();

	(void)module;
	step_type = NULL;
	callback_of_handle = task_of_step = coroutine_of_task = (struct member){ 0 };
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
