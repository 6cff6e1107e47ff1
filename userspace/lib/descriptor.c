// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps the library's descriptors away from the program's. */
#include <fcntl.h>
#include <unistd.h>

#include "internal.h"

/*
 * Out of the way of programs that close, or expect, the low numbers. The
 * number goes as high as the limit permits.
 */
int coroprof_descriptor_raise(int fd)
{
	static const int from[] = { 512, 128, 32 };
	int high;

	for (unsigned int i = 0; i < sizeof(from) / sizeof(from[0]); i++) {
		if (fd >= from[i])
			return fd;
		high = fcntl(fd, F_DUPFD_CLOEXEC, from[i]);
		if (high >= 0) {
			close(fd);
			return high;
		}
	}
	return fd;
}
