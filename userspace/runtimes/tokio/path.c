// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads the path of a Rust function out of its symbol. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"
#include "text.h"

static const struct {
	const char *name;
	char means;
} escapes[] = {
	{ "LT", '<' }, { "GT", '>' }, { "LP", '(' }, { "RP", ')' },
	{ "C", ',' }, { "RF", '&' }, { "BP", '*' }, { "SP", '@' },
};

/* "$LT$", or "$u7b$" for the character of that number. Returns how long it is, 0: none. */
static size_t escape(const char *at, size_t length, char *means)
{
	const char *end = memchr(at + 1, '$', length - 1);
	size_t inside = end ? (size_t)(end - at) - 1 : 0;

	if (inside == 3 && at[1] == 'u') {
		*means = (char)strtoul(at + 2, NULL, 16);
		return *means >= ' ' ? inside + 2 : 0;
	}
	for (size_t i = 0; inside && i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (strlen(escapes[i].name) == inside && !memcmp(escapes[i].name, at + 1, inside)) {
			*means = escapes[i].means;
			return inside + 2;
		}
	}
	return 0;
}

/* What is one character of the source, or "::". Returns how long that is in the symbol. */
static size_t put_next(struct text *text, const char *at, size_t length)
{
	char means = *at;
	size_t used = 1;

	if (*at == '.' && length > 1 && at[1] == '.')
		return text_put(text, "::", 2) ? 2 : 0;
	if (*at == '$')
		used = escape(at, length, &means);
	return used && text_put(text, &means, 1) ? used : 0;
}

static bool put_element(struct text *text, const char *at, size_t length)
{
	/* An identifier may not begin with what stands for another character. */
	if (length > 1 && at[0] == '_' && at[1] == '$') {
		at++;
		length--;
	}
	while (length) {
		size_t used = put_next(text, at, length);

		if (!used)
			return false;
		at += used;
		length -= used;
	}
	return true;
}

/* It is the last element; others of that length may begin like it, as handle_connection. */
static bool is_hash(const char *element, size_t length)
{
	return length == 17 && *element == 'h' && strspn(element + 1, "0123456789abcdef") == 16 &&
	       element[17] == 'E';
}

bool path_of(const char *symbol, char *to, size_t room)
{
	struct text text = { to, room };
	const char *at = symbol + 3;

	if (strncmp(symbol, "_ZN", 3) || !room)
		return false;
	while (isdigit((unsigned char)*at)) {
		char *element;
		size_t length = strtoul(at, &element, 10);

		if (length > strlen(element))
			return false;
		if (is_hash(element, length))
			return true;
		if (at != symbol + 3 && !text_put(&text, "::", 2))
			return false;
		if (!put_element(&text, element, length))
			return false;
		at = element + length;
	}
	return false;
}
