// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which versions of tokio the program has, by paths in its constants. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../runtime.h"
#include "version.h"

/* Behind it comes "-1.24.2/src/", or, of a source that the program brought along, BROUGHT. */
#define FOLDER "/tokio"
#define SOURCE "/src/"
#define BROUGHT "/src/runtime/"

/*
 * The first and the last of 1.x in which a task begins with the same bits and references, and
 * poll() and shutdown() give up one of these: looked up in the source.
 */
#define MINOR_FIRST 13
#define MINOR_LAST 53

#define NUMBERS 3

static bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

/* "-1.24.2/src/". */
static bool read_version(const char *at, unsigned long numbers[NUMBERS])
{
	for (int i = 0; i < NUMBERS; i++) {
		char *behind;

		if (*at != (i ? '.' : '-') || !isdigit((unsigned char)at[1]))
			return false;
		numbers[i] = strtoul(at + 1, &behind, 10);
		at = behind;
	}
	return begins_with(at, SOURCE);
}

/* What follows the folder's name in a path. False: it is not known; else *@any if it is tokio. */
static bool look_at(const char *at, bool *any)
{
	unsigned long numbers[NUMBERS];

	if (begins_with(at, BROUGHT)) {
		coroprof_debug("the paths of tokio's source have no version: its tasks are not recorded");
		return false;
	}
	if (!read_version(at, numbers))
		return true;
	*any = true;
	if (numbers[0] == 1 && numbers[1] >= MINOR_FIRST && numbers[1] <= MINOR_LAST)
		return true;
	coroprof_debug("tokio %lu.%lu.%lu is not known, but 1.%d to 1.%d: its tasks are not recorded",
		       numbers[0], numbers[1], numbers[2], MINOR_FIRST, MINOR_LAST);
	return false;
}

static bool look_through(const char *at, const char *end, bool *any)
{
	while ((at = memmem(at, (size_t)(end - at), FOLDER, strlen(FOLDER)))) {
		at += strlen(FOLDER);
		/* A path that is cut off is none. */
		if (memchr(at, '\0', (size_t)(end - at)) && !look_at(at, any))
			return false;
	}
	return true;
}

bool version_is_known(const struct symbols *symbols)
{
	const char *constants;
	bool any = false;
	size_t i = 0, size;

	while ((constants = symbols_constants(symbols, &i, &size))) {
		if (!look_through(constants, constants + size, &any))
			return false;
	}
	return any;
}
