// SPDX-License-Identifier: GPL-2.0
/*
 * Writes tokens of JSON to a FILE; its state is the depth and whether a comma is due. Errors stay
 * with the FILE, for the caller to find at the end.
 */
#include <math.h>
#include <string.h>

#include "base/json.h"

#define EXACT_MAX	((UINT64_C(1) << 53) - 1)
#define DIGITS_MAX	20

static void put(struct json *j, char c)
{
	putc_unlocked(c, j->file);
}

static void put_text(struct json *j, const char *text, size_t size)
{
	fwrite_unlocked(text, 1, size, j->file);
}

static void before_value(struct json *j)
{
	if (j->comma)
		put(j, ',');
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	before_value(j);
	put(j, bracket);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	put(j, bracket);
	j->comma = true;
}

void json_key(struct json *j, const char *key)
{
	json_string(j, key);
	put(j, ':');
	j->comma = false;
}

static void put_digits(struct json *j, uint64_t value)
{
	char digits[DIGITS_MAX];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put_text(j, digits + at, sizeof(digits) - at);
}

static void put_number(struct json *j, bool negative, uint64_t value)
{
	bool quoted = value > EXACT_MAX;

	before_value(j);
	if (quoted)
		put(j, '"');
	if (negative)
		put(j, '-');
	put_digits(j, value);
	if (quoted)
		put(j, '"');
}

void json_u64(struct json *j, uint64_t value)
{
	put_number(j, false, value);
}

void json_i64(struct json *j, int64_t value)
{
	put_number(j, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_digits(struct json *j, uint64_t value)
{
	before_value(j);
	put_digits(j, value);
}

static void put_word(struct json *j, const char *word)
{
	before_value(j);
	put_text(j, word, strlen(word));
}

void json_bool(struct json *j, bool value)
{
	put_word(j, value ? "true" : "false");
}

void json_double(struct json *j, double value)
{
	char text[32];

	if (isfinite(value))
		snprintf(text, sizeof(text), "%.9g", value);
	else
		strcpy(text, "null");
	put_word(j, text);
}

static void put_escape(struct json *j, unsigned int unit)
{
	fprintf(j->file, "\\u%04x", unit);
}

/*
 * U+2028 and U+2029 end a line in JavaScript, and '<' could end the script
 * element or begin a comment in it. Returns how many bytes it has written of.
 */
static size_t put_special(struct json *j, const unsigned char *at)
{
	if (at[0] == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8) {
		put_escape(j, 0x2000u | (at[2] & 0x3f));
		return 3;
	}
	if (*at == '"' || *at == '\\') {
		put(j, '\\');
		put(j, (char)*at);
	} else {
		put_escape(j, *at);
	}
	return 1;
}

static bool is_special(const unsigned char *at)
{
	return *at < 0x20 || *at == '"' || *at == '\\' || *at == '<' ||
	       *at == 0x7f ||
	       (at[0] == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8);
}

void json_string(struct json *j, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (!text) {
		put_word(j, "null");
		return;
	}
	before_value(j);
	put(j, '"');
	while (*at) {
		if (is_special(at))
			at += put_special(j, at);
		else
			put(j, (char)*at++);
	}
	put(j, '"');
}

void json_member(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_string(j, text);
}
