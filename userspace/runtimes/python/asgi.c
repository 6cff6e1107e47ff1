// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ASGI: a server such as uvicorn or hypercorn makes a dict of each request, its scope, and hands
 * that to the framework behind it.
 */
#include <string.h>

#include "request.h"

/* Has it the keys that each scope has? */
static bool is_scope(PyObject *object)
{
	return object && object->type == python.modules()->type && python.item(object, "asgi") &&
	       python.item(object, "type");
}

/* Hypercorn's functions have it as an argument, those of uvicorn an object of which it is a part. */
static PyObject *pick(PyObject *object, void *data)
{
	PyObject *scope = object;

	(void)data;
	if (is_scope(object))
		python.incref(scope);
	else
		scope = request_attribute(object, "scope");
	if (is_scope(scope))
		return scope;
	if (scope)
		python.decref(scope);
	return NULL;
}

static PyObject *scope_of(PyObject *coroutine)
{
	return request_search(coroutine, pick, NULL);
}

static PyObject *method_of(PyObject *scope)
{
	PyObject *method = python.item(scope, "method");

	if (!method)
		return python.intern("WEBSOCKET");
	python.incref(method);
	return method;
}

static bool find(PyObject *scope, PyObject *coroutine, struct route *route)
{
	return starlette_find(scope, !coroutine, route) ||
	       django_find(coroutine, route);
}

const struct framework framework_asgi = {
	.module = "asyncio", .function = ".run_asgi",
	.request = scope_of, .method = method_of, .find = find,
};
