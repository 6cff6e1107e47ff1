/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The functions of sys.monitoring. A program finds each of its tools free: while one of these
 * functions is called with the number of ours, or reports all tools, we have none.
 */
#ifndef PYTHON_SYSMON_H
#define PYTHON_SYSMON_H

#include "api.h"

#pragma GCC visibility push(hidden)

enum sysmon {
	SYSMON_USE, SYSMON_FREE, SYSMON_REGISTER, SYSMON_SET_EVENTS, SYSMON_RESTART,
	/* These are called by programs alone. */
	SYSMON_TOOL, SYSMON_EVENTS, SYSMON_LOCAL, SYSMON_SET_LOCAL, SYSMON_CLEAR, SYSMON_ALL,
};

/* From now on ours stand before them. False if they are not as in versions that are known. */
bool sysmon_find(PyObject *monitoring);

/* One of the first five, past ours: what it returns, a new reference, or NULL and no error. */
PyObject *sysmon_call(enum sysmon which, PyObject *const *args, size_t nargs);

#pragma GCC visibility pop

#endif /* PYTHON_SYSMON_H */
