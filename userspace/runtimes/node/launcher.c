// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How the adapter gets into Node.js: NODE_OPTIONS has it require a file first, which puts
 * back what stood there before anything else runs.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../runtime.h"

#define OPTIONS "NODE_OPTIONS"
#define SCRIPT "coroprof-node.cjs"

static bool is_node(void)
{
	const char *name = program_invocation_short_name;

	return !strcmp(name, "node") || !strcmp(name, "nodejs");
}

/* Under the permission model it reads nothing of ours, and would end where it is told to. */
static bool is_restricted(const char *options)
{
	FILE *command = fopen("/proc/self/cmdline", "re");
	bool restricted = options && strstr(options, "permission");
	char *argument = NULL;
	size_t room = 0;

	while (!restricted && command && getdelim(&argument, &room, '\0', command) >= 0)
		restricted = argument[0] == '-' && strstr(argument, "permission");
	free(argument);
	if (command)
		fclose(command);
	return restricted;
}

/* Beside this library. */
static bool find_script(char path[PATH_MAX])
{
	const char *slash;
	Dl_info info;

	if (!dladdr((void *)find_script, &info))
		return false;
	slash = strrchr(info.dli_fname, '/');
	if (!slash || strpbrk(info.dli_fname, "\"\\"))
		return false;
	return snprintf(path, PATH_MAX, "%.*s/" SCRIPT, (int)(slash - info.dli_fname),
			info.dli_fname) < PATH_MAX && !access(path, R_OK);
}

static void begin(void)
{
	const char *before = getenv(OPTIONS);
	char path[PATH_MAX], *options;
	const char *quote;

	if (!is_node())
		return;
	if (is_restricted(before)) {
		coroprof_debug("Node.js' permission model: no requests are told");
		return;
	}
	if (!find_script(path)) {
		coroprof_debug("no " SCRIPT " beside the library: no requests are told");
		return;
	}
	/* Before 12 it knew no quotes. */
	quote = strchr(path, ' ') ? "\"" : "";
	if (asprintf(&options, "--require %s%s%s%s%s", quote, path, quote, before ? " " : "",
		     before ? before : "") < 0)
		return;
	setenv(OPTIONS, options, 1);
	free(options);
}

struct runtime node_runtime = { .begin = begin };
