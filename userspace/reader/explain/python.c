// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the commands by which a running interpreter of Python can load the adapter: those of its
 * own version.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "explain/preload.h"
#include "explain/python.h"

/* Those that the preload library knows, and the first that can be asked to run a file. */
#define OLDEST		11
#define NEWEST		14
#define SINCE		14

#define FILE_NAME	"attach-coroprof.py"

/*
 * The minor version in a path, 14 in "python3.14", "libpython3.14.so.1.0" or
 * "_asyncio.cpython-314-x86_64-linux-gnu.so"; 0 if there is none. A "t" behind the number stands
 * for a build without the global lock.
 */
unsigned int python_minor(const char *path)
{
	const char *module = strstr(path, ".cpython-3"), *name = strstr(path, "python3.");
	unsigned long minor;
	char *end;

	if (!module && !name)
		return 0;
	minor = module ? strtoul(module + strlen(".cpython-3"), &end, 10) :
			 strtoul(name + strlen("python3."), &end, 10);
	return *end != 't' && minor >= OLDEST && minor <= NEWEST ? (unsigned int)minor : 0;
}

/*
 * A program that only embeds Python can't run commands, so the interpreter of its version is named.
 */
static void choose_interpreter(char path[PATH_MAX], const char *program, unsigned int minor)
{
	const char *slash = strrchr(program, '/');

	if (slash && !strncmp(slash + 1, "python", strlen("python")))
		snprintf(path, PATH_MAX, "%s", program);
	else
		snprintf(path, PATH_MAX, "python3.%u", minor);
}

static void report_newer(pid_t pid, const char *program, unsigned int minor, struct error *err)
{
	char path[PATH_MAX];

	choose_interpreter(path, program, minor);
	error_hint(err, "Process %d was not started with the preload library, but Python 3.%u loads it as it runs, if the process has no -X disable_remote_debug. As its user:\n"
		   "  echo 'import sys; sys.path.append(\"" COROPROF_LIBDIR "/coroprof/python\"); import coroprof' >" FILE_NAME "\n"
		   "  %s -c 'import os, sys; sys.remote_exec(%d, os.path.abspath(\"" FILE_NAME "\"))'\n"
		   "Its coroutines (async def) are recorded from their next step on; greenlets only if greenlet is imported later.",
		   pid, minor, path, pid);
}

static void report_older(pid_t pid, unsigned int minor, struct error *err)
{
	char path[PATH_MAX];
	struct error none;

	error_hint(err, "Process %d was not started with the preload library, and Python 3.%u can't load it later, as 3.%u can. Start it so:\n  coroprof record -- COMMAND",
		   pid, minor, SINCE);
	if (!preload_find(path, &none))
		error_hint(err, "or, to record it by -p:\n  LD_PRELOAD=%s COMMAND", path);
}

void python_report(pid_t pid, const char *program, unsigned int minor, struct error *err)
{
	char folder[32];

	snprintf(folder, sizeof(folder), "/proc/%d", pid);
	if (access(folder, F_OK))
		return;
	if (minor >= SINCE)
		report_newer(pid, program, minor, err);
	else
		report_older(pid, minor, err);
}
