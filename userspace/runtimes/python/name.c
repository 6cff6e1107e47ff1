// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>

#include "../runtime.h"
#include "name.h"

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
