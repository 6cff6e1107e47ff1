// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions of Python as spans: which ones, and what they are called. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/charge.h"
#include "functions.h"
#include "name.h"

/*
 * Above the bits of enum function, in the word that Python keeps with code for us: the label, where
 * the function begins, in units of Python's code, and of which list that is said.
 */
#define LABEL_SHIFT 8
#define BEGIN_SHIFT 24
#define BEGIN_MAX 255
#define LIST_SHIFT 32
#define UNIT 2

/* Of code, as in every version. */
#define CO_GENERATOR 0x20
#define CO_COROUTINE 0x80
#define CO_ITERABLE_COROUTINE 0x100
#define CO_ASYNC_GENERATOR 0x200

static PyObject *(*globals)(void);

static char *list;
static uintptr_t nr_lists;
static intptr_t place = -1;
static bool by_environment;

static PyTypeObject *module_type;
static python_new *next_new;

static bool fits(const char *module, const char *word, size_t len)
{
	if (len == strlen(FUNCTIONS_ALL) && !strncmp(word, FUNCTIONS_ALL, len))
		return true;
	return !strncmp(module, word, len) && (!module[len] || module[len] == '.');
}

/* The last word of the list that fits says it. A list that leaves out begins with all. */
static bool listed(const char *module)
{
	bool wanted = *list == '-';

	for (const char *word = list; *word; word += strspn(word, ",")) {
		size_t len = strcspn(word, ","), minus = *word == '-';

		if (fits(module, word + minus, len - minus))
			wanted = !minus;
		word += len;
	}
	return wanted;
}

/* What runs on top knows its module by name, unless the program has hidden that. */
static bool wanted(void)
{
	PyObject *all = globals(), *name = all ? python.item(all, "__name__") : NULL;
	const char *text = name ? python.text(name) : NULL;
	bool result = listed(text ? text : "");

	python.clear();
	return result;
}

static uintptr_t kind_of(PyObject *code)
{
	PyObject *flags = python_attribute(code, "co_flags");
	long number = flags ? python.number(flags) : 0;

	if (flags)
		python.decref(flags);
	if (number & (CO_COROUTINE | CO_ITERABLE_COROUTINE))
		return FUNCTION_COROUTINE;
	return number & (CO_GENERATOR | CO_ASYNC_GENERATOR) ? FUNCTION_GENERATOR : 0;
}

static uintptr_t look_at(PyObject *code)
{
	coroprof_co before = runtime_current;
	uintptr_t function = nr_lists << LIST_SHIFT;
	uint32_t label = 0;

	charge();
	if (wanted())
		label = name_label(python_attribute(code, "co_qualname"), code);
	/* What can't be named is not begun, so it must not be ended. */
	if (label)
		function |= FUNCTION_REPORTED | kind_of(code) | (uintptr_t)label << LABEL_SHIFT;
	if (python.set_word(code, place, (void *)function))
		python.clear();
	runtime_switch(before);
	return function;
}

uintptr_t function_of(PyObject *code)
{
	void *word = NULL;

	if (unlikely(python.get_word(code, place, &word)))
		python.clear();
	return likely((uintptr_t)word >> LIST_SHIFT == nr_lists) ? (uintptr_t)word : look_at(code);
}

void function_call(PyObject *code, uintptr_t function)
{
	coroprof_call_begin(code, (uint16_t)(function >> LABEL_SHIFT));
}

void function_begins(PyObject *code, uintptr_t function, long offset)
{
	uintptr_t begin = (uintptr_t)offset / UNIT;

	if (begin <= BEGIN_MAX && python.set_word(code, place, (void *)(function | begin << BEGIN_SHIFT)))
		python.clear();
}

long function_begin(uintptr_t function)
{
	return (long)(function >> BEGIN_SHIFT & BEGIN_MAX) * UNIT;
}

void function_resume(PyObject *code, uintptr_t function)
{
	if (function & FUNCTION_GENERATOR)
		function_call(code, function);
}

void function_yield(PyObject *code, uintptr_t function)
{
	if (function & FUNCTION_GENERATOR)
		coroprof_call_end(code);
}

void function_return(PyObject *code, uintptr_t function)
{
	(void)function;
	coroprof_call_end(code);
}

static bool find(void)
{
	globals = dlsym(RTLD_DEFAULT, "PyEval_GetGlobals");
	module_type = dlsym(RTLD_DEFAULT, "PyModule_Type");
	return python.new_word && globals && module_type && module_type->new;
}

static void stop(void)
{
	if (python.version == 0x030b)
		profile_stop();
	else
		monitoring_stop();
}

static python_new new_module;

/* Code has no room for us in the next Python, until that is asked for there. */
static void forget(void)
{
	place = -1;
	profile_forget();
	monitoring_forget();
	if (by_environment)
		module_type->new = new_module;
}

static bool find_place(void)
{
	if (place >= 0)
		return true;
	place = python.new_word(NULL);
	if (place >= 0 && python.at_end(forget))
		place = -1;
	return place >= 0;
}

static const char *start(const char *wanted_list)
{
	char *copy = strdup(wanted_list);

	/* A child of fork() has what its parent started: reported twice, each call would be two. */
	stop();
	if (!copy || !find_place()) {
		free(copy);
		return "Python has no room to keep what they are called";
	}
	free(list);
	list = copy;
	nr_lists++;
	coroprof_process_need();
	return python.version == 0x030b ? profile_start() : monitoring_start();
}

/* The first module that Python makes, for what it reads first, is the sign that it is there. */
static PyObject *new_module(PyTypeObject *type, PyObject *args, PyObject *names)
{
	const char *why;

	if (module_type->new == new_module) {
		module_type->new = next_new;
		why = start(secure_getenv(FUNCTIONS_ENV));
		if (why)
			fprintf(stderr, "coroprof: functions are not recorded: %s\n", why);
	}
	return next_new(type, args, names);
}

void functions_begin(void)
{
	const char *asked = secure_getenv(FUNCTIONS_ENV);

	if (!asked || !*asked)
		return;
	if (!find()) {
		coroprof_debug("this Python is not known: functions are not told");
		return;
	}
	by_environment = true;
	next_new = module_type->new;
	module_type->new = new_module;
}

EXPORT const char *coroprof_python_functions_(const char *wanted_list)
{
	if (python_runtime.off || !python.version || !find())
		return "this Python is not known";
	if (by_environment)
		return wanted_list ? "coroprof record --functions has said already which" : NULL;
	if (wanted_list)
		return start(wanted_list);
	stop();
	return NULL;
}
