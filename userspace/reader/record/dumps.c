// SPDX-License-Identifier: GPL-2.0
/*
 * Writes files of the flight recorder, in a child that has a copy of what is kept, while the
 * recorder goes on. There is at most one child at a time, and its end is awaited.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/replace.h"
#include "base/warn.h"
#include "record/dumps.h"
#include "record/keep.h"

/* So often it is tried, each time after twice as long: half a minute in all. */
#define TRIES	6

/**
 * struct progress - what the child says
 * @done: the file is there
 * @last: or it is given up
 * @err:  why it could not be written
 */
struct progress {
	bool done;
	bool last;
	struct error err;
};

void dumps_begin(struct dumps *d, const char *name, bool quiet)
{
	*d = (struct dumps){ .name = name, .quiet = quiet, .fd = -1 };
}

/* ---- in the child */

static int write_keep(struct keep *keep, const struct keep_part *part, struct writer *writer,
		      const struct buffer *info, struct error *err)
{
	return part ? keep_write_part(keep, part, writer, info, err) :
		      keep_write(keep, writer, info, -1, err);
}

static int write_file(const char *path, struct keep *keep, const struct keep_part *part,
		      const struct buffer *info, struct error *err)
{
	struct replacement file;
	struct writer *writer;
	int ret = replacement_open(&file, path, err);

	if (ret)
		return ret;
	ret = writer_open_fd(&writer, dup(fileno(file.file)), path, err);
	if (!ret)
		ret = writer_finish(writer, write_keep(keep, part, writer, info, err), err);
	if (ret) {
		replacement_cancel(&file);
		return ret;
	}
	/* A recording holds command lines and paths. */
	fchmod(fileno(file.file), 0600);
	return replacement_commit(&file, false, err);
}

/* Ignores failure: the file is written even if the recorder has ended. */
static void report_progress(int fd, const struct progress *p)
{
	ssize_t n;

	do {
		n = write(fd, p, sizeof(*p));
	} while (n < 0 && errno == EINTR);
}

/*
 * Closes all files but standard ones and @fd, so that the session ends with the recorder and not
 * with this child. Returns the new number of @fd.
 */
static int close_other_files(int fd)
{
	if (fd != STDERR_FILENO + 1 && dup2(fd, STDERR_FILENO + 1) < 0)
		return fd;
	close_range(STDERR_FILENO + 2, ~0u, 0);
	return STDERR_FILENO + 1;
}

static _Noreturn void run_child(int fd, const char *path, struct keep *keep,
				const struct keep_part *part, const struct buffer *info)
{
	struct timespec pause = { .tv_sec = 1 };

	fd = close_other_files(fd);
	for (int tries = 1; tries <= TRIES; tries++) {
		struct progress p = { .last = tries == TRIES };

		p.done = !write_file(path, keep, part, info, &p.err);
		report_progress(fd, &p);
		if (p.done)
			_exit(0);
		if (!p.last)
			nanosleep(&pause, NULL);
		pause.tv_sec *= 2;
	}
	_exit(1);
}

/* ---- in the recorder */

static int choose_path(struct dumps *d, struct error *err)
{
	do {
		if (snprintf(d->path, sizeof(d->path), "%s-%u.cprof", d->name, ++d->nr) >= PATH_MAX)
			return error_set(err, ENAMETOOLONG, "the name of a dump, %s-%u.cprof, is too long",
					 d->name, d->nr);
	} while (!faccessat(AT_FDCWD, d->path, F_OK, AT_SYMLINK_NOFOLLOW));
	return 0;
}

int dumps_take(struct dumps *d, struct keep *keep, const struct keep_part *part,
	       const struct buffer *info, struct error *err)
{
	int fds[2], ret = choose_path(d, err);
	pid_t pid;

	if (ret)
		return ret;
	if (pipe2(fds, O_CLOEXEC))
		return error_errno(err, "can't make a pipe");
	pid = fork();
	if (!pid)
		run_child(fds[1], d->path, keep, part, info);
	if (pid < 0)
		ret = error_errno(err, "can't make a process that writes %s", d->path);
	close(fds[1]);
	if (ret)
		close(fds[0]);
	else
		d->fd = fds[0];
	return ret;
}

static void end_dump(struct dumps *d, const struct progress *p)
{
	close(d->fd);
	d->fd = -1;
	d->why = p->err;
	if (p->done) {
		d->why.code = 0;
		d->written++;
		if (!d->quiet)
			warn("written: %s", d->path);
	} else {
		d->failed++;
		warn("%s: %s; it is given up", d->path, p->err.message);
	}
}

/* The child writes each progress in one piece, and a pipe keeps pieces of that size together. */
static bool read_progress(struct dumps *d)
{
	struct progress p = { 0 };
	ssize_t n;

	do {
		n = read(d->fd, &p, sizeof(p));
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(p)) {
		p = (struct progress){ .last = true };
		error_set(&p.err, ECHILD, "the process that writes it has ended");
	}
	if (p.done || p.last)
		end_dump(d, &p);
	else
		warn("%s: %s; it is tried again", d->path, p.err.message);
	return d->fd >= 0;
}

bool dumps_look(struct dumps *d)
{
	struct pollfd fd = { .fd = d->fd, .events = POLLIN };

	return dumps_busy(d) && poll(&fd, 1, 0) > 0 && !read_progress(d);
}

void dumps_end(struct dumps *d)
{
	while (dumps_busy(d) && read_progress(d))
		;
}
