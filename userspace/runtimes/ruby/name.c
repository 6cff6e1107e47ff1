// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <string.h>

#include "fibers.h"

#define UNNAMED "Fiber"

/* Whether Ruby's own to_s() is called, which runs nothing of the program's. */
static bool is_plain(VALUE fiber, ID to_s)
{
	const struct ruby_object *class = (const void *)ruby.obj_class(fiber);

	return ruby.method_basic_definition_p(((const struct ruby_object *)fiber)->class, to_s) &&
	       ruby.method_basic_definition_p(class->class, to_s);
}

/* Where its block is, of "#<Fiber:0x00007f0 file:line (resumed)>". Not there if that is C. */
static void cut_place(char *text)
{
	char *address = strstr(text, ":0x"), *state;
	size_t digits = address ? strspn(address + 3, "0123456789abcdef") : 0;

	state = digits ? strrchr(address + 3 + digits, '(') : NULL;
	if (state && state > address + 3 + digits)
		state[-1] = '\0';
	address = state ? address + 3 + digits : text + strlen(text);
	if (*address == ' ')
		address++;
	memmove(text, address, strlen(address) + 1);
}

uint32_t fiber_label(VALUE fiber)
{
	ID to_s = ruby.intern("to_s");
	volatile VALUE string;
	char text[400];

	if (!is_plain(fiber, to_s))
		return coroprof_label(UNNAMED);
	string = ruby.funcall(fiber, to_s, 0);
	snprintf(text, sizeof(text), "%s", ruby.string_value_ptr(&string));
	cut_place(text);
	return coroprof_label(*text ? text : UNNAMED);
}

uint32_t fiber_label_here(void)
{
	const char *method = ruby.id2name(ruby.frame_callee()), *file = ruby.sourcefile();
	char text[400];

	if (!method || !file)
		return 0;
	snprintf(text, sizeof(text), "%s@%s:%d", method, file, ruby.sourceline());
	return coroprof_label(text);
}
