// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What a greenlet runs: what it was given to call, or a method run() of its class. Those of
 * gevent keep it as _run; one of eventlet is given it when it begins.
 */
#include <string.h>

#include "greenlets.h"
#include "name.h"

/* Methods of partial objects of methods ... */
#define WRAPPED_MAX 4

enum { RUN, GEVENT_RUN, CALL, CODE, NAMES };

/* Made once: each greenlet is asked for some of them. NULL without memory. */
static PyObject *name_of(int which)
{
	static const char *const texts[NAMES] = { "run", "_run", "__call__", "__code__" };
	static PyObject *names[NAMES];

	if (!names[which])
		names[which] = python.intern(texts[which]);
	return names[which];
}

static PyObject *plain(PyObject *object, int which)
{
	PyObject *name = name_of(which), *value = name ? python.get_plain(object, name) : NULL;

	if (!value)
		python.clear();
	return value;
}

static PyObject *of_type(PyTypeObject *type, int which)
{
	PyObject *name = name_of(which);

	return name ? python.of_type(type, name) : NULL;
}

static bool is_a(const PyObject *object, const char *type)
{
	return !strcmp(object->type->name, type);
}

/* A property's code is the program's. */
static PyObject *run_of(PyObject *object)
{
	PyObject *run = of_type(object->type, RUN), *other;

	if (!run || run == of_type(greenlet_type, RUN))
		return plain(object, RUN);
	if (run->type != python.function) {
		other = of_type(object->type, GEVENT_RUN);
		return other && is_a(other, "property") ? NULL : plain(object, GEVENT_RUN);
	}
	python.incref(run);
	return run;
}

/* As eventlet does it: a method of the greenlet, to call what it is given first. */
static PyObject *given(PyObject *object, PyObject *run, PyObject *args)
{
	PyObject *self, *first = NULL;

	if (!args || run->type != python.method)
		return NULL;
	self = python_attribute(run, "__self__");
	if (self == object) {
		first = python.element(args, 0);
		if (!first)
			python.clear();
	}
	if (self)
		python.decref(self);
	return first && (first->type == python.function || first->type == python.method) ?
	       first : NULL;
}

/* What is behind one that stands for another, or NULL; a new reference. */
static PyObject *wrapped(PyObject *callable)
{
	PyObject *call;

	if (callable->type == python.method)
		return python_attribute(callable, "__func__");
	if (is_a(callable, "functools.partial"))
		return python_attribute(callable, "func");
	call = of_type(callable->type, CALL);
	if (!call || call->type != python.function)
		return NULL;
	python.incref(call);
	return call;
}

/* Takes over the reference. */
static PyObject *code_of(PyObject *callable)
{
	PyObject *next = callable;

	for (int i = 0; next && next->type != python.function && i < WRAPPED_MAX; i++) {
		next = wrapped(callable);
		if (next) {
			python.decref(callable);
			callable = next;
		}
	}
	if (callable->type == python.function) {
		next = plain(callable, CODE);
	} else {
		next = (PyObject *)callable->type;
		python.incref(next);
	}
	python.decref(callable);
	return next;
}

PyObject *greenlet_function(PyObject *object, PyObject *args)
{
	PyObject *run, *first;

	if (python.error())
		return NULL;
	run = run_of(object);
	if (!run)
		return NULL;
	first = given(object, run, args);
	if (first) {
		python.incref(first);
		python.decref(run);
		run = first;
	}
	return code_of(run);
}

uint32_t greenlet_label(PyObject *function)
{
	if (!function)
		return coroprof_label("greenlet");
	if (is_a(function, "code"))
		return name_label(python_attribute(function, "co_qualname"), function);
	return coroprof_label(((PyTypeObject *)function)->name);
}
