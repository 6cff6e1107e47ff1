// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "symbols/clone.h"

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && !memcmp(text + length - n, end, n);
}

/* The number that ends before @end is @length. */
static bool says_length(const char *symbol, size_t end, size_t length)
{
	char number[24];
	int digits = snprintf(number, sizeof(number), "%zu", length);

	return digits > 0 && ends_with(symbol, end, number);
}

/*
 * gcc: _ZN2my5serveEPZNS_5serveEiE21_ZN2my5serveEi.Frame.actor takes the frame, whose
 * type is called as the coroutine's symbol and .Frame, behind their length.
 */
static char *of_frame(const char *symbol, size_t end)
{
	for (size_t begin = end; begin-- > 1;) {
		if (!strncmp(symbol + begin, "_Z", 2) && says_length(symbol, begin, end - begin))
			return strndup(symbol + begin, end - begin - strlen(".Frame"));
	}
	return NULL;
}

char *clone_of(const char *symbol)
{
	static const char actor[] = ".actor", resume[] = ".resume";
	size_t length = strlen(symbol);

	if (ends_with(symbol, length, ".Frame.actor"))
		return of_frame(symbol, length - strlen(actor));
	if (!strncmp(symbol, "_Z", 2) && ends_with(symbol, length, resume))
		return strndup(symbol, length - strlen(resume));
	return NULL;
}
