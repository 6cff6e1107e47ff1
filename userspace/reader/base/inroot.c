// SPDX-License-Identifier: GPL-2.0
/*
 * Opens files below /proc/PID/root, so that links lead to where the process would find them, and
 * says whether its root or its mounts are others than ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/inroot.h"

int open_in_root(const char *root, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_CLOEXEC),
		.resolve = RESOLVE_IN_ROOT,
	};
	int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd, code;

	if (dir < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
	code = errno;
	close(dir);
	errno = code;
	return fd;
}

bool exists_in_root(const char *root, const char *path)
{
	int fd = open_in_root(root, path, O_PATH);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

struct process_root root_of_process(pid_t pid)
{
	struct process_root root;

	snprintf(root.path, sizeof(root.path), "/proc/%d/root", pid);
	return root;
}

bool root_is_other(const char *root)
{
	struct stat its, ours;

	return !stat(root, &its) && !stat("/", &ours) &&
	       (its.st_dev != ours.st_dev || its.st_ino != ours.st_ino);
}

bool mounts_are_other(pid_t pid)
{
	struct stat its, ours;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", pid);
	return !stat(path, &its) && !stat("/proc/self/ns/mnt", &ours) &&
	       its.st_ino != ours.st_ino;
}
