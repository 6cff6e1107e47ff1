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

/* Before Python begins: if functions are asked for, they are reported once it does. */
void functions_begin(void);

/* What of code's flags matters here, and whether its functions are reported. */
enum function {
	FUNCTION_REPORTED = 1,
	FUNCTION_COROUTINE = 2,
	FUNCTION_GENERATOR = 4,
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

/*
 * A coroutine may fail before it begins, as what is thrown into it then: its function was never
 * called. Where it begins is reported with its first call; 0 until then.
 */
void function_begins(PyObject *code, uintptr_t function, long offset);
long function_begin(uintptr_t function);

/* From now on Python calls the four above, and no more. NULL, or why it does not. */
const char *monitoring_start(void);
void monitoring_stop(void);
/* Python has ended. */
void monitoring_forget(void);
/* The program has that tool, or asks for it. */
void monitoring_used(long number);
/*
 * The program is about to call a function of sys.monitoring that concerns that tool, or all. If
 * it is ours, it is free until monitoring_return(), by which we take one that is free then, if any.
 */
bool monitoring_leave(long number, bool all);
void monitoring_return(void);
const char *profile_start(void);
void profile_stop(void);
void profile_forget(void);

#pragma GCC visibility pop

/*
 * For the module coroprof: these functions are reported, as FUNCTIONS_ENV has them; NULL: none, but
 * for what the environment asks for. NULL, or why they are not.
 */
const char *coroprof_python_functions_(const char *list);

#endif /* PYTHON_FUNCTIONS_H */
