// SPDX-License-Identifier: GPL-2.0
/* Looks in /proc/PID/maps for libcoroprof or the preload library. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explain/library.h"

/* What the names of all of them begin with. */
#define LIBRARY_NAME "libcoroprof"

static bool names_library(const char *line)
{
	const char *path = strchr(line, '/');
	const char *name = path ? strrchr(path, '/') + 1 : "";

	return !strncmp(name, LIBRARY_NAME, strlen(LIBRARY_NAME));
}

enum library library_look(pid_t pid)
{
	bool found = false;
	char path[64], *line = NULL;
	size_t capacity = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	file = fopen(path, "re");
	if (!file)
		return LIBRARY_UNKNOWN;
	while (!found && getline(&line, &capacity, file) > 0)
		found = names_library(line);
	free(line);
	fclose(file);
	return found ? LIBRARY_MAPPED : LIBRARY_NONE;
}
