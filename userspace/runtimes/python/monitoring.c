// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions since Python 3.12, by sys.monitoring. Code whose functions are not reported is
 * never asked about again, so it costs nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "callbacks.h"
#include "functions.h"
#include "sysmon.h"

#define METH_FASTCALL 0x80

/* Those come first that Python means for no kind of tool, so that few programs want them. */
static const long tools[] = { 4, 3, 5, 2, 1, 0 };

#define NR_TOOLS (sizeof(tools) / sizeof(tools[0]))

static bool started;
/*
 * Which tool is ours is about to change. What calls sys.monitoring meanwhile is an audit hook, or
 * another thread.
 */
static bool busy;
static PyObject *disable, *tool;
/* Which one was ours before. */
static long left;
/* Tools that others have used: a bit for each. There code may be switched off. */
static unsigned long others;
/* Each interpreter has tools of its own. */
static int64_t interpreter;
static PyObject *(*new_function)(struct python_method *method, PyObject *self, PyObject *module);
/* Another may get the address of one that has ended, but not its number. */
static int64_t (*number_of)(void *interpreter);

/* Of an event: the code, where in it, and what more there is. */
typedef void report(PyObject *const *args, uintptr_t function);

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
static inline PyObject *on_event(uintptr_t event_args, report *report, bool may_disable)
{
	PyObject *const *args = (PyObject *const *)event_args;
	PyObject *answer = python.none;
	uintptr_t function;

	if (likely(runtime_recorded())) {
		function = function_of(args[0]);
		if (likely(function & FUNCTION_REPORTED))
			report(args, function);
		else if (may_disable)
			answer = disable;
	}
	python.incref(answer);
	return answer;
}

#define EVENT(name, report, may_disable) \
	static PyObject *name(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c) \
	{ \
		(void)self; \
		(void)b; \
		(void)c; \
		return on_event(a, report, may_disable); \
	}

EVENT(on_start, start, true)
EVENT(on_resume, resume, true)
EVENT(on_yield, yield, true)
EVENT(on_return, leave, true)
EVENT(on_throw, resume, false)
EVENT(on_unwind, unwind, false)

/**
 * struct event - one that is reported
 * @name:   in sys.monitoring
 * @method: of ours
 * @number: its number there, which a program may remove later
 * @before: what our tool called of it before, or None: a program may register that before it uses
 *          the tool
 */
static struct event {
	const char *name;
	struct python_method method;
	PyObject *number;
	PyObject *before;
} events[] = {
	{ "PY_START", { "on_start", on_start, METH_FASTCALL, NULL }, NULL, NULL },
	{ "PY_RESUME", { "on_resume", on_resume, METH_FASTCALL, NULL }, NULL, NULL },
	{ "PY_YIELD", { "on_yield", on_yield, METH_FASTCALL, NULL }, NULL, NULL },
	{ "PY_RETURN", { "on_return", on_return, METH_FASTCALL, NULL }, NULL, NULL },
	{ "PY_THROW", { "on_throw", on_throw, METH_FASTCALL, NULL }, NULL, NULL },
	{ "PY_UNWIND", { "on_unwind", on_unwind, METH_FASTCALL, NULL }, NULL, NULL },
};

#define NR_EVENTS (sizeof(events) / sizeof(events[0]))

/* Whether that has succeeded. */
static bool done(PyObject *result)
{
	if (result)
		python.decref(result);
	return result;
}

/* A tool that has a name already is another's. New reference, or NULL. */
static PyObject *take_tool(void)
{
	PyObject *name = python.intern("coroprof"), *number = NULL;

	for (size_t i = 0; name && i < NR_TOOLS; i++) {
		number = python.new_number(tools[i]);
		if (number && done(sysmon_call(SYSMON_USE, (PyObject *[]){ number, name }, 2)))
			break;
		if (number)
			python.decref(number);
		number = NULL;
		others |= 1ul << tools[i];
	}
	if (name)
		python.decref(name);
	return number;
}

/* Returns what it called before, a new reference; NULL: it fails. */
static PyObject *listen(PyObject *event, PyObject *function)
{
	return event && function ?
	       sysmon_call(SYSMON_REGISTER, (PyObject *[]){ tool, event, function }, 3) : NULL;
}

/* The event's number, or 0. */
static long listen_to(struct event *event)
{
	PyObject *function = new_function(&event->method, NULL, NULL);

	event->before = listen(event->number, function);
	if (function)
		python.decref(function);
	return event->before ? python.number(event->number) : 0;
}

