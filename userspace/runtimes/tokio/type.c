// SPDX-License-Identifier: LGPL-2.1-or-later
/* Types in symbols of rustc's newer way ("v0"), as far as futures have a name. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>

#include "path.h"
#include "text.h"

/* What refers to what was there before could go on and on. */
#define DEPTH_MAX 50

/**
 * struct reader - where in a symbol we are
 * @begin: behind "_R": references count from there
 * @depth: of what is in one another
 */
struct reader {
	const char *begin, *at;
	struct text text;
	unsigned int depth;
};

static bool read_type(struct reader *reader);

static bool next_is(struct reader *reader, char c)
{
	if (*reader->at != c)
		return false;
	reader->at++;
	return true;
}

static bool put(struct reader *reader, const char *text)
{
	return text_put(&reader->text, text, strlen(text));
}

static int digit_of(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 36 : -1;
}

/* "_" is 0, "0_" is 1, and so on, with 62 digits. */
static bool read_number(struct reader *reader, size_t *number)
{
	size_t value = 0;

	if (next_is(reader, '_')) {
		*number = 0;
		return true;
	}
	for (int digit; (digit = digit_of(*reader->at)) >= 0; reader->at++)
		value = value * 62 + (size_t)digit;
	*number = value + 1;
	return next_is(reader, '_');
}

/* Distinguishes namesakes: not shown. */
static bool skip_number(struct reader *reader)
{
	size_t number;

	return !next_is(reader, 's') || read_number(reader, &number);
}

/* No number but 0 begins with 0: a digit behind that is another one's. */
static size_t read_length(struct reader *reader)
{
	size_t length;
	char *end;

	if (next_is(reader, '0'))
		return 0;
	length = strtoul(reader->at, &end, 10);
	reader->at = end;
	return length;
}

static bool read_identifier(struct reader *reader, char space)
{
	const char *text;
	size_t length;

	if (!skip_number(reader) || !isdigit((unsigned char)*reader->at))
		return false;
	length = read_length(reader);
	text = reader->at + (*reader->at == '_');
	if (length > strlen(text))
		return false;
	reader->at = text + length;
	if (space == 'C')
		return put(reader, "{{closure}}");
	return text_put(&reader->text, text, length);
}

/* As it is where that was before. */
static bool read_again(struct reader *reader)
{
	const char *here = reader->at - 1, *back;
	size_t number;

	if (!read_number(reader, &number) || number >= (size_t)(here - reader->begin))
		return false;
	back = reader->at;
	reader->at = reader->begin + number;
	if (!read_type(reader))
		return false;
	reader->at = back;
	return true;
}

static bool read_nested(struct reader *reader)
{
	char space = *reader->at;

	if (!space)
		return false;
	reader->at++;
	return read_type(reader) && put(reader, "::") && read_identifier(reader, space);
}

/* Where it stands is not shown, but of which type it is. */
static bool read_impl(struct reader *reader)
{
	struct text before = reader->text;

	if (!skip_number(reader) || !read_type(reader))
		return false;
	reader->text = before;
	return read_type(reader);
}

static bool read_generic(struct reader *reader)
{
	const char *between = "<";

	if (!read_type(reader))
		return false;
	while (!next_is(reader, 'E')) {
		if (!put(reader, between) || !read_type(reader))
			return false;
		between = ",";
	}
	return put(reader, ">");
}

static bool read_some(struct reader *reader, char what)
{
	switch (what) {
	case 'B':
		return read_again(reader);
	case 'C':
		return read_identifier(reader, 0);
	case 'I':
		return read_generic(reader);
	case 'M':
		return read_impl(reader);
	case 'N':
		return read_nested(reader);
	case 'u':
		return put(reader, "()");
	}
	return false;
}

static bool read_type(struct reader *reader)
{
	bool done = false;

	if (*reader->at && reader->depth < DEPTH_MAX) {
		reader->depth++;
		done = read_some(reader, *reader->at++);
		reader->depth--;
	}
	return done;
}

bool path_of_type(const char *symbol, const char *at, char *to, size_t room)
{
	struct reader reader = { symbol + 2, at, { to, room }, 0 };

	return !strncmp(symbol, "_R", 2) && read_type(&reader);
}
