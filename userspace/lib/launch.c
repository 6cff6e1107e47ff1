// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program records itself: coroprof-read runs beside it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "internal.h"

extern char **environ;

/* Of the pipe over which coroprof-read says that it records, in coroprof-read. */
#define READY_FD "3"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pid_t reader;
static pid_t owner;

static int spawn(pid_t *pid, char *const argv[], int ready)
{
	posix_spawn_file_actions_t actions;
	const char *path = secure_getenv("COROPROF_READ");
	posix_spawnattr_t attr;
	sigset_t none;
	int err;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	/* Out of the way of the terminal's ^C: the program decides when it ends. */
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ready, atoi(READY_FD));
	err = posix_spawnp(pid, path ? path : argv[0], &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return -err;
}

/* How coroprof-read ended. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) && !WEXITSTATUS(status) ? 0 : -EIO;
}

/* One byte says that it records; the end of file, that it does not. */
static int wait_until_recording(pid_t pid, int ready)
{
	ssize_t n;
	char byte;
	int err;

	do
		n = read(ready, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return 0;
	err = wait_for(pid);
	return err ? err : -EIO;
}

static int start(const char *output)
{
	char pid_text[16];
	char *argv[] = {
		"coroprof-read", "-p", pid_text, "-o", (char *)output,
		"--ready-fd", READY_FD, "--no-inherit", NULL
	};
	int ready[2], err;
	pid_t pid;

	snprintf(pid_text, sizeof(pid_text), "%d", (int)getpid());
	if (pipe2(ready, O_CLOEXEC))
		return -errno;
	/* dup2() onto itself would leave it to be closed. */
	ready[1] = coroprof_descriptor_raise(ready[1]);
	err = spawn(&pid, argv, ready[1]);
	close(ready[1]);
	if (!err)
		err = wait_until_recording(pid, ready[0]);
	close(ready[0]);
	if (!err) {
		reader = pid;
		owner = getpid();
	}
	return err;
}

/* A forked child has inherited the variable, and not the child process. */
static bool started(void)
{
	return reader && owner == getpid();
}

EXPORT int coroprof_start(const char *output)
{
	int saved = errno, err;

	if (!output || !*output)
		return -EINVAL;
	err = coroprof_process_need();
	if (err)
		return err;
	pthread_mutex_lock(&mutex);
	err = started() ? -EBUSY : start(output);
	pthread_mutex_unlock(&mutex);
	errno = saved;
	return err;
}

/* Until it is gone, whoever waits for it. Does without where there are no pidfds. */
static void wait_gone(int pidfd)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };

	if (pidfd < 0)
		return;
	while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
		;
	close(pidfd);
}

EXPORT int coroprof_stop(void)
{
	int saved = errno, err = -EALREADY;
	int pidfd;

	pthread_mutex_lock(&mutex);
	if (started()) {
		pidfd = (int)syscall(SYS_pidfd_open, reader, 0);
		if (kill(reader, SIGINT) && errno == ESRCH && pidfd >= 0) {
			close(pidfd);
			pidfd = -1;
		}
		wait_gone(pidfd);
		err = wait_for(reader);
		reader = 0;
	}
	pthread_mutex_unlock(&mutex);
	errno = saved;
	return err;
}

EXPORT int coroprof_go(void (*fn)(void *arg), void *arg, const char *output)
{
	int err = coroprof_start(output);

	if (err)
		return err;
	fn(arg);
	return coroprof_stop();
}
