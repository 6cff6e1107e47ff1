/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/self/fdinfo of a descriptor. */
#ifndef _SAYS_H
#define _SAYS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What it says behind a key, or "" if it does not know that. */
static inline const char *says(int fd, const char *key)
{
	static char line[256];
	size_t len = strlen(key);
	bool found = false;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strncmp(line, key, len) && !strncmp(line + len, ":\t", 2);
	}
	if (file)
		fclose(file);
	return found ? line + len + 2 : "";
}

static inline unsigned long long number(int fd, const char *key)
{
	return strtoull(says(fd, key), NULL, 10);
}

#endif /* _SAYS_H */
