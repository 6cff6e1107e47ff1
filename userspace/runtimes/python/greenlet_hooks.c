// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * greenlet: whoever switches calls switch() or throw(), by their names or by the table of
 * functions that the extension module offers to others in C, as gevent does. Both are
 * replaced when Python has loaded the module, for which it asks dlsym().
 *
 * Such a call returns when its greenlet goes on, whoever saw to that: so each turn but the
 * first is reported where it begins. One that ends has not left by a call. settrace() is the
 * program's own: no function of ours is there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "../preload/scope.h"
#include "greenlets.h"

/* Of the table, as in every version. */
enum { API_NEW = 3, API_THROW = 5, API_SWITCH = 6 };

PyTypeObject *greenlet_type;

static const struct python_getset *dead;
static python_new *next_new;
static void (*next_dealloc)(PyObject *self);
static python_call *next_switch, *next_throw, *next_api_new, *next_api_switch, *next_api_throw;

static bool is_dead(PyObject *object)
{
	PyObject *value = dead->get(object, dead->closure);

	if (value)
		python.decref(value);
	return value == python.true_object;
}

/* It may be refused: to one of another thread, or that has nothing to call. */
static PyObject *switches(python_call *next, PyObject *object, uintptr_t a, uintptr_t b,
			  uintptr_t c)
{
	struct greenlet *to = greenlet_find(object), *self = greenlet_leave();
	coroprof_co before = runtime_current;
	bool first = to && !to->begun;
	PyObject *result;

	if (first)
		greenlet_start(to, object, (PyObject *)a);
	result = next(object, a, b, c);
	if (unlikely(first && !result && greenlet_is_here(to) && !is_dead(object)))
		greenlet_unstart(to, self);
	greenlet_arrive(self, before);
	return result;
}

/* One that has not begun ends without having run. */
static PyObject *throws(python_call *next, PyObject *object, uintptr_t a, uintptr_t b, uintptr_t c)
{
	struct greenlet *to = greenlet_find(object), *self = greenlet_leave();
	coroprof_co before = runtime_current;
	bool first = to && !to->begun;
	PyObject *result;

	if (first)
		to->begun = true;
	result = next(object, a, b, c);
	if (first)
		to->begun = is_dead(object);
	greenlet_arrive(self, before);
	return result;
}

static PyObject *switch_method(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return switches(next_switch, self, a, b, c);
}

static PyObject *throw_method(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return throws(next_throw, self, a, b, c);
}

static PyObject *api_switch(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return switches(next_api_switch, self, a, b, c);
}

static PyObject *api_throw(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return throws(next_api_throw, self, a, b, c);
}

static PyObject *made(PyObject *object)
{
	if (object)
		greenlet_made(object);
	return object;
}

static PyObject *new(PyTypeObject *type, PyObject *args, PyObject *names)
{
	return made(next_new(type, args, names));
}

static PyObject *api_new(PyObject *run, uintptr_t a, uintptr_t b, uintptr_t c)
{
	return made(next_api_new(run, a, b, c));
}

/* One that is suspended is made to end: it goes on, with an exception, and comes back here. */
static void dealloc(PyObject *object)
{
	struct greenlet *goes = greenlet_find(object), *self;
	coroprof_co before = runtime_current;

	if (!goes || !goes->begun || !goes->co || greenlet_is_here(goes)) {
		if (goes)
			greenlet_forget(goes);
		next_dealloc(object);
		return;
	}
	self = greenlet_leave();
	next_dealloc(object);
	greenlet_arrive(self, before);
	/* If it has not ended, whoever it is that its thread still has it. */
	if (!goes->co)
		greenlet_forget(goes);
}

static const struct python_getset *getset_of(const PyTypeObject *type, const char *name)
{
	const struct python_getset *at = type->getset;

	while (at && at->name && strcmp(at->name, name))
		at++;
	return at && at->name ? at : NULL;
}

static void replace_api(void **at, python_call **next, python_call *by)
{
	*next = (python_call *)*at;
	*at = (void *)by;
}

static void replace(PyTypeObject *type, void **api)
{
	struct python_method *call = python_method_of(type, "switch");
	struct python_method *raise = python_method_of(type, "throw");

	dead = getset_of(type, "dead");
	if (!call || !raise || !dead) {
		coroprof_debug("this greenlet is not known: greenlets are not recorded");
		return;
	}
	greenlet_type = type;
	next_new = type->new;
	next_dealloc = type->dealloc;
	type->new = new;
	type->dealloc = dealloc;
	python_replace(call, &next_switch, switch_method);
	python_replace(raise, &next_throw, throw_method);
	replace_api(&api[API_NEW], &next_api_new, api_new);
	replace_api(&api[API_SWITCH], &next_api_switch, api_switch);
	replace_api(&api[API_THROW], &next_api_throw, api_throw);
}

static PyObject *(*next_init)(void);

/* Of several copies in one process, the first. */
static PyObject *init(void)
{
	PyObject *module = next_init(), *type, *api;
	void **functions;

	if (!module || greenlet_type)
		return module;
	type = python_attribute(module, "greenlet");
	api = python_attribute(module, "_C_API");
	functions = api ? python.pointer(api, "greenlet._C_API") : NULL;
	if (type && functions)
		replace((PyTypeObject *)type, functions);
	else
		python.clear();
	return module;
}

static void *look_up(void *handle, const char *name)
{
	void *symbol = dlsym(handle, name);

	if (!symbol || strcmp(name, "PyInit__greenlet") || greenlet_type)
		return symbol;
	next_init = (PyObject *(*)(void))symbol;
	return (void *)init;
}

void greenlets_begin(void)
{
	struct link_map *python_object = scope_object((void *)python.coroutine);

	if (!python_object || !scope_divert(python_object, "dlsym", (void *)look_up))
		coroprof_debug("this Python is not known: greenlets are not recorded");
}
