// SPDX-License-Identifier: GPL-2.0
/*
 * Opens a file with O_PATH, checks that it is a regular one, and reopens it for reading, so that
 * nothing else is ever opened.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/regular.h"

static int open_if_regular(int path)
{
	char name[40];
	struct stat st;

	if (fstat(path, &st))
		return -1;
	if (!S_ISREG(st.st_mode)) {
		errno = ENOTSUP;
		return -1;
	}
	/* Whatever has taken the place of the name since. */
	snprintf(name, sizeof(name), "/proc/self/fd/%d", path);
	return open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int regular_reopen(int path)
{
	int fd, saved;

	if (path < 0)
		return -1;
	fd = open_if_regular(path);
	saved = errno;
	close(path);
	errno = saved;
	return fd;
}

static int (*open_by)(const char *path);

void regular_open_by(int (*open)(const char *path))
{
	open_by = open;
}

int regular_open(const char *path)
{
	if (open_by)
		return open_by(path);
	return regular_reopen(open(path, O_PATH | O_CLOEXEC));
}
