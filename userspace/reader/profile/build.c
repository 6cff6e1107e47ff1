// SPDX-License-Identifier: GPL-2.0
/*
 * The allocations of struct build: a failure of one is remembered, and model_load() fails.
 */
#include <stdarg.h>
#include <stdio.h>

#include "base/printable.h"
#include "base/util.h"
#include "profile/build.h"

bool build_grow(struct build *b, void *array, size_t nr, size_t size)
{
	if (array_grow(array, nr, size))
		return true;
	b->out_of_memory = true;
	return false;
}

char *build_text(struct build *b, const char *text, size_t size)
{
	char *copy = printable(text, size);

	if (!copy)
		b->out_of_memory = true;
	return copy;
}

char *build_format(struct build *b, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0) {
		text = NULL;
		b->out_of_memory = true;
	}
	va_end(args);
	return text;
}
