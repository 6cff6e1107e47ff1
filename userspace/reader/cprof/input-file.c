// SPDX-License-Identifier: GPL-2.0
/*
 * Opens the file of a recording; what comes from a pipe is copied to one without a name, so that it
 * can be read anywhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "cprof/input.h"

#define CHUNK	(1u << 16)

static int out_of_memory(struct error *err)
{
	return error_set(err, ENOMEM, "out of memory");
}

/* A file without a name, where others keep theirs. */
static int open_nameless(struct error *err)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	if (!folder || !*folder)
		folder = "/tmp";
	fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_errno(err, "can't make a file in %s to keep what comes from a pipe",
				   folder);
	return fd;
}

/* As much as fits, or all there is. */
static ssize_t fill(const struct input *in, char *to, size_t capacity,
		    struct error *err)
{
	size_t got = 0;
	ssize_t n;

	while (got < capacity) {
		n = read(in->fd, to + got, capacity - got);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(err, "can't read %s", in->name);
		if (n == 0)
			break;
		got += (size_t)n;
	}
	return (ssize_t)got;
}

/* What does not begin rightly is not read to its end: there may be none. */
static int copy(const struct input *in, int to, const void *magic, size_t size,
		uint64_t *copied, struct error *err)
{
	bool begins = true;
	char chunk[CHUNK];
	ssize_t n;

	*copied = 0;
	do {
		n = fill(in, chunk, sizeof(chunk), err);
		if (n < 0)
			return (int)n;
		if (!write_all(to, chunk, (size_t)n))
			return error_errno(err, "can't keep what comes from a pipe");
		if (!*copied)
			begins = (size_t)n >= size && !memcmp(chunk, magic, size);
		*copied += (uint64_t)n;
	} while (begins && n == sizeof(chunk));
	return 0;
}

static int take_pipe(struct input *in, const void *magic, size_t size,
		     struct error *err)
{
	int fd = open_nameless(err), flags = fcntl(in->fd, F_GETFL), ret;

	if (fd < 0)
		return fd;
	if (flags >= 0)
		fcntl(in->fd, F_SETFL, flags & ~O_NONBLOCK);
	ret = copy(in, fd, magic, size, &in->size, err);
	close(in->fd);
	in->fd = fd;
	return ret;
}

static int open_fd(struct input *in, const char *path, struct error *err)
{
	if (strcmp(path, INPUT_STDIN))
		in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	else
		in->fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	return in->fd < 0 ? error_errno(err, "can't open %s", in->name) : 0;
}

static int take(struct input *in, const void *magic, size_t size,
		struct error *err)
{
	struct stat st;

	if (fstat(in->fd, &st))
		return error_errno(err, "can't read %s", in->name);
	in->size = (uint64_t)st.st_size;
	if (S_ISREG(st.st_mode))
		return 0;
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))
		return take_pipe(in, magic, size, err);
	return error_set(err, EINVAL, "%s is neither a file nor a pipe", in->name);
}

int input_open(struct input *in, const char *path, const void *magic,
	       size_t size, struct error *err)
{
	const char *name = strcmp(path, INPUT_STDIN) ? path : "standard input";
	int ret;

	*in = (struct input){ .name = strdup(name), .fd = -1 };
	ret = in->name ? open_fd(in, path, err) : out_of_memory(err);
	if (!ret)
		ret = take(in, magic, size, err);
	if (ret)
		input_close(in);
	return ret;
}
