// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Django behind an ASGI server: the request is in what the server awaits. Django waits at its end
 * at the latest, when it has answered.
 */
#include <string.h>

#include "request.h"

/* Middleware awaits middleware. */
#define DEEPEST 64

/* A new reference, or NULL. */
static PyObject *request_in(PyObject *coroutine, PyTypeObject *type)
{
	PyObject *at = coroutine, *next, *request = NULL;

	python.incref(at);
	for (int i = 0; i < DEEPEST && at && at->type == python.coroutine; i++) {
		request = request_held(at, type);
		if (request)
			break;
		next = python_attribute(at, "cr_await");
		python.decref(at);
		at = next;
	}
	if (at)
		python.decref(at);
	return request;
}

/* Where an expression of re_path() begins and ends is no part of the path. */
static bool add_route(struct route *route, PyObject *match)
{
	route_add(route, "/");
	if (!route_add_attribute(route, match, "route"))
		return false;
	if (route->text[1] == '^') {
		route->len--;
		memmove(route->text + 1, route->text + 2, route->len);
	}
	if (route->text[route->len - 1] == '$' && route->text[route->len - 2] != '\\')
		route->text[--route->len] = '\0';
	return true;
}

/* None: the request came to no view. */
static bool find_of(PyObject *request, struct route *route)
{
	PyObject *match = request_attribute(request, "resolver_match");
	bool found = match && match != python.none && add_route(route, match);

	if (match)
		python.decref(match);
	return found;
}

/* What has been answered without one came to no view. */
bool django_find(PyObject *coroutine, struct route *route)
{
	PyTypeObject *type = request_type("django.core.handlers.asgi", "ASGIRequest");
	PyObject *request = type && coroutine ? request_in(coroutine, type) : NULL;
	bool found = coroutine ? request && find_of(request, route) : type != NULL;

	if (request)
		python.decref(request);
	if (type)
		python.decref((PyObject *)type);
	return found;
}
