// SPDX-License-Identifier: LGPL-2.1-or-later
/* A span of no length, whose name says what it is: readers know it by that. */
#include <errno.h>
#include <stdio.h>

#include "internal.h"

#define PREFIX	"coroprof_dump:"

EXPORT void coroprof_dump(const char *why)
{
	char name[COROPROF_LABEL_TEXT_MAX + 1];
	int saved = errno;

	if (!coroprof_span_recorded())
		return;
	snprintf(name, sizeof(name), PREFIX "%s", why ? why : "");
	coroprof_span_begin(coroprof_label(name));
	coroprof_span_end();
	errno = saved;
}
