/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests to servers of the web, which have a coroutine each: once their framework has found the
 * route, that is the label. It is read from the framework's own objects; nothing is imported,
 * replaced or called, but for expressions of Python's own module re.
 */
#ifndef PYTHON_REQUEST_H
#define PYTHON_REQUEST_H

#include "../runtime.h"
#include "api.h"

#pragma GCC visibility push(hidden)

#define ROUTE_ROOM 256

/**
 * struct route - the pattern of the paths of a request, as the developer has written it
 * @text: where there is none: empty, and that is known
 * @len:  of @text
 */
struct route {
	char text[ROUTE_ROOM];
	size_t len;
};

/* More of it. False, as all that finds a route says: it is none. */
bool route_add(struct route *route, const char *text);
/* The same by an attribute of an object, which is a string. */
bool route_add_attribute(struct route *route, PyObject *object, const char *name);

/**
 * struct framework - a kind of servers
 * @module:    imported where there are such
 * @function:  the end of the qualified names of functions whose coroutines are requests
 * @request:   what leads to the route, of the arguments of such a coroutine that waits: a new
 *             reference, which is to be kept for its next step alone. NULL: this is no request
 * @method:    of it, a new reference; or NULL
 * @find:      the route, if it is found. False: not yet. @coroutine waits, or is NULL: it has ended
 */
struct framework {
	const char *module;
	const char *function;
	PyObject *(*request)(PyObject *coroutine);
	PyObject *(*method)(PyObject *request);
	bool (*find)(PyObject *request, PyObject *coroutine, struct route *route);
};

extern const struct framework framework_aiohttp, framework_asgi, framework_tornado;

/* Those that an ASGI server may have behind it. */
/* @over: the request is, and what is not known now will never be. */
bool starlette_find(PyObject *scope, bool over, struct route *route);
/* @coroutine: as in struct framework. */
bool django_find(PyObject *coroutine, struct route *route);

/* That which coroutines of that qualified name may be requests to, or NULL. Asked once for code. */
const struct framework *request_framework(PyObject *name);

/* Its label, 0: not known yet. Of the program nothing but handlers of signals runs: see below. */
uint32_t request_label(const struct framework *framework, PyObject *request, PyObject *coroutine);

/* What finds routes uses these. A type of a module that is imported, a new reference; or NULL. */
PyTypeObject *request_type(const char *module, const char *name);
/*
 * What @pick wants of the first object of a coroutine that waits of which it wants something, a new
 * reference, as it returns it; or NULL.
 */
PyObject *request_search(PyObject *coroutine, PyObject *(*pick)(PyObject *object, void *data),
			 void *data);
/* The first object of that type, or of one derived from it. */
PyObject *request_held(PyObject *coroutine, PyTypeObject *type);
/* An attribute which an object itself has, a new reference; or NULL: it may be made by code. */
PyObject *request_attribute(PyObject *object, const char *name);
/*
 * Whether a compiled expression matches a path, both of which may be NULL. In a long match Python
 * runs handlers of signals: what is used after it has to be a reference of the caller's.
 */
bool request_matches(PyObject *expression, PyObject *path);

#pragma GCC visibility pop

#endif /* PYTHON_REQUEST_H */
