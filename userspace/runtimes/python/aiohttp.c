// SPDX-License-Identifier: LGPL-2.1-or-later
/* aiohttp: a request has what its application's router has matched, and that its resource. */
#include "request.h"

static PyObject *request_of(PyObject *coroutine)
{
	PyTypeObject *type = request_type("aiohttp.web_request", "BaseRequest");
	PyObject *request = request_held(coroutine, type);

	if (type)
		python.decref((PyObject *)type);
	return request;
}

static PyObject *method_of(PyObject *request)
{
	return request_attribute(request, "_method");
}

/* Of a path, of one with parts that differ, and of a folder. */
static void add_resource(struct route *route, PyObject *resource)
{
	if (!route_add_attribute(route, resource, "_path") &&
	    !route_add_attribute(route, resource, "_formatter"))
		route_add_attribute(route, resource, "_prefix");
}

/* What matches nothing has a route without a resource. A server without an application has none. */
static bool find(PyObject *request, PyObject *coroutine, struct route *route)
{
	PyObject *match = request_attribute(request, "_match_info"), *found, *resource;

	(void)coroutine;
	found = match ? request_attribute(match, "_route") : NULL;
	resource = found ? request_attribute(found, "_resource") : NULL;
	if (resource) {
		add_resource(route, resource);
		python.decref(resource);
	}
	if (match)
		python.decref(match);
	if (found)
		python.decref(found);
	return found;
}

const struct framework framework_aiohttp = {
	.module = "aiohttp.web_protocol", .function = "RequestHandler._handle_request",
	.request = request_of, .method = method_of, .find = find,
};