static void put_back(struct event *event)
{
	done(listen(event->number, event->before));
	done(event->before);
	event->before = NULL;
}

static bool set_events(long events)
{
	PyObject *set = python.new_number(events);
	bool is_set = set && done(sysmon_call(SYSMON_SET_EVENTS, (PyObject *[]){ tool, set }, 2));

	if (set)
		python.decref(set);
	return is_set;
}

static bool listen_all(void)
{
	long all = 0, one = 1;

	for (size_t i = 0; one && i < NR_EVENTS; i++) {
		one = listen_to(&events[i]);
		all |= one;
	}
	return one && set_events(all);
}

/* Python keeps a tool's functions for whoever takes its number next. */
static void listen_no_more(void)
{
	set_events(0);
	for (size_t i = 0; i < NR_EVENTS; i++)
		put_back(&events[i]);
}

/* What is switched off is on again, for all tools. */
static bool restart(void)
{
	return done(sysmon_call(SYSMON_RESTART, NULL, 0));
}

static bool find_events(PyObject *monitoring)
{
	PyObject *numbers = python_attribute(monitoring, "events");
	bool found = numbers;

	for (size_t i = 0; found && i < NR_EVENTS; i++) {
		if (!events[i].number)
			events[i].number = python_attribute(numbers, events[i].name);
		found = events[i].number;
	}
	if (numbers)
		python.decref(numbers);
	return found;
}

static bool find(void)
{
	PyObject *monitoring;

	if (disable)
		return true;
	new_function = dlsym(RTLD_DEFAULT, "PyCFunction_NewEx");
	number_of = dlsym(RTLD_DEFAULT, "PyInterpreterState_GetID");
	monitoring = python_attribute(python.item(python.modules(), "sys"), "monitoring");
	if (!monitoring || !new_function || !number_of ||
	    !find_events(monitoring) || !sysmon_find(monitoring))
		return false;
	disable = python_attribute(monitoring, "DISABLE");
	return disable;
}

static bool is_here(void)
{
	return number_of(python.interpreter()) == interpreter;
}

static void give_tool_back(void)
{
	struct callbacks callbacks;

	if (!tool)
		return;
	listen_no_more();
	callbacks_take(&callbacks, tool);
	done(sysmon_call(SYSMON_FREE, &tool, 1));
	callbacks_put_back(&callbacks, tool);
	python.decref(tool);
	tool = NULL;
}

static const char *begin(void)
{
	tool = take_tool();
	if (!tool)
		return "sys.monitoring has all its tools in use by others";
	/* What was switched off for other functions is asked for again. */
	if (listen_all() && restart())
		return NULL;
	give_tool_back();
	return "sys.monitoring of this Python is not known";
}

/* Ours is of another interpreter, where alone it can be given back. */
static bool is_elsewhere(void)
{
	return tool && !is_here();
}

const char *monitoring_start(void)
{
	const char *why;

	if (busy || is_elsewhere())
		return "functions of another thread or interpreter are told";
	if (!find())
		return "sys.monitoring of this Python is not known";
	busy = true;
	why = begin();
	interpreter = number_of(python.interpreter());
	started = !why;
	busy = false;
	return why;
}

void monitoring_stop(void)
{
	if (is_elsewhere())
		return;
	started = false;
	/* Else who is about to take it gives it back. */
	if (!busy)
		give_tool_back();
}

void monitoring_used(long number)
{
	if (number >= 0 && number < (long)NR_TOOLS)
		others |= 1ul << number;
}

bool monitoring_leave(long number, bool all)
{
	if (busy || !started || !is_here())
		return false;
	if (tool && !all && number != python.number(tool))
		return false;
	busy = true;
	left = tool ? python.number(tool) : -1;
	give_tool_back();
	return true;
}

/* The program's own code stays switched off, but for a tool in which that may be ours, too. */
static bool is_clean(void)
{
	long number = python.number(tool);

	return number == left || !(others >> number & 1) || restart();
}

void monitoring_return(void)
{
	tool = take_tool();
	if (tool && !(listen_all() && is_clean() && started))
		give_tool_back();
	busy = false;
}

/* What is kept of it is gone, or nobody's. */
void monitoring_forget(void)
{
	started = false;
	busy = false;
	disable = NULL;
	tool = NULL;
	others = 0;
	for (size_t i = 0; i < NR_EVENTS; i++) {
		events[i].number = NULL;
		events[i].before = NULL;
	}
}
