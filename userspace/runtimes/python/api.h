/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * CPython, as far as it is used. Nothing of it is needed to build this: functions
 * are looked up in the process, and what differs between versions is known here.
 */
#ifndef PYTHON_API_H
#define PYTHON_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct python_object PyObject;
typedef struct python_type PyTypeObject;

/* Of builds with a global lock for all threads. */
struct python_object {
	intptr_t references;
	PyTypeObject *type;
};

/* What am_send returns. */
enum python_sent { PYTHON_ERROR = -1, PYTHON_RETURN = 0, PYTHON_NEXT = 1 };

typedef enum python_sent python_send(PyObject *self, PyObject *value, PyObject **result);

struct python_async {
	void *await, *aiter, *anext;
	python_send *send;
};

/* METH_O, METH_NOARGS, METH_VARARGS and METH_FASTCALL: no more arguments than these. */
typedef PyObject *python_call(PyObject *self, uintptr_t a, uintptr_t b, uintptr_t c);

struct python_method {
	const char *name;
	python_call *call;
	int flags;
	const char *doc;
};

#define PYTHON_METH_O 0x08
#define PYTHON_METH_VARARGS_KEYWORDS (0x01 | 0x02)
#define PYTHON_METH_FASTCALL_KEYWORDS (0x80 | 0x02)

struct python_getset {
	const char *name;
	PyObject *(*get)(PyObject *self, void *closure);
	void *set;
	const char *doc;
	void *closure;
};

/* Calls @visit for each object that @self refers to, until that returns another number than 0. */
typedef int python_traverse(PyObject *self, int (*visit)(PyObject *object, void *data), void *data);

typedef PyObject *python_new(PyTypeObject *type, PyObject *args, PyObject *names);

struct python_type {
	PyObject head;
	intptr_t size;
	const char *name;
	intptr_t basic_size;
	intptr_t item_size;
	void (*dealloc)(PyObject *self);
	void *unused2[3];
	struct python_async *async;
	void *unused3[12];
	python_traverse *traverse;
	void *unused6[5];
	struct python_method *methods;
	void *unused4;
	struct python_getset *getset;
	void *unused5[2];
	void *get_of;
	void *unused7[4];
	python_new *new;
};

/**
 * struct python_api - what is used
 * @version: 0x030b for 3.11
 */
extern struct python_api {
	unsigned int version;

	PyObject *none;
	PyTypeObject *coroutine;
	PyTypeObject *function;
	PyTypeObject *builtin;
	PyTypeObject *method;
	PyTypeObject *cell;
	PyObject *true_object;

	void *(*thread_state)(void);
	void *(*interpreter)(void);
	void *(*main_interpreter)(void);
	void (*incref)(PyObject *object);
	void (*decref)(PyObject *object);
	PyObject *(*error)(void);
	void (*clear)(void);
	/* Takes the error away, as three references, some of them NULL; and hands them back. */
	void (*fetch)(PyObject **type, PyObject **value, PyObject **traceback);
	void (*restore)(PyObject *type, PyObject *value, PyObject *traceback);
	/*
	 * The main thread calls that where it next looks for signals. -1: it has failed, with an
	 * error. Fails itself, without one, if too much waits for that.
	 */
	int (*call_later)(int (*function)(void *data), void *data);
	PyObject *(*get)(PyObject *object, const char *name);
	/* Of an object that has no code of its own for that. */
	PyObject *(*get_plain)(PyObject *object, PyObject *name);
	/* What a type has by that name: no new reference, and no error. */
	PyObject *(*of_type)(PyTypeObject *type, PyObject *name);
	PyObject *(*intern)(const char *text);
	PyObject *(*new_text)(const char *text);
	PyObject *(*call)(PyObject *function, PyObject *const *args, size_t nargs, PyObject *names);
	PyObject *(*modules)(void);
	PyObject *(*item)(PyObject *dict, const char *name);
	intptr_t (*entries)(PyObject *dict);
	/* No new reference. It fails if that is no list, or has not as many. */
	PyObject *(*list_item)(PyObject *list, intptr_t i);
	PyObject *(*self_of)(PyObject *function);
	PyObject *(*element)(PyObject *tuple, intptr_t i);
	void *(*pointer)(PyObject *capsule, const char *name);
	int (*is_subtype)(PyTypeObject *type, PyTypeObject *of);
	const char *(*text)(PyObject *string);
	long (*number)(PyObject *integer);
	PyObject *(*new_number)(long value);
	/* The integer that any object stands for, by code of the program maybe; NULL: it fails. */
	PyObject *(*index)(PyObject *object);
	/*
	 * Whether Python is about to end. Who then asks for modules that it has given up has it
	 * abort.
	 */
	int (*ends)(void);
	/*
	 * That is called once Python has ended, which may begin again, with other objects.
	 * Fails if too many wait for that.
	 */
	int (*at_end)(void (*function)(void));

	/*
	 * A word that Python keeps with code: a place for it in all code, or -1; what is there; and
	 * another. What @free is given, NULL maybe, is there no more. All three are NULL, or none.
	 */
	intptr_t (*new_word)(void (*free)(void *word));
	int (*get_word)(PyObject *code, intptr_t place, void **word);
	int (*set_word)(PyObject *code, intptr_t place, void *word);
} python __attribute__((visibility("hidden")));

