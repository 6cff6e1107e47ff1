// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions since Python 3.12, by sys.monitoring. Code whose functions are not told is
 * never asked about again, so it costs nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "functions.h"

#define METH_FASTCALL 0x80

/* Numbers that Python means for no kind of tool, so that nobody counts on them. */
static const long tools[] = { 4, 3 };

static PyObject *monitoring, *disable, *tool;
static PyObject *(*new_function)(struct python_method *method, PyObject *self, PyObject *module);
static PyObject *(*new_number)(long value);

/* Of an event: the code, where in it, and what more there is. */
typedef void tell(PyObject *const *args, uintptr_t function);

static inline void start(PyObject *const *args, uintptr_t function)
{
	if (function & FUNCTION_COROUTINE && !function_begin(function))
		function_begins(args[0], function, python.number(args[1]));
	function_call(args[0], function);
}

static inline void resume(PyObject *const *args, uintptr_t function)
{
	function_resume(args[0], function);
}

static inline void yield(PyObject *const *args, uintptr_t function)
{
	function_yield(args[0], function);
}

static inline void leave(PyObject *const *args, uintptr_t function)
{
	function_return(args[0], function);
}

static inline void unwind(PyObject *const *args, uintptr_t function)
{
	if (function & FUNCTION_COROUTINE && python.number(args[1]) < function_begin(function))
		return;
	function_return(args[0], function);
}

/* What Python is answered: DISABLE is of this code and this event alone. */
static inline PyObject *on_event(uintptr_t event_args, tell *tell, bool may_disable)
{
	PyObject *const *args = (PyObject *const *)event_args;
	PyObject *answer = python.none;
	uintptr_t function;

	if (likely(runtime_recorded())) {
		function = function_of(args[0]);
		if (likely(function & FUNCTION_TOLD))
			tell(args, function);
		else if (may_disable)
			answer = disable;
	}
	python.incref(answer);
	return answer;
}

#define EVENT(name, tell, may_disable) \
	static PyObject *name(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c) \
	{ \
		(void)self; \
		(void)b; \
		(void)c; \
		return on_event(a, tell, may_disable); \
	}

EVENT(on_start, start, true)
EVENT(on_resume, resume, true)
EVENT(on_yield, yield, true)
EVENT(on_return, leave, true)
EVENT(on_throw, resume, false)
EVENT(on_unwind, unwind, false)

static struct event {
	const char *name;
	struct python_method method;
} events[] = {
	{ "PY_START", { "on_start", on_start, METH_FASTCALL, NULL } },
	{ "PY_RESUME", { "on_resume", on_resume, METH_FASTCALL, NULL } },
	{ "PY_YIELD", { "on_yield", on_yield, METH_FASTCALL, NULL } },
	{ "PY_RETURN", { "on_return", on_return, METH_FASTCALL, NULL } },
	{ "PY_THROW", { "on_throw", on_throw, METH_FASTCALL, NULL } },
	{ "PY_UNWIND", { "on_unwind", on_unwind, METH_FASTCALL, NULL } },
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

/* monitoring.NAME(...): false if it fails. Takes over the reference of @last. */
static bool call(const char *name, PyObject *const *args, size_t nargs, PyObject *last)
{
	PyObject *function = python_attribute(monitoring, name);
	PyObject *result = function ? python.call(function, args, nargs, NULL) : NULL;

	if (!result)
		python.clear();
	else
		python.decref(result);
	if (function)
		python.decref(function);
	if (last)
		python.decref(last);
	return result;
}

/* A tool that has a name already is another's. New reference, or NULL. */
static PyObject *take_tool(void)
{
	PyObject *name = python.intern("coroprof"), *number = NULL;

	for (size_t i = 0; name && i < sizeof(tools) / sizeof(tools[0]); i++) {
		number = new_number(tools[i]);
		if (number && call("use_tool_id", (PyObject *[]){ number, name }, 2, NULL))
			break;
		if (number)
			python.decref(number);
		number = NULL;
	}
	if (name)
		python.decref(name);
	return number;
}

/* The event's number, or 0. */
static long listen(PyObject *numbers, struct event *event)
{
	PyObject *number = python_attribute(numbers, event->name);
	PyObject *function = new_function(&event->method, NULL, NULL);
	long value = number ? python.number(number) : 0;

	if (!function || !number ||
	    !call("register_callback", (PyObject *[]){ tool, number, function }, 3, function))
		value = 0;
	if (number)
		python.decref(number);
	return value;
}

static bool listen_all(void)
{
	PyObject *numbers = python_attribute(monitoring, "events");
	PyObject *set;
	long all = 0, one;

	for (size_t i = 0; i < NR_EVENTS; i++) {
		one = listen(numbers, &events[i]);
		if (!one)
			return false;
		all |= one;
	}
	set = new_number(all);
	/* What was switched off is not: who asks for other functions, asks for it again. */
	return set && call("set_events", (PyObject *[]){ tool, set }, 2, set) &&
	       call("restart_events", NULL, 0, NULL);
}

static bool find(void)
{
	PyObject *sys = python.item(python.modules(), "sys");

	if (disable)
		return true;
	new_function = dlsym(RTLD_DEFAULT, "PyCFunction_NewEx");
	new_number = dlsym(RTLD_DEFAULT, "PyLong_FromLong");
	monitoring = sys ? python_attribute(sys, "monitoring") : NULL;
	disable = monitoring ? python_attribute(monitoring, "DISABLE") : NULL;
	return disable && new_function && new_number;
}

const char *monitoring_start(void)
{
	if (!find())
		return "sys.monitoring of this Python is not known";
	tool = take_tool();
	if (!tool)
		return "sys.monitoring has its tools 3 and 4 in use by others";
	if (listen_all())
		return NULL;
	monitoring_stop();
	return "sys.monitoring of this Python is not known";
}

/* Events are the tool's: they end with it, in 3.12 when they are set to none. */
void monitoring_stop(void)
{
	PyObject *none = tool ? new_number(0) : NULL;

	if (!tool)
		return;
	if (none)
		call("set_events", (PyObject *[]){ tool, none }, 2, none);
	call("free_tool_id", &tool, 1, tool);
	tool = NULL;
}
