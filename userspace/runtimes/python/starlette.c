// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Starlette, and FastAPI which is made of it: the scope of a request has the router, and what is
 * called in the end. That is looked for among the router's routes, and those of what is mounted.
 */
#include <string.h>

#include "request.h"

#define DEEPEST 8

/**
 * struct wanted - a route is looked for
 * @endpoint: what it calls; a reference
 * @itself:   FastAPI says which it is; a reference or NULL
 * @path:     its expression matches that, or @any does; a reference
 * @any:      the path may have been changed meanwhile
 * @mount:    whether what is mounted is all there is
 */
struct wanted {
	PyObject *endpoint;
	PyObject *itself;
	PyObject *path;
	bool any;
	bool mount;
};

static bool matches(const struct wanted *wanted, PyObject *item)
{
	PyObject *expression;
	bool result;

	if (wanted->any || item == wanted->itself)
		return true;
	expression = request_attribute(item, "path_regex");
	result = request_matches(expression, wanted->path);
	if (expression)
		python.decref(expression);
	return result;
}

static bool find_in(struct wanted *wanted, PyObject *router, struct route *route, int depth);

/* An application has a router, which has routes. */
static bool find_behind(struct wanted *wanted, PyObject *app, struct route *route, int depth)
{
	PyObject *router = request_attribute(app, "router");
	bool found = find_in(wanted, router ? router : app, route, depth);

	if (router)
		python.decref(router);
	return found;
}

/* What is mounted may have layers of middleware around it: then the mount knows it without. */
static bool find_mounted(struct wanted *wanted, PyObject *item, struct route *route, int depth)
{
	PyObject *app = request_attribute(item, "app"), *inner;
	size_t len = route->len;
	bool found;

	if (!app)
		return false;
	inner = request_attribute(item, "_base_app");
	route_add_attribute(route, item, "path");
	found = find_behind(wanted, inner ? inner : app, route, depth) ||
		(wanted->mount && app == wanted->endpoint);
	if (!found)
		route->text[route->len = len] = '\0';
	if (inner)
		python.decref(inner);
	python.decref(app);
	return found;
}

static bool find_at(struct wanted *wanted, PyObject *item, struct route *route, int depth)
{
	PyObject *endpoint = request_attribute(item, "endpoint");

	if (!endpoint)
		return depth < DEEPEST && find_mounted(wanted, item, route, depth + 1);
	python.decref(endpoint);
	return endpoint == wanted->endpoint && matches(wanted, item) &&
	       route_add_attribute(route, item, "path");
}

static bool find_in(struct wanted *wanted, PyObject *router, struct route *route, int depth)
{
	PyObject *routes = request_attribute(router, "routes"), *item;
	bool found = false;

	for (intptr_t i = 0; routes && !found && (item = python_list_item(routes, i)); i++) {
		python.incref(item);
		found = find_at(wanted, item, route, depth);
		python.decref(item);
	}
	if (routes)
		python.decref(routes);
	return found;
}

/* Some versions leave the path of a mount in front of that which is to be matched behind it. */
static PyObject *path_in(PyObject *scope)
{
	PyObject *path = python.item(scope, "path"), *root = python.item(scope, "root_path");
	const char *text = path ? python.text(path) : NULL;
	const char *before = text && root ? python.text(root) : NULL;

	if (!text || (root && !before))
		python.clear();
	if (!text)
		return NULL;
	if (before && !strncmp(text, before, strlen(before)))
		text += strlen(before);
	return python.new_text(text);
}

static bool find_with(PyObject *scope, PyObject *router, struct wanted *wanted, bool over,
		      struct route *route)
{
	bool found;

	if (!router || !wanted->endpoint)
		return router && over;
	wanted->path = path_in(scope);
	found = find_in(wanted, router, route, 0);
	wanted->any = true;
	found = found || find_in(wanted, router, route, 0);
	wanted->mount = over;
	found = found || (over && find_in(wanted, router, route, 0));
	return found || over;
}

/* A new reference, or NULL: whatever runs in a match may change the scope. */
static PyObject *held(PyObject *scope, const char *name)
{
	PyObject *item = python.item(scope, name);

	if (item)
		python.incref(item);
	return item;
}

static void let_go(PyObject *object)
{
	if (object)
		python.decref(object);
}

bool starlette_find(PyObject *scope, bool over, struct route *route)
{
	PyObject *router = held(scope, "router");
	struct wanted wanted = {
		.endpoint = held(scope, "endpoint"), .itself = held(scope, "route"),
	};
	bool found = find_with(scope, router, &wanted, over, route);

	let_go(router);
	let_go(wanted.endpoint);
	let_go(wanted.itself);
	let_go(wanted.path);
	return found;
}
