/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PYTHON_LOOP_H
#define PYTHON_LOOP_H

#include "../runtime.h"
#include "api.h"

#pragma GCC visibility push(hidden)

/**
 * struct loop - a type of loops which tells what is ready, as a method of it is given that
 * @adapter:   of all coroutines of such loops; of others the adapter of Python alone tells
 * @module:    where the type is
 * @type_name: what it is called there
 * @method:    ours, which stands in its place while somebody records
 * @find:      what @coroutine needs is there
 * @coroutine: of what the method is given, a new reference; or NULL
 * @type:      kept until Python ends
 * @next:      what stood there, or NULL: nothing that is known
 * @ours:      what stands there while somebody records
 * @inherited: @next is of the type that @type derives from
 * @stands:    nothing more is to be done, until nobody records
 */
struct loop {
	struct adapter adapter;
	const char *module, *type_name;
	struct python_method method;
	bool (*find)(void);
	PyObject *(*coroutine)(PyObject *given);
	PyObject *type, *next, *ours;
	bool inherited, stands;
};

extern struct loop loop_asyncio, loop_uvloop, loop_trio;

/* What @method does: it tells, and calls what stood there. */
PyObject *loop_call(struct loop *loop, PyObject *self, PyObject *const *args, size_t nargs, PyObject *names);

/* Once each of them tells, or can't. */
extern bool loop_tells;
void loop_listen(void);

/* While somebody records, loops tell which tasks are made and when each is ready. */
static inline void loop_check(void)
{
	if (unlikely(!loop_tells))
		loop_listen();
}

#pragma GCC visibility pop

#endif /* PYTHON_LOOP_H */
