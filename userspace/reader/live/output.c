// SPDX-License-Identifier: GPL-2.0
/* The last of what a command writes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "live/output.h"

#define PAGE	(64u * 1024)

/* Of a file that is opened so each write is behind all others, whoever makes it. */
int live_output_begin(struct live_output *o, struct error *err)
{
	int fd = memfd_create("coroprof-top-output", MFD_CLOEXEC);
	char path[64];

	*o = (struct live_output){ .fd = -1 };
	if (fd < 0)
		return error_errno(err, "can't make a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	close(fd);
	return o->fd < 0 ? error_errno(err, "can't open a file in memory by %s", path) : 0;
}

static uint64_t size_of(const struct live_output *o)
{
	struct stat st;

	return fstat(o->fd, &st) ? 0 : (uint64_t)st.st_size;
}

void live_output_trim(struct live_output *o)
{
	uint64_t size = size_of(o), to;

	if (size < o->gone + LIVE_OUTPUT_MOST + PAGE)
		return;
	to = (size - LIVE_OUTPUT_MOST) / PAGE * PAGE;
	if (!fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)o->gone,
		       (off_t)(to - o->gone)))
		o->gone = to;
}

void live_output_write(const struct live_output *o, int to)
{
	uint64_t size = size_of(o);
	uint64_t from = size > LIVE_OUTPUT_MOST ? size - LIVE_OUTPUT_MOST : 0;
	char *text = malloc((size_t)(size - from) + 1), *begin = text, *line;
	ssize_t n = text ? pread(o->fd, text, (size_t)(size - from), (off_t)from) : -1;

	if (n > 0 && from) {
		warn("the command has written %llu bytes; these are the last:", (unsigned long long)size);
		line = memchr(text, '\n', (size_t)n);
		begin = line ? line + 1 : text;
	}
	if (n > 0 && !write_all(to, begin, (size_t)(text + n - begin)))
		warn("what the command has written can't be shown: %s", strerrordesc_np(errno));
	free(text);
}

void live_output_end(struct live_output *o)
{
	if (o->fd >= 0)
		close(o->fd);
	o->fd = -1;
}
