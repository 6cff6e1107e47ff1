/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of code and of coroutines of Python. */
#ifndef PYTHON_NAME_H
#define PYTHON_NAME_H

#include "api.h"

struct framework;

/*
 * The label of what runs @code, as tracebacks call it: qualified name, file and line. The
 * reference of @name is taken over. No code of the program runs.
 */
uint32_t name_label(PyObject *name, PyObject *code) __attribute__((visibility("hidden")));

/*
 * Of a coroutine. It is made once for all coroutines of the same code and name. @framework: that to
 * which it may be a request, or NULL.
 */
uint32_t name_coroutine(PyObject *coroutine, const struct framework **framework)
	__attribute__((visibility("hidden")));

#endif /* PYTHON_NAME_H */
