// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What the environment says. It is read when the library is loaded and never
 * again: a daemon may have cleared it, or put its title there, long before its
 * first coroutine, and another thread may be changing it.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static bool is_on(const char *name)
{
	const char *text = secure_getenv(name);

	return text && *text && strcmp(text, "0");
}

static uint64_t number(const char *name)
{
	const char *text = secure_getenv(name);

	return text ? strtoull(text, NULL, 10) : 0;
}

static bool is_word(const char *name, const char *word)
{
	const char *text = secure_getenv(name);

	return text && !strcmp(text, word);
}

/*
 * The constructor of another library may ask before ours has run. Two threads
 * that come first together write the same.
 */
const struct settings *coroprof_settings(void)
{
	static struct settings settings;
	static bool known;

	if (__atomic_load_n(&known, __ATOMIC_ACQUIRE))
		return &settings;
	settings.token = number(COROPROF_ENV_TOKEN);
	settings.slots = number("COROPROF_SLOTS");
	settings.switch_ioctl = is_word("COROPROF_SWITCH", "ioctl");
	settings.disabled = is_on("COROPROF_DISABLE");
	settings.debug = is_on("COROPROF_DEBUG");
	__atomic_store_n(&known, true, __ATOMIC_RELEASE);
	return &settings;
}
