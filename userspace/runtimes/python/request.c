// SPDX-License-Identifier: LGPL-2.1-or-later
/* Labels of requests: the method, and the route that the framework has found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loop.h"
#include "request.h"

/* Of routes that are told apart. There are at most 65535 labels of all kinds. */
#define ROUTES_MAX 1000

static const struct framework *const frameworks[] = {
	&framework_asgi, &framework_aiohttp, &framework_tornado,
};

/* A client may send any word. */
static const char *const methods[] = {
	"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "WEBSOCKET",
};

#define NR(array) (sizeof(array) / sizeof((array)[0]))

bool route_add(struct route *route, const char *text)
{
	size_t len = strlen(text), room = sizeof(route->text) - 1 - route->len;

	if (len > room)
		len = room;
	memcpy(route->text + route->len, text, len);
	route->len += len;
	route->text[route->len] = '\0';
	return true;
}

bool route_add_attribute(struct route *route, PyObject *object, const char *name)
{
	PyObject *value = object ? request_attribute(object, name) : NULL;
	const char *text = value ? python.text(value) : NULL;

	if (text)
		route_add(route, text);
	else
		python.clear();
	if (value)
		python.decref(value);
	return text;
}

PyTypeObject *request_type(const char *module, const char *name)
{
	return python_type(python.item(python.modules(), module), name);
}

/**
 * struct search - an object is looked for in what a coroutine has
 * @pick:  returns what is wanted of an object, a new reference; or NULL
 * @data:  for that
 * @found: the first
 */
struct search {
	PyObject *(*pick)(PyObject *object, void *data);
	void *data;
	PyObject *found;
};

static int look_at_object(PyObject *object, void *data)
{
	struct search *search = data;

	search->found = search->pick(object, search->data);
	return search->found != NULL;
}

/* A variable that functions within use, too, is in a cell, which may have itself in it. */
static int look_at(PyObject *object, void *data)
{
	if (object->type == python.cell)
		return object->type->traverse(object, look_at_object, data);
	return look_at_object(object, data);
}

/* As the garbage collector does it. What runs has nothing to be seen by that. */
PyObject *request_search(PyObject *coroutine, PyObject *(*pick)(PyObject *object, void *data),
			 void *data)
{
	struct search search = { pick, data, NULL };

	if (coroutine->type == python.coroutine)
		python.coroutine->traverse(coroutine, look_at, &search);
	return search.found;
}

static PyObject *of_type(PyObject *object, void *type)
{
	if (!python.is_subtype(object->type, type))
		return NULL;
	python.incref(object);
	return object;
}

PyObject *request_held(PyObject *coroutine, PyTypeObject *type)
{
	return type ? request_search(coroutine, of_type, type) : NULL;
}

/* Whether no code makes it: what stands for it in the class is a value, or a name of __slots__. */
static bool is_plain(const PyObject *of_class)
{
	return !of_class || !of_class->type->get_of ||
	       !strcmp(of_class->type->name, "member_descriptor");
}

PyObject *request_attribute(PyObject *object, const char *name)
{
	PyObject *key = python.intern(name), *value = NULL;

	if (key) {
		if (is_plain(python.of_type(object->type, key)))
			value = python.get_plain(object, key);
		python.decref(key);
	}
	if (!value)
		python.clear();
	return value;
}

/**
 * struct raised - what Python had as its error, each a reference or NULL
 */
struct raised {
	PyObject *type, *value, *traceback;
};

static int raise_again(void *data)
{
	struct raised raised = *(struct raised *)data;

	free(data);
	python.restore(raised.type, raised.value, raised.traceback);
	return -1;
}

/* Code of Python's leaves a traceback. Some handlers are written in C, such as that of Ctrl-C. */
static bool is_of_expression(const struct raised *raised)
{
	static const char *const own[] = { "MemoryError", "RecursionError", "TypeError" };
	const char *name = ((const PyTypeObject *)raised->type)->name;

	for (size_t i = 0; i < NR(own) && !raised->traceback; i++) {
		if (!strcmp(name, own[i]))
			return true;
	}
	return false;
}

/* The program gets what a handler has raised, as if the signal had come a little later. */
static void put_back(void)
{
	struct raised raised, *kept;

	python.fetch(&raised.type, &raised.value, &raised.traceback);
	kept = is_of_expression(&raised) ? NULL : malloc(sizeof(*kept));
	if (kept) {
		*kept = raised;
		if (!python.call_later(raise_again, kept))
			return;
		free(kept);
	}
	python.restore(raised.type, raised.value, raised.traceback);
	python.clear();
}

bool request_matches(PyObject *expression, PyObject *path)
{
	PyObject *match = NULL, *result = NULL;

	if (expression && path && !strcmp(expression->type->name, "re.Pattern"))
		match = python.get(expression, "match");
	if (!match) {
		python.clear();
		return false;
	}
	result = python.call(match, &path, 1, NULL);
	python.decref(match);
	if (result)
		python.decref(result);
	else
		put_back();
	return result && result != python.none;
}

const struct framework *request_framework(PyObject *name)
{
	const char *text = python.text(name), *end;

	if (!text)
		python.clear();
	for (size_t i = 0; text && i < NR(frameworks); i++) {
		end = strstr(text, frameworks[i]->function);
		if (end && !strcmp(end, frameworks[i]->function) &&
		    python.item(python.modules(), frameworks[i]->module))
			return frameworks[i];
	}
	return NULL;
}

static const char *method_of(PyObject *method)
{
	const char *text = method ? python.text(method) : NULL;

	if (!text)
		python.clear();
	for (size_t i = 0; text && i < NR(methods); i++) {
		if (!strcmp(text, methods[i]))
			return methods[i];
	}
	return "(another method)";
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL;
	return hash | 1;
}

/* A program may make routes as long as it runs. With Python's lock held. */
static bool has_room(const char *label)
{
	static uint64_t seen[2 * ROUTES_MAX];
	static unsigned int nr;
	uint64_t hash = hash_of(label);
	size_t at = hash % NR(seen);

	while (seen[at] && seen[at] != hash)
		at = (at + 1) % NR(seen);
	if (!seen[at] && nr < ROUTES_MAX) {
		seen[at] = hash;
		nr++;
	}
	return seen[at];
}

static uint32_t label_of(const char *method, const struct route *route)
{
	char label[ROUTE_ROOM + 32];

	snprintf(label, sizeof(label), "%s %s", method, route->len ? route->text : "(no route)");
	if (!has_room(label))
		snprintf(label, sizeof(label), "%s (another route)", method);
	return coroprof_label(label);
}

uint32_t request_label(const struct framework *framework, PyObject *request, PyObject *coroutine)
{
	struct route route = { "", 0 };
	PyObject *method;
	uint32_t label;

	/* What has failed is the program's, and is not to be seen by what is asked here. */
	if (python.error() || python.ends() || !framework->find(request, coroutine, &route))
		return 0;
	method = framework->method(request);
	label = label_of(method_of(method), &route);
	if (method)
		python.decref(method);
	return label;
}
