// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions of Python 3.11, by a profile function in C, of each thread. A thread has one
 * such function: a program that sets its own has that, and no more functions are reported
 * the thread.
 *
 * sys.setprofile() is called while there is ours, so its own end would be reported to the
 * program's: it is not, as no program learns of it otherwise.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

#include "../preload/scope.h"
#include "functions.h"

struct frame;
struct thread_state;

/* What Python reports, and what is not looked at: lines, exceptions, functions in C. */
enum what { WHAT_CALL = 0, WHAT_RETURN = 3, WHAT_C_RETURN = 6 };

/* Of 3.11. */
#define OPCODE_RESUME 151
#define OPCODE_YIELD_VALUE 86

typedef int profile_function(PyObject *unused, struct frame *frame, int what, PyObject *result);

static PyObject *(*frame_code)(struct frame *frame);
static int (*frame_last)(struct frame *frame);
static PyObject *(*code_bytes)(PyObject *code);
static const unsigned char *(*bytes_of)(PyObject *bytes);
static int (*set_profile)(struct thread_state *thread, profile_function *function, PyObject *arg);
static struct thread_state *(*threads)(void *interpreter);
static struct thread_state *(*next_thread)(struct thread_state *thread);
static int (*has_lock)(void);

static bool started;

static python_call *next_setprofile;
static profile_function *by_program;

/*
 * Where the frame is: its instruction there is this one, with that argument if that is not
 * negative.
 */
static bool stands_at(struct frame *frame, PyObject *code, unsigned char opcode, int argument)
{
	PyObject *bytes = code_bytes(code);
	int last = frame_last(frame);
	const unsigned char *at;
	bool result;

	if (!bytes) {
		python.clear();
		return false;
	}
	at = bytes_of(bytes) + last;
	result = last >= 0 && at[0] == opcode && (argument < 0 || at[1] == argument);
	python.decref(bytes);
	return result;
}

/* Those that may be left and entered again. */
static bool may_wait(uintptr_t function)
{
	return function & (FUNCTION_COROUTINE | FUNCTION_GENERATOR);
}

static void entered(struct frame *frame, PyObject *code, uintptr_t function)
{
	if (!may_wait(function) || stands_at(frame, code, OPCODE_RESUME, 0))
		function_call(code, function);
	else
		function_resume(code, function);
}

/* Whether it stands behind where it begins. */
static bool has_begun(struct frame *frame, PyObject *code)
{
	PyObject *bytes = code_bytes(code);
	int last = frame_last(frame), at;

	if (!bytes) {
		python.clear();
		return false;
	}
	for (at = 0; at <= last && bytes_of(bytes)[at] != OPCODE_RESUME;)
		at += 2;
	python.decref(bytes);
	return at <= last;
}

/* Without a result it fails: a coroutine maybe before it begins, by what is thrown into it. */
static void left(struct frame *frame, PyObject *code, uintptr_t function, const PyObject *result)
{
	if (may_wait(function) && result && stands_at(frame, code, OPCODE_YIELD_VALUE, -1))
		function_yield(code, function);
	else if (result || !(function & FUNCTION_COROUTINE) || has_begun(frame, code))
		function_return(code, function);
}

static int profile(PyObject *unused, struct frame *frame, int what, PyObject *result)
{
	uintptr_t function;
	PyObject *code;

	(void)unused;
	if ((what != WHAT_CALL && what != WHAT_RETURN) || !runtime_recorded())
		return 0;
	code = frame_code(frame);
	function = function_of(code);
	if (function & FUNCTION_REPORTED) {
		if (what == WHAT_CALL)
			entered(frame, code, function);
		else
			left(frame, code, function, result);
	}
	python.decref(code);
	return 0;
}

/* What is reported first is the end of setprofile(), or of a function in C that called it. */
static int profile_first(PyObject *arg, struct frame *frame, int what, PyObject *result)
{
	python_put_profile(python.thread_state(), by_program);
	return what == WHAT_C_RETURN ? 0 : by_program(arg, frame, what, result);
}

static PyObject *setprofile(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c)
{
	void *thread = python.thread_state();
	bool ours = python_profile(thread) == (void *)profile;
	PyObject *result = next_setprofile(self, a, b, c);
	void *function = python_profile(thread);

	/* A trace function has Python report that end in any case. */
	if (ours && result && function && !python_traces(thread)) {
		by_program = (profile_function *)function;
		python_put_profile(thread, (void *)profile_first);
	}
	return result;
}

/* A thread that has one of the program's keeps that. */
static void listen_to(struct thread_state *thread)
{
	if (!python_profile(thread) && set_profile(thread, profile, NULL))
		python.clear();
}

static void leave_alone(struct thread_state *thread)
{
	if (python_profile(thread) == (void *)profile && set_profile(thread, NULL, NULL))
		python.clear();
}

static void each_thread(void (*fn)(struct thread_state *thread))
{
	struct thread_state *thread = threads(python.interpreter());

	for (; thread; thread = next_thread(thread))
		fn(thread);
}

/* Python has made the state of the thread that it is about to start. */
static int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *),
		  void *argument)
{
	if (started && has_lock())
		each_thread(listen_to);
	return pthread_create(thread, attributes, function, argument);
}

/* What the program has in its place is left alone. */
static void stand_before_setprofile(void)
{
	struct python_method *method =
		python_builtin(python.item(python.modules(), "sys"), "setprofile");

	if (method && !next_setprofile)
		python_replace(method, &next_setprofile, setprofile);
}

static bool find(void)
{
	frame_code = dlsym(RTLD_DEFAULT, "PyFrame_GetCode");
	frame_last = dlsym(RTLD_DEFAULT, "PyFrame_GetLasti");
	code_bytes = dlsym(RTLD_DEFAULT, "PyCode_GetCode");
	bytes_of = dlsym(RTLD_DEFAULT, "PyBytes_AsString");
	set_profile = dlsym(RTLD_DEFAULT, "_PyEval_SetProfile");
	threads = dlsym(RTLD_DEFAULT, "PyInterpreterState_ThreadHead");
	next_thread = dlsym(RTLD_DEFAULT, "PyThreadState_Next");
	has_lock = dlsym(RTLD_DEFAULT, "PyGILState_Check");
	return frame_code && frame_last && code_bytes && bytes_of && set_profile && threads &&
	       next_thread && has_lock;
}

const char *profile_start(void)
{
	struct link_map *object = scope_object((void *)python.coroutine);

	if (!find() || !object || !scope_divert(object, "pthread_create", (void *)create))
		return "this Python is not known";
	stand_before_setprofile();
	started = true;
	each_thread(listen_to);
	return NULL;
}

void profile_stop(void)
{
	if (!started)
		return;
	started = false;
	each_thread(leave_alone);
}

void profile_forget(void)
{
	started = false;
}
