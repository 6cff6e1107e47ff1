// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * gevent's loop: run_callback() is given what is to be called next, such as switch() of a
 * greenlet that has begun, has given way, or waited for what is there now.
 */
#include <string.h>

#include "../runtime.h"
#include "greenlets.h"

static struct python_method *method;
static python_call *next_run;

static void wake(PyObject *object)
{
	struct greenlet *self = greenlet_find(object);

	if (!self || (self->begun && !self->co))
		return;
	if (greenlet_is_here(self)) {
		greenlet_give_way();
		return;
	}
	greenlet_ready(self, object);
	coroprof_wake(self->co);
}

/* A Waiter's switch() leads to the greenlet that waits there; if none does yet, who runs will. */
static void look_at_waiter(PyObject *waiter)
{
	const char *dot = strrchr(waiter->type->name, '.');
	PyObject *greenlet = dot && !strcmp(dot, ".Waiter") ?
			     python_attribute(waiter, "greenlet") : NULL;

	if (!greenlet)
		return;
	if (greenlet == python.none)
		greenlet_give_way();
	else if (python.is_subtype(greenlet->type, greenlet_type))
		wake(greenlet);
	python.decref(greenlet);
}

static void look_at(PyObject *callback)
{
	PyObject *of = NULL;

	if (callback->type == python.builtin) {
		of = python.self_of(callback);
		if (of && python.is_subtype(of->type, greenlet_type))
			wake(of);
	} else if (callback->type == python.method) {
		of = python_attribute(callback, "__self__");
		if (of) {
			look_at_waiter(of);
			python.decref(of);
		}
	}
}

static PyObject *run_callback(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	PyObject *callback;

	if (unlikely(runtime_recorded() && !python.error())) {
		callback = python_first(method, a, b);
		if (callback)
			look_at(callback);
	}
	return next_run(self, a, b, c);
}

void gevent_listen(void)
{
	struct python_method *run;
	PyTypeObject *loop;

	if (next_run || python.error() || python.ends())
		return;
	loop = python_type(python.item(python.modules(), "gevent.libev.corecext"), "loop");
	if (!loop)
		return;
	run = python_method_in(loop, "run_callback");
	if (run && python_has_first(run)) {
		method = run;
		python_replace(run, &next_run, run_callback);
	}
	python.decref((PyObject *)loop);
}
