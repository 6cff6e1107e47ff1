// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps the last bytes that a command under `top` writes, in a file in memory, and writes them out
 * at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/util.h"
#include "base/warn.h"
#include "live/output.h"

#define PAGE	(64u * 1024)

/* So often it is looked at what is too old: while the command writes much, and else. */
#define BUSY_MS	10
#define IDLE_MS	200

static uint64_t written_bytes(const struct live_output *o)
{
	struct stat st;

	return fstat(o->fd, &st) ? 0 : (uint64_t)st.st_size;
}

/* Gives back the memory of bytes that are too old. False if there were none. */
static bool punch_old(struct live_output *o)
{
	uint64_t size = written_bytes(o), to;

	if (size < o->gone + LIVE_OUTPUT_MOST + PAGE)
		return false;
	to = (size - LIVE_OUTPUT_MOST) / PAGE * PAGE;
	if (fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)o->gone,
		      (off_t)(to - o->gone)))
		return false;
	o->gone = to;
	return true;
}

/* The thread that gives back the memory of old bytes, until stop_fd is readable. */
static void *run_trimmer(void *output)
{
	struct live_output *o = output;
	struct pollfd stop = { .fd = o->stop_fd, .events = POLLIN };

	while (!poll(&stop, 1, punch_old(o) ? BUSY_MS : IDLE_MS))
		;
	return NULL;
}

/* Blocks all signals in the new thread: none is for it. */
static int begin_thread(struct live_output *o, struct error *err)
{
	sigset_t all, before;
	int ret;

	o->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (o->stop_fd < 0)
		return error_errno(err, "can't make a descriptor for events");
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = pthread_create(&o->thread, NULL, run_trimmer, o);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	o->started = !ret;
	return !ret ? 0 : error_set(err, ret, "can't make a thread for what the command writes: %s",
				    strerrordesc_np(ret));
}

static void end_thread(struct live_output *o)
{
	if (o->started) {
		eventfd_write(o->stop_fd, 1);
		pthread_join(o->thread, NULL);
	}
	o->started = false;
}

/* The file is opened for appending, so that each write comes after all others, whoever makes it. */
int live_output_begin(struct live_output *o, struct error *err)
{
	int fd = memfd_create("coroprof-top-output", MFD_CLOEXEC);
	char path[64];

	*o = (struct live_output){ .fd = -1, .stop_fd = -1 };
	if (fd < 0)
		return error_errno(err, "can't make a file in memory");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	o->fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
	close(fd);
	return o->fd < 0 ? error_errno(err, "can't open a file in memory by %s", path) :
			   begin_thread(o, err);
}

void live_output_write(struct live_output *o, int to)
{
	char *text, *begin, *line;
	uint64_t size, from;
	ssize_t n;

	/* What is read is not to go meanwhile. */
	end_thread(o);
	size = written_bytes(o);
	from = size > LIVE_OUTPUT_MOST ? size - LIVE_OUTPUT_MOST : 0;
	begin = text = malloc((size_t)(size - from) + 1);
	n = text ? pread(o->fd, text, (size_t)(size - from), (off_t)from) : -1;
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
	end_thread(o);
	if (o->stop_fd >= 0)
		close(o->stop_fd);
	if (o->fd >= 0)
		close(o->fd);
	o->fd = o->stop_fd = -1;
}
