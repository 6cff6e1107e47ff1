// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ASGI: a server makes a dict of each request, its scope, and hands that to the framework behind it.
 * The server is uvicorn: each request is a task that runs a method, of an object which has the scope.
 */
#include "request.h"

/* Has it the keys that each scope has? */
static bool is_scope(PyObject *object)
{
	return object && object->type == python.modules()->type && python.item(object, "asgi") &&
	       python.item(object, "type");
}

static PyObject *pick(PyObject *object, void *data)
{
	PyObject *scope = request_attribute(object, "scope");

	(void)data;
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
