// SPDX-License-Identifier: GPL-2.0
/* Compares names of columns, and has the words for kinds, sums and modes. */
#include <ctype.h>

#include "tables/describe.h"

const char *const no_yes[] = { "no", "yes", NULL };
const char *const mode_words[] = { "by ioctl", "from user mode", NULL };

static char fold_character(char c)
{
	return c == '-' || c == '_' ? ' ' : (char)tolower((unsigned char)c);
}

bool name_is(const char *name, const char *text, size_t length)
{
	for (size_t c = 0; c < length; c++)
		if (!name[c] || fold_character(name[c]) != fold_character(text[c]))
			return false;
	return !name[length];
}

const char *kind_name(enum kind kind)
{
	static const char *const names[KIND_NR] = {
		[KIND_TEXT] = "text", [KIND_ID] = "id", [KIND_COUNT] = "count",
		[KIND_EVENTS] = "events", [KIND_NS] = "ns", [KIND_TIME] = "time",
		[KIND_SHARE] = "share", [KIND_RATIO] = "ratio", [KIND_WORD] = "word",
		[KIND_FLAGS] = "flags", [KIND_ROW] = "row",
	};

	return names[kind];
}

const char *sums_name(enum sums sums)
{
	static const char *const names[SUMS_NR] = {
		[SUMS_NOT] = "not", [SUMS_ADD] = "add", [SUMS_MAX] = "max", [SUMS_MIN] = "min",
	};

	return names[sums];
}
