// SPDX-License-Identifier: GPL-2.0
/*
 * Fills in struct error: the message, its errno, and hints below it. Commands in a text are written
 * as users type them, see base/invoked.h.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/invoked.h"

/* Formats with commands in them are shorter. */
#define FORMAT_SIZE 4096

int error_set(struct error *err, int code, const char *format, ...)
{
	char shown[FORMAT_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), invoked_text(shown, sizeof(shown), format),
		  args);
	va_end(args);
	err->code = code;
	return -code;
}

int error_errno(struct error *err, const char *format, ...)
{
	/* An error is one even if nobody said why: 0 would be success. */
	int code = errno ? errno : EIO;
	size_t used;
	va_list args;

	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	used = strlen(err->message);
	snprintf(err->message + used, sizeof(err->message) - used, ": %s",
		 strerror(code));
	err->code = code;
	return -code;
}

int error_hint(struct error *err, const char *format, ...)
{
	size_t used = strlen(err->message);
	char shown[FORMAT_SIZE];
	va_list args;

	if (used + 1 < sizeof(err->message))
		err->message[used++] = '\n';
	va_start(args, format);
	vsnprintf(err->message + used, sizeof(err->message) - used,
		  invoked_text(shown, sizeof(shown), format), args);
	va_end(args);
	return -err->code;
}
