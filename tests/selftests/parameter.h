/* SPDX-License-Identifier: GPL-2.0 */
/* Files that hold one number: parameters of the module, sysctls, limits. */
#ifndef _PARAMETER_H
#define _PARAMETER_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

#define PARAMETER(name)	"/sys/module/coroprof/parameters/" name

/* Returns 0 or a negative errno. */
static inline int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

static inline int number_write(const char *path, long number)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", number);
	return file_write(path, text);
}

/* LONG_MIN if it can't be read. */
static inline long number_read(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	return n > 0 ? atol(text) : -0x7fffffffffffffffL - 1;
}

#define REFERENCES	"/sys/module/coroprof/refcnt"

/*
 * Those of the module, once they are down to @least, or after so long: what was the last
 * one may still be on its way through a work queue.
 */
static inline long references_after_all(long least, unsigned int patience_ms)
{
	while (number_read(REFERENCES) > least && patience_ms--)
		sleep_ms(1);
	return number_read(REFERENCES);
}

#endif /* _PARAMETER_H */
