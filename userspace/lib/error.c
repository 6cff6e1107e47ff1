// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors as text, and lines for COROPROF_DEBUG=1. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

static const struct {
	int error;
	const char *text;
} meanings[] = {
	{ 0, "no error" },
	{ ENODEV, "there is no " COROPROF_DEVICE ": load the module: sudo modprobe coroprof" },
	{ EACCES, "may not open " COROPROF_DEVICE ": join its group, then log in again: sudo usermod -aG coroprof $USER" },
	{ ECANCELED, "COROPROF_DISABLE is set in the environment" },
	{ EEXIST, "another copy of libcoroprof in this process has made it known" },
	{ EDQUOT, "over the user's limit of the module: see modinfo -p coroprof" },
	{ EPERM, "not permitted: counting kernel mode needs CAP_PERFMON" },
	{ ENODATA, "nothing counts here: no recording is under way, and the thread has not joined" },
	{ EOPNOTSUPP, "this kernel or PMU has no such counter" },
	{ EINVAL, "a wrong argument" },
	{ ESRCH, "the thread has not joined, or is about to exit" },
	{ EBUSY, "coroprof_start() has been called already" },
	{ EALREADY, "coroprof_start() has not been called" },
	{ ENOENT, "found no coroprof-read: install it, or set COROPROF_READ to its path" },
	{ EIO, "coroprof-read failed; it has said why on standard error" },
	{ ECHILD, "the program waited for coroprof-read itself, so its result is not known" },
	{ EBADF, "the program closes the library's descriptors" },
};

EXPORT const char *coroprof_strerror(int error)
{
	error = error < 0 ? -error : error;
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++) {
		if (meanings[i].error == error)
			return meanings[i].text;
	}
	return strerrordesc_np(error) ? strerrordesc_np(error) : "unknown error";
}

/* One line to standard error, if COROPROF_DEBUG=1. */
void coroprof_debug(const char *format, ...)
{
	char line[256] = "coroprof: ";
	size_t used = strlen(line);
	va_list args;
	int n;

	if (!coroprof_settings()->debug)
		return;
	va_start(args, format);
	n = vsnprintf(line + used, sizeof(line) - used - 1, format, args);
	va_end(args);
	if (n < 0)
		return;
	used += (size_t)n < sizeof(line) - used - 1 ? (size_t)n : sizeof(line) - used - 2;
	line[used++] = '\n';
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}
