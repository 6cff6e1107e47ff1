// SPDX-License-Identifier: GPL-2.0
/*
 * Escapes characters that would control a terminal, computes the width of text on one, and cuts it
 * to a width. Relies on tables of its own, not on the locale.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "base/util.h"

#define REPLACEMENT	"\xef\xbf\xbd"

/* Longest outcome for one byte of input: \x1b. */
#define GROWTH		4

/* Likewise, of names: two bytes, such as of U+00AD, are ten. */
#define SIGN_GROWTH	10

struct char_range {
	uint32_t first;
	uint32_t last;
};

static bool in_ranges(uint32_t c, const struct char_range *ranges, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return true;
	return false;
}

/* True of controls, line separators, marks and overrides of direction, BOM, tags. */
static bool is_control(uint32_t c)
{
	static const struct char_range steering[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0x61c, 0x61c },
		{ 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe0fff },
	};

	return in_ranges(c, steering, ARRAY_SIZE(steering));
}

/*
 * Reads one character of at most @size bytes. Returns its length in bytes, or 0 if there is no
 * valid one.
 */
static size_t read_utf8(const char *text, size_t size, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)text;
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 :
		     p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;

	if (!len || len > size)
		return 0;
	*c = len == 1 ? p[0] : p[0] & (0x7fu >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	if (*c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000))
		return 0;
	return len;
}

static size_t write_escape(char *to, size_t capacity, uint32_t c)
{
	const char *format = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" :
			     "\\U%08x";

	return (size_t)snprintf(to, capacity, format, c);
}

char *printable(const char *text, size_t size)
{
	size_t len = strnlen(text, size), at = 0, n;
	size_t capacity = len * GROWTH + 1;
	char *out = malloc(capacity), *shrunk;
	uint32_t c = 0;

	if (!out)
		return NULL;
	for (size_t i = 0; i < len; i += n ? n : 1) {
		n = read_utf8(text + i, len - i, &c);
		if (n && is_control(c)) {
			at += write_escape(out + at, capacity - at, c);
		} else {
			memcpy(out + at, n ? text + i : REPLACEMENT, n ? n : 3);
			at += n ? n : 3;
		}
	}
	out[at] = '\0';
	shrunk = realloc(out, at + 1);
	return shrunk ? shrunk : out;
}

/*
 * True of format and private characters, of characters that are ignored where they can't be drawn,
 * and of an empty cell of Braille.
 */
static bool is_invisible(uint32_t c)
{
	static const struct char_range unseen[] = {
		{ 0xad, 0xad }, { 0x34f, 0x34f }, { 0x600, 0x605 }, { 0x61c, 0x61c },
		{ 0x6dd, 0x6dd }, { 0x70f, 0x70f }, { 0x8e2, 0x8e2 }, { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },
		{ 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x2800, 0x2800 },
		{ 0x3164, 0x3164 }, { 0xe000, 0xf8ff }, { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb },
		{ 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
		{ 0x1bca0, 0x1bca3 }, { 0x1d173, 0x1d17a }, { 0xe0000, 0x10ffff },
	};

	return is_control(c) || in_ranges(c, unseen, ARRAY_SIZE(unseen));
}

/* True of any space but the one between two words. */
static bool is_other_space(uint32_t c)
{
	static const struct char_range spaces[] = {
		{ 0xa0, 0xa0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
	};

	return in_ranges(c, spaces, ARRAY_SIZE(spaces));
}

/* True of a character with which printable_name() replaces others. */
static bool is_replacement_sign(uint32_t c)
{
	return (c >= 0x2400 && c <= 0x2426) || c == 0x27e8 || c == 0x27e9;
}

/* True of a space at an edge of the text, or beside another one. */
static bool is_odd_space(const char *text, size_t len, size_t i)
{
	return !i || i + 1 == len || text[i - 1] == ' ' || text[i + 1] == ' ';
}

char *printable_name(const char *text)
{
	size_t len = strlen(text), at = 0, n, capacity = SIGN_GROWTH * len + 1;
	char *out = len ? malloc(capacity) : strdup(PRINTABLE_NAMELESS);
	uint32_t c = 0;

	for (size_t i = 0; out && i < len; i += n ? n : 1) {
		n = read_utf8(text + i, len - i, &c);
		if (n && (is_invisible(c) || is_other_space(c) || is_replacement_sign(c))) {
			at += (size_t)snprintf(out + at, capacity - at, "\u27e8%04x\u27e9", c);
		} else if (n && c == ' ' && is_odd_space(text, len, i)) {
			at += (size_t)snprintf(out + at, capacity - at, "\u2420");
		} else {
			memcpy(out + at, n ? text + i : REPLACEMENT, n ? n : 3);
			at += n ? n : 3;
		}
		out[at] = '\0';
	}
	return out;
}

/*
 * The columns of a character on most terminals. wcwidth() would depend on the locale, which a table
 * in a file should not.
 */
static size_t char_width(uint32_t c)
{
	static const struct char_range none[] = {
		{ 0x300, 0x36f }, { 0x483, 0x489 }, { 0x591, 0x5bd },
		{ 0x610, 0x61a }, { 0x64b, 0x65f }, { 0x6d6, 0x6dc },
		{ 0x900, 0x902 }, { 0x93c, 0x93c }, { 0x941, 0x948 },
		{ 0xe31, 0xe31 }, { 0xe34, 0xe3a }, { 0xe47, 0xe4e },
		{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200d },
		{ 0x2060, 0x2064 }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
		{ 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
	};
	static const struct char_range two[] = {
		{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x23e9, 0x23ec },
		{ 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xa960, 0xa97f },
		{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f },
		{ 0xff00, 0xff60 }, { 0xffe0, 0xffe6 }, { 0x16fe0, 0x18aff },
		{ 0x1b000, 0x1b2fb }, { 0x1f1e6, 0x1f1ff },
		{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff },
		{ 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
	};

	if (c < 0x300)
		return 1;
	if (in_ranges(c, none, ARRAY_SIZE(none)))
		return 0;
	return in_ranges(c, two, ARRAY_SIZE(two)) ? 2 : 1;
}

size_t printable_fit(const char *text, size_t width, size_t *used)
{
	size_t len = strlen(text), at = 0, n;
	uint32_t c = 0;

	for (*used = 0; at < len; at += n) {
		n = read_utf8(text + at, len - at, &c);
		if (!n)
			break;
		if (char_width(c) > width - *used)
			break;
		*used += char_width(c);
	}
	return at;
}

bool printable_is_plain(const char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			return false;
	return true;
}

size_t printable_width(const char *text)
{
	size_t used;

	printable_fit(text, SIZE_MAX, &used);
	return used;
}

size_t printable_cut(const char *text, size_t most)
{
	size_t bytes = strnlen(text, most + 1);

	if (bytes <= most)
		return bytes;
	for (bytes--; bytes && ((unsigned char)text[bytes] & 0xc0) == 0x80; bytes--)
		;
	return bytes;
}
