// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Python: whoever drives a coroutine, asyncio's Task, trio, a loop of the program's
 * own, does so by one of few functions, which are kept in tables that can be
 * written: am_send, and the methods send(), throw() and close(). They are replaced
 * there before Python begins. No object is wrapped, and none is imported.
 *
 * A coroutine that is awaited is a part of the one that awaits it, be that by itself or by
 * generators in between. Since 3.12 the interpreter enters it by itself. Before it calls
 * am_send; then the code that runs is such as may await, which that of whoever drives a
 * coroutine is not.
 *
 * All this is called with the interpreter's lock held.
 */
#include "functions.h"
#include "greenlets.h"
#include "tasks.h"

static python_send *next_send;
static void (*next_dealloc)(PyObject *self);

static inline bool awaited(void)
{
	return python.version == 0x030b && python_awaits();
}

/*
 * What is entered for itself, or NULL: Python refuses to enter one that runs, or is
 * over, or is to begin with another value than None.
 */
static inline struct task *driven(PyObject *self, const PyObject *value)
{
	struct task *task;

	if (awaited())
		return NULL;
	task = task_find(self);
	if (unlikely(!task || !task->co)) {
		if (value != python.none)
			return NULL;
		task = task_get(self);
	}
	return task && !task->runs ? task : NULL;
}

static enum python_sent am_send(PyObject *self, PyObject *value, PyObject **result)
{
	struct task *task = driven(self, value);
	enum python_sent sent;
	coroprof_co before;

	if (!task)
		return next_send(self, value, result);
	before = task_enter(task, self);
	sent = next_send(self, value, result);
	task_leave(task, before, sent != PYTHON_NEXT);
	return sent;
}

/* A method that runs a coroutine until it yields, or else fails. */
static inline PyObject *step(python_call *next, const PyObject *value, PyObject *self, uintptr_t a,
			     uintptr_t b, uintptr_t c)
{
	struct task *task = driven(self, value);
	coroprof_co before;
	PyObject *result;

	if (!task)
		return next(self, a, b, c);
	before = task_enter(task, self);
	result = next(self, a, b, c);
	task_leave(task, before, !result);
	return result;
}

static python_call *next_send_method, *next_throw, *next_close;

static PyObject *send_method(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return step(next_send_method, (const PyObject *)a, self, a, b, c);
}

static PyObject *throw(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return step(next_throw, python.none, self, a, b, c);
}

/* Its last slice: what it does to clean up. */
static PyObject *close(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	struct task *task = task_find(self);
	coroprof_co before;
	PyObject *result;

	if (!task || !task->co || task->runs)
		return next_close(self, a, b, c);
	before = task_enter(task, self);
	result = next_close(self, a, b, c);
	task_leave(task, before, result != NULL);
	return result;
}

/* One that nobody has ended does so now: Python closes it. */
static void dealloc(PyObject *self)
{
	struct task *task = task_find(self);
	coroprof_co before;

	if (likely(!task)) {
		next_dealloc(self);
	} else if (!task->co) {
		task_forget(task);
		next_dealloc(self);
	} else {
		before = task_enter(task, self);
		next_dealloc(self);
		task_leave(task, before, true);
		task_forget(task);
	}
}

static struct python_method *method(const char *name)
{
	return python_method_of(python.coroutine, name);
}

static void begin(void)
{
	struct python_async *async;

	if (!python_find())
		return;
	greenlets_begin();
	functions_begin();
	async = python.coroutine->async;
	if (!async || !async->send || !method("send") || !method("throw") || !method("close"))
		return;
	next_send = async->send;
	next_dealloc = python.coroutine->dealloc;
	python_replace(method("send"), &next_send_method, send_method);
	python_replace(method("throw"), &next_throw, throw);
	python_replace(method("close"), &next_close, close);
	async->send = am_send;
	python.coroutine->dealloc = dealloc;
}

struct runtime python_runtime = { .begin = begin };
