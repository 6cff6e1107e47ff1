// SPDX-License-Identifier: LGPL-2.1-or-later
/* Callbacks of sys.monitoring: taken from a tool and put back. */
#include "callbacks.h"
#include "sysmon.h"

#define FORGETS_SINCE 0x030e

/* Returns what was called before, a new reference; NULL: there is no such event. */
static PyObject *exchange(PyObject *tool, size_t event, PyObject *callback)
{
	PyObject *number = python.new_number(1l << event), *before;

	if (!number)
		return NULL;
	before = sysmon_call(SYSMON_REGISTER, (PyObject *[]){ tool, number, callback }, 3);
	python.decref(number);
	return before;
}

void callbacks_take(struct callbacks *callbacks, PyObject *tool)
{
	PyObject *before;

	callbacks->nr = 0;
	callbacks->any = false;
	if (python.version < FORGETS_SINCE)
		return;
	while (callbacks->nr < CALLBACKS_MAX) {
		before = exchange(tool, callbacks->nr, python.none);
		if (!before)
			return;
		callbacks->any |= before != python.none;
		callbacks->of[callbacks->nr++] = before;
	}
}

/* From the last: to register BRANCH registers what stands before it, which may be another's. */
void callbacks_put_back(struct callbacks *callbacks, PyObject *tool)
{
	PyObject *before;

	while (callbacks->nr--) {
		before = callbacks->any ?
			 exchange(tool, callbacks->nr, callbacks->of[callbacks->nr]) : NULL;
		if (before)
			python.decref(before);
		python.decref(callbacks->of[callbacks->nr]);
	}
}
