/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a command that has ended left behind. A daemon goes on in a fork of the
 * program that was started, and may meet its first coroutine much later; it is
 * known by running the same executable. Anything else, an agent or a cache that
 * the command happened to start, is not waited for.
 */
#ifndef COROPROF_ORPHANS_H
#define COROPROF_ORPHANS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define EXECUTABLES_MAX	32

/**
 * struct executables - files that recorded processes run
 * @device: of the file system, for each
 * @inode:  of the file, for each
 * @nr:     how many
 */
struct executables {
	uint64_t device[EXECUTABLES_MAX];
	uint64_t inode[EXECUTABLES_MAX];
	unsigned int nr;
};

/* Adds the executable of process @pid, if it can be seen and there is room. */
void executables_add(struct executables *executables, pid_t pid);

/*
 * Counts the children of this process that run one of the executables, or any if there are none;
 * lists them as "pid 12, pid 13".
 */
unsigned int orphans_find(const struct executables *executables, char *list,
			  size_t capacity);

#endif /* COROPROF_ORPHANS_H */
