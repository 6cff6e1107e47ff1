/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known of each coroutine of Python. */
#ifndef PYTHON_TASKS_H
#define PYTHON_TASKS_H

#include "../preload/table.h"
#include "../runtime.h"
#include "api.h"

/**
 * struct task - a coroutine of Python that is driven by itself, not awaited by another
 * @node:     by its address
 * @co:       its coroutine, 0: none
 * @labelled: that has its label
 * @runs:     it is in the middle of a step
 * @over:     it has ended: Python refuses to enter it again
 * @framework: it may be a request to that, whose route is not known yet; or NULL
 * @request:  what leads to that, a reference, only in the middle of a step: what a coroutine that
 *            runs can reach is no garbage
 * @looks:    so many steps began without the route
 */
struct task {
	struct table_node node;
	coroprof_co co;
	bool labelled;
	bool runs;
	bool over;
	const struct framework *framework;
	PyObject *request;
	unsigned int looks;
};

/* What is known of it, or NULL. */
struct task *task_find(PyObject *coroutine);
/* It has a coroutine from now on. NULL without memory, or if it is over. */
struct task *task_get(PyObject *coroutine);

/* It runs from now on. Returns what had run. */
coroprof_co task_enter(struct task *task, PyObject *coroutine);
/* The same runs again; the task has ended, or waits. */
void task_leave(struct task *task, coroprof_co before, bool ended);

/* The object is gone: its address may be another's. */
void task_forget(struct task *task);

#endif /* PYTHON_TASKS_H */
