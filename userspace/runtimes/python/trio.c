// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trio: whatever makes a task ready, also one that is new, calls Runner.reschedule().
 * An instrument of trio's is told the same, but is of one run and in a list which
 * programs see.
 */
#include "loop.h"

static PyTypeObject *task_type;

static bool find(void)
{
	PyObject *run = python.item(python.modules(), "trio._core._run");

	task_type = (PyTypeObject *)python_attribute(run, "Task");
	return task_type;
}

static PyObject *coroutine_of(PyObject *task)
{
	return python.is_subtype(task->type, task_type) ? python.get(task, "coro") : NULL;
}

static python_call reschedule;

struct loop loop_trio = {
	.adapter = {
		.name = "trio",
		.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES |
			COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
	},
	.module = "trio._core._run", .type_name = "Runner",
	.method = { "reschedule", reschedule, PYTHON_METH_FASTCALL_KEYWORDS, NULL },
	.find = find, .coroutine = coroutine_of,
};

/* (self, task, next_send=None) */
static PyObject *reschedule(PyObject *self, uintptr_t args, uintptr_t nargs, uintptr_t names)
{
	return loop_call(&loop_trio, self, (PyObject *const *)args, nargs, (PyObject *)names);
}
