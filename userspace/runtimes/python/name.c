// SPDX-License-Identifier: LGPL-2.1-or-later
/* Labels of code and of coroutines of Python, each made once and kept with the code. */
#include <stdio.h>
#include <stdlib.h>

#include "../preload/charge.h"
#include "../runtime.h"
#include "loop.h"
#include "name.h"
#include "request.h"

/* Each of the name and the file; the label has both, and a line. */
#define TEXT_MAX 128

static void copy_text(PyObject *string, char *to, size_t room)
{
	const char *text = string ? python.text(string) : NULL;

	if (!text)
		python.clear();
	snprintf(to, room, "%s", text ? text : "?");
	if (string)
		python.decref(string);
}

static long copy_number(PyObject *integer)
{
	long number = integer ? python.number(integer) : 0;

	if (number == -1 && python.error())
		python.clear();
	if (integer)
		python.decref(integer);
	return number;
}

uint32_t name_label(PyObject *name, PyObject *code)
{
	char text[TEXT_MAX], file[TEXT_MAX], label[2 * TEXT_MAX + 24];
	long line;

	copy_text(name, text, sizeof(text));
	copy_text(python_attribute(code, "co_filename"), file, sizeof(file));
	line = copy_number(python_attribute(code, "co_firstlineno"));
	snprintf(label, sizeof(label), "%s@%s:%ld", text, file, line);
	return coroprof_label(label);
}

/**
 * struct known - what Python keeps with code for us
 * @name:  what its last coroutine was called, a reference: it is the name of no other object
 * @label: of that
 * @framework: see name_coroutine()
 */
struct known {
	PyObject *name;
	uint32_t label;
	const struct framework *framework;
};

static intptr_t place = -1;
static bool asked;
static PyObject *code_name, *qualified_name;

static void drop(void *word)
{
	struct known *known = word;

	PyObject *name = known ? known->name : NULL;

	free(known);
	if (name)
		python.decref(name);
}

/* The next Python has other objects, and none of ours. */
static void forget(void)
{
	place = -1;
	asked = false;
}

/* Only the main interpreter stays until Python ends, and the place is in its code alone. */
static bool find_place(void)
{
	if (!python.new_word || python.interpreter() != python.main_interpreter() || python.ends())
		return false;
	if (asked)
		return place >= 0;
	asked = true;
	code_name = python.intern("cr_code");
	qualified_name = python.intern("__qualname__");
	if (code_name && qualified_name && !python.at_end(forget))
		place = python.new_word(drop);
	return place >= 0;
}

static void keep(PyObject *code, const struct known *new)
{
	struct known *known = malloc(sizeof(*known));

	if (!known)
		return;
	*known = *new;
	python.incref(new->name);
	if (python.set_word(code, place, known)) {
		python.clear();
		drop(known);
	}
}

/*
 * What is looked up once for a piece of code is no part of what the program does. Only code that is
 * met for the @first time may be of a module that has been imported since.
 */
static struct known look_at(PyObject *code, PyObject *name, bool first)
{
	struct known new = { .name = name };

	charge();
	new.framework = request_framework(name);
	if (first)
		loop_look_again();
	python.incref(name);
	new.label = name_label(name, code);
	/* Another kind of string may run code when it goes, while its word is being replaced. */
	if (new.label && name->type == code_name->type)
		keep(code, &new);
	return new;
}

static struct known label_of(PyObject *code, PyObject *name)
{
	const struct known *known;
	void *word = NULL;

	if (unlikely(python.get_word(code, place, &word)))
		python.clear();
	known = word;
	return likely(known && known->name == name) ? *known : look_at(code, name, !known);
}

/* As name_coroutine(), where nothing is kept. */
static uint32_t label_anew(PyObject *coroutine)
{
	PyObject *code = python_attribute(coroutine, "cr_code");
	uint32_t label;

	charge();
	label = name_label(python_attribute(coroutine, "__qualname__"), code);
	if (code)
		python.decref(code);
	return label;
}

uint32_t name_coroutine(PyObject *coroutine, const struct framework **framework)
{
	struct known known = { .label = 0 };
	PyObject *code, *name;

	*framework = NULL;
	if (!find_place())
		return label_anew(coroutine);
	code = python.get_plain(coroutine, code_name);
	name = code ? python.get_plain(coroutine, qualified_name) : NULL;
	if (name) {
		known = label_of(code, name);
		*framework = known.framework;
		python.decref(name);
	} else {
		python.clear();
	}
	if (code)
		python.decref(code);
	return known.label;
}
