// SPDX-License-Identifier: LGPL-2.1-or-later
/* What the program does with sys.monitoring: our tool stays invisible to it. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "functions.h"
#include "sysmon.h"

#define METH_NOARGS 0x04
#define METH_O 0x08
#define METH_FASTCALL 0x80

/* With so many arguments, of which the first says which tool is meant. */
#define ARGS_MAX 3

static struct call {
	const char *name;
	int flags;
	size_t nargs;
	python_call *next;
} calls[] = {
	[SYSMON_USE] = { "use_tool_id", METH_FASTCALL, 2, NULL },
	[SYSMON_FREE] = { "free_tool_id", METH_O, 1, NULL },
	[SYSMON_REGISTER] = { "register_callback", METH_FASTCALL, 3, NULL },
	[SYSMON_SET_EVENTS] = { "set_events", METH_FASTCALL, 2, NULL },
	[SYSMON_RESTART] = { "restart_events", METH_NOARGS, 0, NULL },
	[SYSMON_TOOL] = { "get_tool", METH_O, 1, NULL },
	[SYSMON_EVENTS] = { "get_events", METH_O, 1, NULL },
	[SYSMON_LOCAL] = { "get_local_events", METH_FASTCALL, 2, NULL },
	[SYSMON_SET_LOCAL] = { "set_local_events", METH_FASTCALL, 3, NULL },
	/* Since 3.14. */
	[SYSMON_CLEAR] = { "clear_tool_id", METH_O, 1, NULL },
	[SYSMON_ALL] = { "_all_events", METH_NOARGS, 0, NULL },
};

#define NR_CALLS (sizeof(calls) / sizeof(calls[0]))

static PyObject *module;
static PyObject *(*take_error)(void);
static void (*set_error)(PyObject *error);

/* Which tool is meant, or -1 if there is none of that number. */
static long tool_of(PyObject *number)
{
	long tool = python.number(number);

	if (python.error())
		python.clear();
	return tool;
}

/* It is called with no tool that is ours: @tool, or any if @all. */
static PyObject *call_without(const struct call *call, long tool, bool all, PyObject *self,
			      uintptr_t a, uintptr_t b)
{
	PyObject *result, *error;

	if (!monitoring_leave(tool, all))
		return call->next(self, a, b, 0);
	result = call->next(self, a, b, 0);
	error = take_error();
	monitoring_return();
	if (error)
		set_error(error);
	return result;
}

static PyObject *call_of_tool(enum sysmon which, PyObject *self, PyObject *number,
			      PyObject *const *args, size_t nargs)
{
	const struct call *call = &calls[which];
	PyObject *copy[ARGS_MAX] = { number };
	long tool = tool_of(number);

	for (size_t i = 1; i < nargs; i++)
		copy[i] = args[i];
	if (which == SYSMON_USE)
		monitoring_used(tool);
	return call_without(call, tool, false, self,
			    call->flags == METH_O ? (uintptr_t)number : (uintptr_t)copy, nargs);
}

/*
 * Python asks what stands for a number once: once it has counted the arguments, before any other.
 */
static PyObject *pass(enum sysmon which, PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	const struct call *call = &calls[which];
	PyObject *first = (PyObject *)a, *const *args = &first, *number, *result;

	if (!call->nargs)
		return call_without(call, -1, which == SYSMON_ALL, self, a, b);
	if (call->flags == METH_FASTCALL)
		args = (PyObject *const *)a;
	if (call->flags == METH_FASTCALL && b != call->nargs)
		return call->next(self, a, b, c);
	number = python.index(args[0]);
	if (!number)
		return NULL;
	result = call_of_tool(which, self, number, args, call->nargs);
	python.decref(number);
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
		/*
		 * The tables stay when Python ends, or something else that is needed is not there.
		 */
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
