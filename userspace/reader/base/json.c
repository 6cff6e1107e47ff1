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

static void write_char(struct json *j, char c)
{
	putc_unlocked(c, j->file);
}

/* Writes @size bytes as they are. */
static void write_text(struct json *j, const char *text, size_t size)
{
	fwrite_unlocked(text, 1, size, j->file);
}

static void write_comma_if_due(struct json *j)
{
	if (j->comma)
		write_char(j, ',');
	j->comma = true;
}

void json_open(struct json *j, char bracket)
{
	write_comma_if_due(j);
	write_char(j, bracket);
	j->comma = false;
}

void json_close(struct json *j, char bracket)
{
	write_char(j, bracket);
	j->comma = true;
}

void json_key(struct json *j, const char *key)
{
	json_string(j, key);
	write_char(j, ':');
	j->comma = false;
}

static void write_digits(struct json *j, uint64_t value)
{
	char digits[DIGITS_MAX];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	write_text(j, digits + at, sizeof(digits) - at);
}

/* A number beyond 2^53 is written as a string. */
static void write_number(struct json *j, bool negative, uint64_t value)
{
	bool quoted = value > EXACT_MAX;

	write_comma_if_due(j);
	if (quoted)
		write_char(j, '"');
	if (negative)
		write_char(j, '-');
	write_digits(j, value);
	if (quoted)
		write_char(j, '"');
}

void json_u64(struct json *j, uint64_t value)
{
	write_number(j, false, value);
}

void json_i64(struct json *j, int64_t value)
{
	write_number(j, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void json_digits(struct json *j, uint64_t value)
{
	write_comma_if_due(j);
	write_digits(j, value);
}

static void write_word(struct json *j, const char *word)
{
	write_comma_if_due(j);
	write_text(j, word, strlen(word));
}

void json_bool(struct json *j, bool value)
{
	write_word(j, value ? "true" : "false");
}

void json_double(struct json *j, double value)
{
	char text[32];

	if (isfinite(value))
		snprintf(text, sizeof(text), "%.9g", value);
	else
		strcpy(text, "null");
	write_word(j, text);
}

static void write_escape(struct json *j, unsigned int unit)
{
	fprintf(j->file, "\\u%04x", unit);
}

/*
 * Writes a character that must be escaped: U+2028 and U+2029 end a line in JavaScript, and '<'
 * could end the script element or begin a comment in it. Returns how many bytes of @at it has
 * written.
 */
static size_t write_special(struct json *j, const unsigned char *at)
{
	if (at[0] == 0xe2 && at[1] == 0x80 && (at[2] & 0xfe) == 0xa8) {
		write_escape(j, 0x2000u | (at[2] & 0x3f));
		return 3;
	}
	if (*at == '"' || *at == '\\') {
		write_char(j, '\\');
		write_char(j, (char)*at);
	} else {
		write_escape(j, *at);
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
		write_word(j, "null");
		return;
	}
	write_comma_if_due(j);
	write_char(j, '"');
	while (*at) {
		if (is_special(at))
			at += write_special(j, at);
		else
			write_char(j, (char)*at++);
	}
	write_char(j, '"');
}

void json_member(struct json *j, const char *key, const char *text)
{
	json_key(j, key);
	json_string(j, text);
}
