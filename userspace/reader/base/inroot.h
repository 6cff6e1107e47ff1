/* SPDX-License-Identifier: GPL-2.0 */
/* Files below the root directory of another process, as that finds them. */
#ifndef COROPROF_INROOT_H
#define COROPROF_INROOT_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

/*
 * Opens @path as a process does whose root directory is @root: no link in it
 * leads out. Returns a descriptor, or -1 with errno.
 */
int open_in_root(const char *root, const char *path, int flags);

/* True if @path exists for a process whose root directory is @root. */
bool exists_in_root(const char *root, const char *path);

/* "/proc/PID/root" */
struct process_root {
	char path[32];
};

struct process_root root_of_process(pid_t pid);

/* True if the root directory of the process is not that of this one. */
bool root_is_other(const char *root);

/* True if the process has another mount namespace: its paths may name other files here. */
bool mounts_are_other(pid_t pid);

#endif /* COROPROF_INROOT_H */
