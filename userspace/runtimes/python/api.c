// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds the functions of Python in the program, and where its versions keep what has none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "../runtime.h"
#include "api.h"

#define OLDEST 0x030b
#define NEWEST 0x030e

_Static_assert(offsetof(struct python_type, basic_size) == 32, "as in every version");
_Static_assert(offsetof(struct python_type, dealloc) == 48, "as in every version");
_Static_assert(offsetof(struct python_type, async) == 80, "as in every version");
_Static_assert(offsetof(struct python_type, traverse) == 184, "as in every version");
_Static_assert(offsetof(struct python_type, methods) == 232, "as in every version");
_Static_assert(offsetof(struct python_type, getset) == 248, "as in every version");
_Static_assert(offsetof(struct python_type, get_of) == 272, "as in every version");
_Static_assert(offsetof(struct python_type, new) == 312, "as in every version");

struct python_api python;

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
#define SYMBOL(member, name) { name, offsetof(struct python_api, member) }
	SYMBOL(none, "_Py_NoneStruct"), SYMBOL(coroutine, "PyCoro_Type"),
	SYMBOL(function, "PyFunction_Type"),
	SYMBOL(builtin, "PyCFunction_Type"), SYMBOL(cell, "PyCell_Type"), SYMBOL(method, "PyMethod_Type"),
	SYMBOL(true_object, "_Py_TrueStruct"), SYMBOL(thread_state, "PyThreadState_Get"),
	SYMBOL(interpreter, "PyInterpreterState_Get"),
	SYMBOL(main_interpreter, "PyInterpreterState_Main"),
	SYMBOL(incref, "Py_IncRef"), SYMBOL(decref, "Py_DecRef"),
	SYMBOL(error, "PyErr_Occurred"), SYMBOL(clear, "PyErr_Clear"),
	SYMBOL(fetch, "PyErr_Fetch"), SYMBOL(restore, "PyErr_Restore"),
	SYMBOL(call_later, "Py_AddPendingCall"),
	SYMBOL(get, "PyObject_GetAttrString"),
	SYMBOL(call, "PyObject_Vectorcall"), SYMBOL(modules, "PyImport_GetModuleDict"),
	SYMBOL(item, "PyDict_GetItemString"), SYMBOL(entries, "PyDict_Size"),
	SYMBOL(self_of, "PyCFunction_GetSelf"), SYMBOL(element, "PyTuple_GetItem"),
	SYMBOL(get_plain, "PyObject_GenericGetAttr"), SYMBOL(of_type, "_PyType_Lookup"),
	SYMBOL(intern, "PyUnicode_InternFromString"), SYMBOL(pointer, "PyCapsule_GetPointer"),
	SYMBOL(new_text, "PyUnicode_FromString"), SYMBOL(list_item, "PyList_GetItem"),
	SYMBOL(is_subtype, "PyType_IsSubtype"), SYMBOL(text, "PyUnicode_AsUTF8"),
	SYMBOL(number, "PyLong_AsLong"), SYMBOL(new_number, "PyLong_FromLong"),
	SYMBOL(index, "PyNumber_Index"), SYMBOL(at_end, "Py_AtExit"),
#undef SYMBOL
};

/* What 3.13 has made public. */
static bool find_ends(void)
{
	const char *name = python.version < 0x030d ? "_Py_IsFinalizing" : "Py_IsFinalizing";

	python.ends = (int (*)(void))dlsym(RTLD_DEFAULT, name);
	return python.ends;
}

/* What 3.12 has made public, under the other name. */
static void *either(const char *name, const char *older)
{
	void *symbol = dlsym(RTLD_DEFAULT, name);

	return symbol ? symbol : dlsym(RTLD_DEFAULT, older);
}

static void find_words(void)
{
	python.get_word = either("PyUnstable_Code_GetExtra", "_PyCode_GetExtra");
	python.set_word = either("PyUnstable_Code_SetExtra", "_PyCode_SetExtra");
	python.new_word = python.get_word && python.set_word ?
			  either("PyUnstable_Eval_RequestCodeExtraIndex",
				 "_PyEval_RequestCodeExtraIndex") : NULL;
}

