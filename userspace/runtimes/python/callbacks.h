/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a tool of sys.monitoring calls. A program may register that before it uses the tool.
 * Since 3.14 Python forgets all of it when the tool is freed, so also when ours is.
 */
#ifndef PYTHON_CALLBACKS_H
#define PYTHON_CALLBACKS_H

#include "api.h"

#pragma GCC visibility push(hidden)

/* Events are bits. 3.14 has 19, and refuses others. */
#define CALLBACKS_MAX 32

/**
 * struct callbacks - of one tool
 * @nr:  so many events there are
 * @any: one of them calls something
 * @of:  what each calls, or None
 */
struct callbacks {
	size_t nr;
	bool any;
	PyObject *of[CALLBACKS_MAX];
};

/* The tool calls nothing any more: nothing is done before 3.14. */
void callbacks_take(struct callbacks *callbacks, PyObject *tool);
/* It calls the same again. */
void callbacks_put_back(struct callbacks *callbacks, PyObject *tool);

#pragma GCC visibility pop

#endif /* PYTHON_CALLBACKS_H */
