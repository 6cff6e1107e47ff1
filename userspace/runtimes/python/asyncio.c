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

PyObject *asyncio_known(PyObject *callback)
{
	PyObject *task;

	if (unlikely(!coroutine_of_task.offset))
		return NULL;
	if (callback->type == step_type && task_of_step.offset)
		task = member_of(&task_of_step, callback);
	else if (callback->type == python.builtin)
		task = python.self_of(callback);
	else
		return NULL;
	return is_task(task) ? member_of(&coroutine_of_task, task) : NULL;
}

static PyObject *known_of(PyObject *handle)
{
	PyObject *callback;

	if (unlikely(!callback_of_handle.offset))
		return NULL;
	callback = member_of(&callback_of_handle, handle);
	return callback ? asyncio_known(callback) : NULL;
}

/* A new reference, or NULL, as from all that ask. */
static PyObject *coroutine_in(PyObject *task)
{
	PyObject *coroutine;

	if (!is_task(task))
		return NULL;
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

static PyObject *coroutine_of_step(PyObject *callback)
{
	PyObject *task = python.get(callback, "__self__"), *coroutine;

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
	return is_step(callback) ? coroutine_of_step(callback) : NULL;
}

static PyObject *coroutine_of(PyObject *queue, PyObject *handle)
{
	PyObject *callback = python.get_plain(handle, callback_name), *coroutine;

	(void)queue;
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
	.find = find, .known = known_of, .coroutine = coroutine_of,
};
