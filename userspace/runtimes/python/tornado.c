// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tornado: what handles a request is an object of a class, and rules of the application's routers
 * have that class and an expression, which is the route.
 */
#include <string.h>

#include "request.h"

#define DEEPEST 8

static PyObject *handler_of(PyObject *coroutine)
{
	PyTypeObject *type = request_type("tornado.web", "RequestHandler");
	PyObject *handler = request_held(coroutine, type);

	if (type)
		python.decref((PyObject *)type);
	return handler;
}

static PyObject *of_request(PyObject *handler, const char *name)
{
	PyObject *request = request_attribute(handler, "request");
	PyObject *value = request ? request_attribute(request, name) : NULL;

	if (request)
		python.decref(request);
	return value;
}

static PyObject *method_of(PyObject *handler)
{
	return of_request(handler, "method");
}

/**
 * struct wanted - a rule is looked for
 * @handler: by its class
 * @path:    its expression matches that; a reference or NULL
 * @route:   where it goes
 */
struct wanted {
	PyObject *handler;
	PyObject *path;
	struct route *route;
};

/* Where the path ends is a part of each expression, and where it begins of some. */
static void add_pattern(struct route *route, PyObject *expression)
{
	PyObject *pattern = python_attribute(expression, "pattern");
	const char *text = pattern ? python.text(pattern) : NULL;

	if (text)
		route_add(route, *text == '^' ? text + 1 : text);
	else
		python.clear();
	if (route->len && route->text[route->len - 1] == '$')
		route->text[--route->len] = '\0';
	if (pattern)
		python.decref(pattern);
}

static bool is_rule(const struct wanted *wanted, PyObject *rule)
{
	PyObject *matcher = request_attribute(rule, "matcher");
	PyObject *expression = matcher ? request_attribute(matcher, "regex") : NULL;
	bool matches = request_matches(expression, wanted->path);

	if (matches)
		add_pattern(wanted->route, expression);
	if (expression)
		python.decref(expression);
	if (matcher)
		python.decref(matcher);
	return matches;
}

/* Circles end by @depth. */
static bool find_in(const struct wanted *wanted, PyObject *router, int depth)
{
	PyObject *rules = request_attribute(router, "rules"), *rule, *target;
	bool found = false;

	for (intptr_t i = 0; rules && !found && (rule = python_list_item(rules, i)); i++) {
		python.incref(rule);
		target = request_attribute(rule, "target");
		if (target == (PyObject *)wanted->handler->type)
			found = is_rule(wanted, rule);
		else if (target && depth < DEEPEST)
			found = find_in(wanted, target, depth + 1);
		if (target)
			python.decref(target);
		python.decref(rule);
	}
	if (rules)
		python.decref(rules);
	return found;
}

/* A class that no rule has is of what Tornado answers by itself. */
static bool find(PyObject *handler, PyObject *coroutine, struct route *route)
{
	PyObject *application = request_attribute(handler, "application"), *router;
	struct wanted wanted = { handler, of_request(handler, "path"), route };

	(void)coroutine;
	router = application ? request_attribute(application, "default_router") : NULL;
	if (router)
		find_in(&wanted, router, 0);
	if (wanted.path)
		python.decref(wanted.path);
	if (application)
		python.decref(application);
	if (router)
		python.decref(router);
	return router;
}

const struct framework framework_tornado = {
	.module = "tornado.web", .function = "RequestHandler._execute",
	.request = handler_of, .method = method_of, .find = find,
};
