// SPDX-License-Identifier: GPL-2.0
/* Writes text as troff. */
#include <stdio.h>

#include "manual/manual.h"

void manual_put(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else if (*text == '~')
			fputs("\\(ti", stdout);
		else if (*text == '^')
			fputs("\\(ha", stdout);
		else if (*text == '\'')
			fputs("\\(aq", stdout);
		else
			putchar(*text);
	}
}
