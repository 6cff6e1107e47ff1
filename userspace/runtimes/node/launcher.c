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

/* A launcher of that name that runs the real one has no Node-API. */
static bool is_node(void)
{
	const char *name = program_invocation_short_name;

	return (!strcmp(name, "node") || !strcmp(name, "nodejs")) &&
		dlsym(RTLD_DEFAULT, "napi_create_function");
}

/* Under the permission model it reads nothing of ours, and would end where that has it end. */
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

/* Beside this library, by the name that Node.js has for it: without symbolic links. */
static bool find_script(char path[PATH_MAX])
{
	char library[PATH_MAX];
	const char *slash;
	Dl_info info;

	if (!dladdr((void *)find_script, &info) || !realpath(info.dli_fname, library))
		return false;
	slash = strrchr(library, '/');
	if (!slash || strpbrk(library, "\"\\"))
		return false;
	return snprintf(path, PATH_MAX, "%.*s/" SCRIPT, (int)(slash - library), library) <
			PATH_MAX && !access(path, R_OK);
}

/* Once: what node --run starts has it already. */
static void add_option(const char *path, const char *before)
{
	const char *quote = strchr(path, ' ') ? "\"" : ""; /* before 12 it knew no quotes */
	char *own, *all;

	if (asprintf(&own, "--require %s%s%s", quote, path, quote) < 0)
		return;
	if (!before) {
		setenv(OPTIONS, own, 1);
	} else if (strncmp(before, own, strlen(own)) &&
		   asprintf(&all, "%s %s", own, before) >= 0) {
		setenv(OPTIONS, all, 1);
		free(all);
	}
	free(own);
}

static void begin(void)
{
	const char *before = getenv(OPTIONS);
	char path[PATH_MAX];

	if (!is_node())
		return;
	if (is_restricted(before))
		coroprof_debug("Node.js' permission model: no requests are recorded");
	else if (!find_script(path))
		coroprof_debug("no " SCRIPT " beside the library: no requests are recorded");
	else
		add_option(path, before);
}

struct runtime node_runtime = { .begin = begin };
