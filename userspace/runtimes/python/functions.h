/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Python's functions as spans, if that is asked for: each call is one, in the coroutine
 * that makes it. A coroutine's function is one call from its beginning to its end, however
 * often it waits in between. A generator's is a call each time that it goes on, as
 * what runs until then is not its own.
 *
 * All this is called with the interpreter's lock held.
 */
#ifndef PYTHON_FUNCTIONS_H
#define PYTHON_FUNCTIONS_H

#include "../runtime.h"
#include "api.h"

#pragma GCC visibility push(hidden)

/* Before Python begins: if functions are asked for, they are told once it does. */
void functions_begin(void);

/* What of code's flags matters here, and whether its functions are told. */
enum function {
	FUNCTION_KNOWN = 1,
	FUNCTION_TOLD = 2,
	FUNCTION_COROUTINE = 4,
	FUNCTION_GENERATOR = 8,
};

/* Of the code that runs on top, whose frame is there: of enum function. */
uintptr_t function_of(PyObject *code);

/*
 * Of what function_of() has said. A yield is also what a coroutine does that awaits; to
 * resume is to go on after that, also by an exception.
 */
void function_call(PyObject *code, uintptr_t function);
void function_resume(PyObject *code, uintptr_t function);
void function_yield(PyObject *code, uintptr_t function);
void function_return(PyObject *code, uintptr_t function);

/* Python is there: it is to call the four above. Says what it can't do. */
void monitoring_start(void);
void profile_start(void);

#pragma GCC visibility pop

#endif /* PYTHON_FUNCTIONS_H */
