// SPDX-License-Identifier: GPL-2.0
/* Warnings on standard error: one line each, made printable, behind the name of the program. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/invoked.h"
#include "base/printable.h"
#include "base/warn.h"

static const char *name = "coroprof";

void warn_as(const char *program)
{
	name = program;
}

void warn(const char *format, ...)
{
	char text[4096], shown_format[4096];
	char *line, *shown, *rest = text;
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), invoked_text(shown_format, sizeof(shown_format), format),
		  args);
	va_end(args);
	while ((line = strsep(&rest, "\n"))) {
		shown = printable(line, strlen(line));
		fprintf(stderr, "%s: %s\n", name, shown ? shown : "out of memory");
		free(shown);
	}
}