/* False if this process has no Python, or one that is not known. */
bool python_find(void);

/* Its method of that name, or NULL. */
struct python_method *python_method_of(const PyTypeObject *type, const char *name);
/* The same, also if it is one of Cython 3, which keeps that elsewhere. */
struct python_method *python_method_in(PyTypeObject *type, const char *name);
/*
 * Whether it is known how a method is called, and the first argument that it is called with:
 * NULL, and no error, if there is none.
 */
bool python_has_first(const struct python_method *method);
PyObject *python_first(const struct python_method *method, uintptr_t a, uintptr_t b);
/* What a module calls so, a new reference; NULL: it has no such type. */
PyTypeObject *python_type(PyObject *module, const char *name);
/* Of a module's function in C, which it keeps; NULL if another thing has that name there. */
struct python_method *python_builtin(PyObject *module, const char *name);
/* @at is @by from now on. @next is what it was: known before. */
void python_replace(struct python_method *at, python_call **next, python_call *by);
/* An attribute, a new reference; or NULL, and no error. No code of the program may be asked. */
PyObject *python_attribute(PyObject *object, const char *name);

/* No new reference; NULL, and no error: it is no list, or has not as many. */
PyObject *python_list_item(PyObject *list, intptr_t i);

/* Of 3.11, as far as they are used. */
struct python_code_311 {
	char unused[48];
	int flags;
};

struct python_frame_311 {
	void *unused[4];
	struct python_code_311 *code;
};

struct python_c_frame_311 {
	void *unused;
	struct python_frame_311 *current;
};

struct python_thread_state_311 {
	char unused[56];
	struct python_c_frame_311 *c_frame;
	void *profile;
	void *trace;
};

/* Coroutines, what types.coroutine() makes of generators, and asynchronous generators. */
#define PYTHON_CO_MAY_AWAIT (0x80 | 0x100 | 0x200)

/* Whether the Python code that runs is such as may await a coroutine: of 3.11 alone. */
static inline bool python_awaits(void)
{
	const struct python_thread_state_311 *state = python.thread_state();
	const struct python_frame_311 *frame = state->c_frame->current;

	return frame && frame->code->flags & PYTHON_CO_MAY_AWAIT;
}

/* The profile function of a thread, by its state, or NULL: of 3.11 alone. */
void *python_profile(const void *thread_state);
/* In place of one that is there, with what that was given. */
void python_put_profile(void *thread_state, void *function);
/* Whether it has a trace function: of 3.11 alone. */
bool python_traces(const void *thread_state);

#endif /* PYTHON_API_H */
