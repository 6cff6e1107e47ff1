// SPDX-License-Identifier: GPL-2.0
/*
 * Asks dpkg-query, in a child, which package an object file is of, and writes how to get its debug
 * symbols: by apt, by dnf, or from debuginfod.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "explain/debugsyms.h"

/* Where /bin and /lib lead to those of /usr, a package may have a file by either name. */
static const char *without_usr(const char *path)
{
	return strncmp(path, "/usr/", 5) ? path : path + 4;
}

/*
 * Parses a line such as "libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6"; of several packages, the
 * first is taken.
 */
static bool query_package(const char *query, const char *path, char package[NAME_MAX])
{
	char line[PATH_MAX + NAME_MAX] = "";
	FILE *answer;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return false;
	pid = fork();
	if (!pid) {
		int nothing = open("/dev/null", O_RDWR);

		dup2(nothing, STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		execlp(query, query, "-S", path, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	answer = fdopen(ends[0], "r");
	if (!answer || !fgets(line, sizeof(line), answer))
		*line = '\0';
	if (answer)
		fclose(answer);
	else
		close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	snprintf(package, NAME_MAX, "%.*s", (int)strcspn(line, ":, \n"), line);
	return *package;
}

/* Fails for paths with characters that dpkg-query would take for a pattern. */
static bool find_package(const char *query, const char *object, char package[NAME_MAX])
{
	if (*object != '/' || strpbrk(object, "*?[\\"))
		return false;
	return query_package(query, object, package) ||
	       (without_usr(object) != object &&
		query_package(query, without_usr(object), package));
}

void debugsyms_report(const char *query, const char *object, char *text, size_t capacity)
{
	char package[NAME_MAX];

	if (find_package(query, object, package))
		snprintf(
			text, capacity,
			"its debug symbols are a package of their own, in the archive for debugging (NAME-debug) of the same release:\n  sudo apt install %s%s",
			package, strcmp(package, "libc6") ? "-dbgsym" : "-dbg");
	else if (!access("/usr/bin/dnf", X_OK))
		snprintf(text, capacity, "its debug symbols are a package of their own:\n  sudo dnf debuginfo-install $(rpm -qf %s)",
			 object);
	else
		snprintf(
			text, capacity,
			"build it with -g and don't strip it; or, if a server of debuginfod has it (DEBUGINFOD_URLS):\n  debuginfod-find debuginfo %s",
			object);
}
