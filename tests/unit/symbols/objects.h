/* SPDX-License-Identifier: GPL-2.0 */
/* Where the objects are that the Makefile builds: in a folder beside the program that looks at them. */
#ifndef TEST_OBJECTS_H
#define TEST_OBJECTS_H

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support.h"

static char objects[4000];

static inline const char *path_of(const char *name)
{
	static char path[4096];

	snprintf(path, sizeof(path), "%s/%s", objects, name);
	return path;
}

static inline void find_folder(void)
{
	ssize_t n = readlink("/proc/self/exe", objects, sizeof(objects) - 100);

	assert_true(n > 0);
	objects[n] = '\0';
	strcat(dirname(objects), "/objects");
}

#endif /* TEST_OBJECTS_H */
