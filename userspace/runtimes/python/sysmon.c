// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <dlfcn.h>

#include "functions.h"
#include "sysmon.h"

#define METH_NOARGS 0x04
#define METH_O 0x08
#define METH_FASTCALL 0x80

static struct call {
	const char *name;
	int flags;
	python_call *next;
} calls[] = {
	[SYSMON_USE] = { "use_tool_id", METH_FASTCALL, NULL },
	[SYSMON_FREE] = { "free_tool_id", METH_O, NULL },
	[SYSMON_REGISTER] = { "register_callback", METH_FASTCALL, NULL },
	[SYSMON_SET_EVENTS] = { "set_events", METH_FASTCALL, NULL },
	[SYSMON_RESTART] = { "restart_events", METH_NOARGS, NULL },
	[SYSMON_TOOL] = { "get_tool", METH_O, NULL },
	[SYSMON_EVENTS] = { "get_events", METH_O, NULL },
	[SYSMON_LOCAL] = { "get_local_events", METH_FASTCALL, NULL },
	[SYSMON_SET_LOCAL] = { "set_local_events", METH_FASTCALL, NULL },
	/* Since 3.14. */
	[SYSMON_CLEAR] = { "clear_tool_id", METH_O, NULL },
	[SYSMON_ALL] = { "_all_events", METH_NOARGS, NULL },
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

static PyObject *module;
static PyObject *(*take_error)(void);
static void (*set_error)(PyObject *error);

/* Which tool is meant, or -1 if it is none or all. */
static long tool_of(const struct call *call, uintptr_t a, uintptr_t b)
{
	PyObject *number = (PyObject *)a;
	long tool;

	if (call->flags == METH_NOARGS || (call->flags == METH_FASTCALL && !b))
		return -1;
	if (call->flags == METH_FASTCALL)
		number = *(PyObject *const *)a;
	tool = python.number(number);
	if (python.error())
		python.clear();
	return tool;
}

static PyObject *pass(enum sysmon which, PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	const struct call *call = &calls[which];
	long tool = tool_of(call, a, b);
	PyObject *result, *error;

	if (which == SYSMON_USE)
		monitoring_used(tool);
	if (!monitoring_leave(tool, which == SYSMON_ALL))
		return call->next(self, a, b, c);
	result = call->next(self, a, b, c);
	error = take_error();
	monitoring_return();
	if (error)
		set_error(error);
	return result;
}

#define FUNCTION(name, which) \
	static PyObject *name(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c) \
	{ \
		return pass(which, self, a, b, c); \
	}

FUNCTION(use_tool, SYSMON_USE)
FUNCTION(free_tool, SYSMON_FREE)
FUNCTION(register_callback, SYSMON_REGISTER)
FUNCTION(set_events, SYSMON_SET_EVENTS)
FUNCTION(get_tool, SYSMON_TOOL)
FUNCTION(get_events, SYSMON_EVENTS)
FUNCTION(get_local, SYSMON_LOCAL)
FUNCTION(set_local, SYSMON_SET_LOCAL)
FUNCTION(clear_tool, SYSMON_CLEAR)
FUNCTION(all_events, SYSMON_ALL)

static python_call *const ours[] = {
	[SYSMON_USE] = use_tool, [SYSMON_FREE] = free_tool,
	[SYSMON_REGISTER] = register_callback, [SYSMON_SET_EVENTS] = set_events,
	[SYSMON_TOOL] = get_tool, [SYSMON_EVENTS] = get_events,
	[SYSMON_LOCAL] = get_local, [SYSMON_SET_LOCAL] = set_local,
	[SYSMON_RESTART] = NULL, [SYSMON_CLEAR] = clear_tool, [SYSMON_ALL] = all_events,
};

bool sysmon_find(PyObject *monitoring)
{
	struct python_method *methods[NR_CALLS];

	take_error = dlsym(RTLD_DEFAULT, "PyErr_GetRaisedException");
	set_error = dlsym(RTLD_DEFAULT, "PyErr_SetRaisedException");
	if (!take_error || !set_error)
		return false;
	for (size_t i = 0; i < NR_CALLS; i++) {
		methods[i] = python_builtin(monitoring, calls[i].name);
		if (methods[i] ? methods[i]->flags != calls[i].flags : i != SYSMON_CLEAR)
			return false;
	}
	module = monitoring;
	for (size_t i = 0; i < NR_CALLS; i++) {
		/* The tables stay when Python ends, or something else that is needed is not there. */
		if (!methods[i] || methods[i]->call == ours[i])
			continue;
		calls[i].next = methods[i]->call;
		if (ours[i])
			python_replace(methods[i], &calls[i].next, ours[i]);
	}
	return true;
}

PyObject *sysmon_call(enum sysmon which, PyObject *const *args, size_t nargs)
{
	const struct call *call = &calls[which];
	uintptr_t first = call->flags == METH_O ? (uintptr_t)args[0] : (uintptr_t)args;
	PyObject *result = call->next(module, first, nargs, 0);

	if (!result)
		python.clear();
	return result;
}
