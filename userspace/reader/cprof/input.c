// SPDX-License-Identifier: GPL-2.0
/*
 * Reads a recording at any offset: from its file, or from memory. What opens files is in
 * input-file.c.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cprof/input.h"
#include "cprof/memory.h"

int input_read(const struct input *in, uint64_t offset, void *to, size_t size,
	       size_t *got, struct error *err)
{
	ssize_t n;

	if (in->memory) {
		*got = memory_read(in->memory, offset, to, size);
		return 0;
	}
	*got = 0;
	while (*got < size) {
		n = pread(in->fd, (char *)to + *got, size - *got,
			  (off_t)(offset + *got));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, "can't read %s", in->name);
		if (n == 0)
			break;
		*got += (size_t)n;
	}
	return 0;
}

int input_open_memory(struct input *in, const char *name, const struct memory *memory,
		      struct error *err)
{
	*in = (struct input){
		.name = strdup(name), .fd = -1, .memory = memory, .size = memory_size(memory),
	};
	return in->name ? 0 : error_set(err, ENOMEM, "out of memory");
}

void input_close(struct input *in)
{
	if (in->fd >= 0)
		close(in->fd);
	free(in->name);
	*in = (struct input){ .fd = -1 };
}
