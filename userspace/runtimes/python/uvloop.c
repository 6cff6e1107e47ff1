// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * uvloop: its loops are in C. asyncio's tasks have them call their next step by call_soon(),
 * which is in a table of its module.
 */
#include "loop.h"

static struct python_method *method;
static python_call *next_call_soon;

/* (self, callback, *args, context=None) */
static PyObject *call_soon(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	PyObject *callback, *coroutine;

	if (unlikely(runtime_recorded()) && loop_uvloop.found && !python.error()) {
		callback = python_first(method, a, b);
		coroutine = callback ? asyncio_known(callback) : NULL;
		if (coroutine)
			loop_wake(&loop_uvloop, coroutine);
		else
			loop_ready(&loop_uvloop, callback ? asyncio_coroutine(callback) : NULL);
	}
	return next_call_soon(self, a, b, c);
}

/* asyncio's types are those of its tasks. The table stays when Python ends. */
static void find(PyObject *module)
{
	PyTypeObject *type = loop_asyncio.item ? python_type(module, "Loop") : NULL;
	struct python_method *found = type ? python_method_in(type, "call_soon") : NULL;

	if (found && found->call != call_soon && python_has_first(found)) {
		method = found;
		python_replace(found, &next_call_soon, call_soon);
	}
	if (type)
		python.decref((PyObject *)type);
}

struct loop loop_uvloop = {
	.adapter = {
		.name = "uvloop",
		.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES |
			COROPROF_SEES_WAKES | COROPROF_SEES_ENDS,
	},
	.module = "uvloop.loop", .type = "Loop", .find = find,
};