static bool fill(void)
{
	void *symbol;

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		symbol = dlsym(RTLD_DEFAULT, symbols[i].name);
		if (!symbol)
			return false;
		memcpy((void *)((uintptr_t)&python + symbols[i].offset), &symbol, sizeof(symbol));
	}
	return true;
}

bool python_find(void)
{
	const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version");

	/* Since 3.11. */
	if (!version)
		return false;
	python.version = (unsigned int)(*version >> 16);
	/* Builds without the global lock have this, and other objects. */
	if (python.version < OLDEST || python.version > NEWEST ||
	    dlsym(RTLD_DEFAULT, "_Py_MergeZeroLocalRefcount") || !fill() || !find_ends()) {
		coroprof_debug("this Python is not known: its coroutines are not recorded");
		return false;
	}
	find_words();
	return true;
}

struct python_method *python_method_of(const PyTypeObject *type, const char *name)
{
	struct python_method *at = type->methods;

	while (at && at->name && strcmp(at->name, name))
		at++;
	return at && at->name ? at : NULL;
}

/* As in every version. */
struct builtin {
	PyObject head;
	struct python_method *method;
};

struct python_method *python_builtin(PyObject *module, const char *name)
{
	PyObject *function = python_attribute(module, name);
	struct python_method *method = NULL;

	if (function && function->type == python.builtin)
		method = ((struct builtin *)function)->method;
	if (function)
		python.decref(function);
	return method && !strcmp(method->name, name) ? method : NULL;
}

static bool is_cython(const PyObject *function)
{
	const char *dot = strrchr(function->type->name, '.');

	return dot && !strcmp(dot, ".cython_function_or_method");
}

/* What Cython 3 makes begins as Python's own does. */
struct python_method *python_method_in(PyTypeObject *type, const char *name)
{
	PyObject *key = python.intern(name);
	PyObject *function = key ? python.of_type(type, key) : NULL;

	if (key)
		python.decref(key);
	if (function && is_cython(function))
		return ((struct builtin *)function)->method;
	return python_method_of(type, name);
}

bool python_has_first(const struct python_method *method)
{
	return method->flags == PYTHON_METH_FASTCALL_KEYWORDS ||
	       method->flags == PYTHON_METH_VARARGS_KEYWORDS;
}

PyObject *python_first(const struct python_method *method, uintptr_t a, uintptr_t b)
{
	PyObject *first = NULL;

	if (method->flags == PYTHON_METH_FASTCALL_KEYWORDS)
		return b ? *(PyObject *const *)a : NULL;
	first = python.element((PyObject *)a, 0);
	if (!first)
		python.clear();
	return first;
}

/* Types of the program's may have a type of their own. */
PyTypeObject *python_type(PyObject *module, const char *name)
{
	PyObject *type = python_attribute(module, name);

	if (type && !python.is_subtype(type->type, python.coroutine->head.type)) {
		python.decref(type);
		type = NULL;
	}
	return (PyTypeObject *)type;
}

void python_replace(struct python_method *at, python_call **next, python_call *by)
{
	*next = at->call;
	__atomic_store_n(&at->call, by, __ATOMIC_RELEASE);
}

PyObject *python_attribute(PyObject *object, const char *name)
{
	PyObject *value = object ? python.get(object, name) : NULL;

	if (!value)
		python.clear();
	return value;
}

PyObject *python_list_item(PyObject *list, intptr_t i)
{
	PyObject *item = python.list_item(list, i);

	if (!item)
		python.clear();
	return item;
}

void *python_profile(const void *thread_state)
{
	return ((const struct python_thread_state_311 *)thread_state)->profile;
}

bool python_traces(const void *thread_state)
{
	return ((const struct python_thread_state_311 *)thread_state)->trace;
}

void python_put_profile(void *thread_state, void *function)
{
	((struct python_thread_state_311 *)thread_state)->profile = function;
}
