// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * trio: whatever makes a task ready, also one that is new, appends it to the deque of the run
 * that it is of. An instrument of trio's gets the same, but is of one run and in a list
 * which programs see.
 */
#include "loop.h"

/* A program may keep tasks that wait in deques of its own. */
static bool is_run_queue(PyObject *queue, PyObject *task)
{
	PyObject *runner = python_attribute(task, "_runner");
	PyObject *runq = python_attribute(runner, "runq");
	bool is = runq == queue;

	if (runner)
		python.decref(runner);
	if (runq)
		python.decref(runq);
	return is;
}

static PyObject *coroutine_of(PyObject *queue, PyObject *task)
{
	return is_run_queue(queue, task) ? python.get(task, "coro") : NULL;
}

static void find(PyObject *module)
{
	loop_trio.item = python_type(module, "Task");
}

struct loop loop_trio = {
	.adapter = {
		.name = "trio",
		.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES |
			COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
	},
	.module = "trio._core._run", .type = "Task", .find = find, .coroutine = coroutine_of,
};
