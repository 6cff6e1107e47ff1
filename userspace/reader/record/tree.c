// SPDX-License-Identifier: GPL-2.0
/* Walks the descendants of a process by /proc/PID/task/TID/children. */
#include <dirent.h>
#include <stdio.h>

#include "record/tree.h"

/**
 * struct tree - processes found so far, parents before their children
 * @pids: of them
 * @nr:   how many
 */
struct tree {
	pid_t pids[TREE_MAX];
	unsigned int nr;
};

static void add_children(struct tree *t, pid_t pid, const char *task)
{
	char path[300];
	FILE *file;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%s/children", pid, task);
	file = fopen(path, "re");
	if (!file)
		return;
	while (t->nr < TREE_MAX && fscanf(file, "%d", &child) == 1)
		t->pids[t->nr++] = child;
	fclose(file);
}

/* A child is listed with the thread that forked it. */
static void add_children_of_threads(struct tree *t, pid_t pid)
{
	const struct dirent *entry;
	char path[32];
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (!tasks)
		return;
	while ((entry = readdir(tasks))) {
		if (entry->d_name[0] != '.')
			add_children(t, pid, entry->d_name);
	}
	closedir(tasks);
}

bool tree_each(pid_t pid, void (*fn)(void *context, pid_t pid), void *context)
{
	struct tree tree = { .nr = 0 };

	add_children_of_threads(&tree, pid);
	for (unsigned int i = 0; i < tree.nr; i++) {
		fn(context, tree.pids[i]);
		add_children_of_threads(&tree, tree.pids[i]);
	}
	return tree.nr < TREE_MAX;
}
