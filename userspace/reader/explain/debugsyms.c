// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "explain/debugsyms.h"

/* Where /bin and /lib lead to those of /usr, a package may have a file by either name. */
static const char *without_usr(const char *path)
{
	return strncmp(path, "/usr/", 5) ? path : path + 4;
}

static bool list_has(const char *path, const char *object)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	bool found = false;
	size_t room = 0;

	if (!file)
		return false;
	while (!found && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		found = !strcmp(without_usr(line), object);
	}
	free(line);
	fclose(file);
	return found;
}

/* Of the name of a list: "bash.list", "libc6:amd64.list". */
static int package_length(const char *name)
{
	size_t architecture = strcspn(name, ":");

	return (int)(name[architecture] ? architecture : strlen(name) - strlen(".list"));
}

static bool find_package(const char *lists, const char *object, char package[NAME_MAX])
{
	const struct dirent *entry;
	char path[PATH_MAX];
	bool found = false;
	DIR *dir = opendir(lists);

	if (!dir)
		return false;
	while (!found && (entry = readdir(dir))) {
		if (!ends_with(entry->d_name, ".list"))
			continue;
		snprintf(path, sizeof(path), "%s/%s", lists, entry->d_name);
		found = list_has(path, without_usr(object));
		if (found)
			snprintf(package, NAME_MAX, "%.*s", package_length(entry->d_name),
				 entry->d_name);
	}
	closedir(dir);
	return found;
}

void debugsyms_tell(const char *lists, const char *object, char *text, size_t room)
{
	char package[NAME_MAX];

	if (find_package(lists, object, package))
		snprintf(text, room, "its debug symbols are a package of their own, in the archive for debugging (NAME-debug) of the same release:\n  sudo apt install %s%s",
			 package, strcmp(package, "libc6") ? "-dbgsym" : "-dbg");
	else if (!access("/usr/bin/dnf", X_OK))
		snprintf(text, room, "its debug symbols are a package of their own:\n  sudo dnf debuginfo-install $(rpm -qf %s)",
			 object);
	else
		snprintf(text, room, "build it with -g and don't strip it; or, if a server of debuginfod has it (DEBUGINFOD_URLS):\n  debuginfod-find debuginfo %s",
			 object);
}
