// SPDX-License-Identifier: GPL-2.0
/*
 * Finds processes that a command left behind and that run one of its executables, by device and
 * inode.
 */
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/orphans.h"

static bool read_executable_id(pid_t pid, uint64_t *device, uint64_t *inode)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (stat(path, &st))
		return false;
	*device = st.st_dev;
	*inode = st.st_ino;
	return true;
}

static bool has_executable(const struct executables *e, uint64_t device, uint64_t inode)
{
	for (unsigned int i = 0; i < e->nr; i++) {
		if (e->device[i] == device && e->inode[i] == inode)
			return true;
	}
	return false;
}

void executables_add(struct executables *e, pid_t pid)
{
	uint64_t device, inode;

	if (e->nr == EXECUTABLES_MAX || !read_executable_id(pid, &device, &inode) ||
	    has_executable(e, device, inode))
		return;
	e->device[e->nr] = device;
	e->inode[e->nr++] = inode;
}

/* True if the process runs one of the executables. A zombie runs none. */
static bool runs_executable(const struct executables *e, pid_t pid)
{
	uint64_t device, inode;

	return read_executable_id(pid, &device, &inode) &&
	       (!e->nr || has_executable(e, device, inode));
}

unsigned int orphans_find(const struct executables *e, char *list, size_t capacity)
{
	unsigned int found = 0;
	size_t used = 0;
	char path[64];
	FILE *file;
	int pid;

	list[0] = '\0';
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	file = fopen(path, "re");
	if (!file)
		return 0;
	while (fscanf(file, "%d", &pid) == 1) {
		if (!runs_executable(e, pid))
			continue;
		if (used < capacity)
			used += (size_t)snprintf(list + used, capacity - used,
						 "%spid %d", found ? ", " : "",
						 pid);
		found++;
	}
	fclose(file);
	return found;
}
