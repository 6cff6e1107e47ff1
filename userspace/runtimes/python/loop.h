/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Event loops that report what is ready. */
#ifndef PYTHON_LOOP_H
#define PYTHON_LOOP_H

#include "../runtime.h"
#include "api.h"

#pragma GCC visibility push(hidden)

/**
 * struct loop - a kind of loops which reports what is ready
 * @adapter:   of all coroutines of such loops; of others the adapter of Python alone reports
 * @module:    imported where there are such loops
 * @type:      of the module: once it is there, all that is needed is. Another thread may have
 *             begun to import it
 * @find:      what is needed is looked up in it, once
 * @known:     of what is appended to a deque, no new reference; NULL: @coroutine has to ask Python.
 *             NULL itself: that always has to
 * @coroutine: the same, a new reference; or NULL
 * @item:      what is of this type is given to @coroutine, but of no type derived from it:
 *             that may have code of the program's own. NULL: nothing
 * @found:     nothing more is to be done
 */
struct loop {
	struct adapter adapter;
	const char *module;
	const char *type;
	void (*find)(PyObject *module);
	PyObject *(*known)(PyObject *item);
	PyObject *(*coroutine)(PyObject *queue, PyObject *item);
	PyTypeObject *item;
	bool found;
};

extern struct loop loop_asyncio, loop_uvloop, loop_trio;

/* A coroutine is ready. */
void loop_wake(struct loop *loop, PyObject *coroutine);
/* The same, of a new reference. NULL: there is none, and maybe an error, which goes. */
void loop_ready(struct loop *loop, PyObject *coroutine);

/* Of what asyncio's tasks have their loop call: as @known and @coroutine of struct loop. */
PyObject *asyncio_known(PyObject *callback);
PyObject *asyncio_coroutine(PyObject *callback);

/* Once each of them reports, or can't. */
extern bool loop_reports;
void loop_listen(void);

/* While somebody records, loops say which tasks are made and when each is ready. */
static inline void loop_check(void)
{
	if (unlikely(!loop_reports))
		loop_listen();
}

/* Maybe there are other modules, though as many. */
void loop_look_again(void);

#pragma GCC visibility pop

#endif /* PYTHON_LOOP_H */
