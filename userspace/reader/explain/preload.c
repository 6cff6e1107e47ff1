// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the preload library beside this program or where it was installed, and makes the values of
 * LD_PRELOAD and ASAN_OPTIONS for a command.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "explain/preload.h"

static int own_folder(char *folder, size_t capacity)
{
	ssize_t n = readlink("/proc/self/exe", folder, capacity - 1);
	char *slash;

	if (n < 0)
		return -1;
	folder[n] = '\0';
	slash = strrchr(folder, '/');
	if (!slash)
		return -1;
	*slash = '\0';
	return 0;
}

static int resolve_from_environment(char path[PATH_MAX], const char *value,
				    struct error *err)
{
	if (!realpath(value, path))
		return error_errno(err, PRELOAD_ENV " is '%s'", value);
	return 0;
}

int preload_find(char path[PATH_MAX], struct error *err)
{
	static const char *const beside[] = {
		"../lib/coroprof/" PRELOAD_NAME,
		"../lib/" PRELOAD_NAME,
		PRELOAD_NAME,
	};
	const char *value = getenv(PRELOAD_ENV);
	char folder[PATH_MAX], name[PATH_MAX + 64];

	if (value)
		return resolve_from_environment(path, value, err);
	if (own_folder(folder, sizeof(folder)))
		return error_errno(err, "can't read /proc/self/exe");
	for (size_t i = 0; i < ARRAY_SIZE(beside); i++) {
		snprintf(name, sizeof(name), "%s/%s", folder, beside[i]);
		if (realpath(name, path))
			return 0;
	}
	if (realpath(COROPROF_LIBDIR "/coroprof/" PRELOAD_NAME, path))
		return 0;
	return error_set(err, ENOENT,
			 "found no " PRELOAD_NAME
			 " in %s/../lib/coroprof, %s/../lib or " COROPROF_LIBDIR "/coroprof",
			 folder, folder);
}

int preload_value(char *value, size_t capacity, const char *path, struct error *err)
{
	const char *before = getenv("LD_PRELOAD");
	int n;

	if (strpbrk(path, " :"))
		return error_set(err, EINVAL, "%s: LD_PRELOAD can't hold a path with a space or a colon in it",
				 path);
	n = snprintf(value, capacity, "%s%s%s", path, before && *before ? ":" : "",
		     before ? before : "");
	if (n < 0 || (size_t)n >= capacity)
		return error_set(err, ENAMETOOLONG, "LD_PRELOAD is too long already");
	return 0;
}

bool preload_asan_value(char *value, size_t capacity)
{
	const char *before = getenv(ASAN_ENV);
	int n = snprintf(value, capacity, "%s%s" ASAN_BEARS, before ? before : "",
			 before && *before ? ":" : "");

	return n > 0 && (size_t)n < capacity;
}
