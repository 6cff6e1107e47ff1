// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the name of the function that a compiler's clone (.cold, .part, coroutine frames) was made
 * of.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "symbols/clone.h"

static bool ends_with(const char *text, size_t length, const char *end)
{
	size_t n = strlen(end);

	return length >= n && !memcmp(text + length - n, end, n);
}

/* True if the number that ends before @end is @length. */
static bool has_length_before(const char *symbol, size_t end, size_t length)
{
	char number[24];
	int digits = snprintf(number, sizeof(number), "%zu", length);

	return digits > 0 && ends_with(symbol, end, number);
}

/*
 * gcc: _ZN2my5serveEPZNS_5serveEiE21_ZN2my5serveEi.Frame.actor takes the coroutine's frame. The
 * frame's type is named by the coroutine's symbol and .Frame, after their length.
 */
static char *name_of_frame_type(const char *symbol, size_t end)
{
	for (size_t begin = end; begin-- > 1;) {
		if (!strncmp(symbol + begin, "_Z", 2) &&
		    has_length_before(symbol, begin, end - begin))
			return strndup(symbol + begin, end - begin - strlen(".Frame"));
	}
	return NULL;
}

char *clone_of(const char *symbol)
{
	static const char actor[] = ".actor", resume[] = ".resume";
	size_t length = strlen(symbol);

	if (ends_with(symbol, length, ".Frame.actor"))
		return name_of_frame_type(symbol, length - strlen(actor));
	if (!strncmp(symbol, "_Z", 2) && ends_with(symbol, length, resume))
		return strndup(symbol, length - strlen(resume));
	return NULL;
}

/* What stays: <unsigned long>. */
#define ARGUMENTS_MAX 16

/* Where the parameters begin, which the last bracket is around; else the end of the name. */
static char *find_parameters(char *name)
{
	char *at = strrchr(name, ')');
	unsigned int depth = 0;

	for (; at && at >= name; at--) {
		if (*at == ')')
			depth++;
		else if (*at == '(' && !--depth)
			return at;
	}
	return name + strlen(name);
}

/* The text behind the bracket that closes the one at @at; NULL if there is none. */
static const char *behind_closing_bracket(const char *at)
{
	unsigned int depth = 0;

	for (; *at; at++) {
		if (*at == '<')
			depth++;
		else if (*at == '>' && at[-1] != '-' && !--depth)
			return at + 1;
	}
	return NULL;
}

void clone_shorten(char *name)
{
	static const char left_out[] = "<...>";
	const char *parameters = find_parameters(name), *own = name, *from = name, *end;
	char *to = name;

	while (*from) {
		end = *from == '<' ? behind_closing_bracket(from) : NULL;
		if (end && from >= own && from < parameters) {
			own = end;
			*to++ = *from++;
		} else if (end && end - from > ARGUMENTS_MAX) {
			memcpy(to, left_out, strlen(left_out));
			to += strlen(left_out);
			from = end;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}
