// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * How the adapter gets into Erlang: all that starts it runs erlexec, which reads ERL_AFLAGS, and
 * then is the virtual machine. The first has it load a file before the program runs; the second,
 * which no longer reads the variable, has it back as it was.
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

#define FLAGS "ERL_AFLAGS"
#define MODULE "coroprof_erlang"
#define EXPRESSION "-eval 'catch case code:load_abs(\"%s" MODULE "\") of {module, M} -> M:start(\"%s\"); _ -> ok end'"

/*
 * Of this library: its path without ".so", and its folder. Those that need to be quoted are not
 * found.
 */
static bool find_library(char library[PATH_MAX], char folder[PATH_MAX])
{
	char *end;
	Dl_info info;

	if (!dladdr((void *)find_library, &info) || !realpath(info.dli_fname, library) ||
	    strpbrk(library, "\"'\\"))
		return false;
	end = strrchr(library, '.');
	if (!end || strcmp(end, ".so"))
		return false;
	*end = '\0';
	strcpy(folder, library);
	end = strrchr(folder, '/');
	if (end)
		end[1] = '\0';
	return end;
}

/* What ERL_AFLAGS is to begin with, to be freed, or NULL. */
static char *flags(void)
{
	char library[PATH_MAX], folder[PATH_MAX], *text = NULL, *file;

	if (!find_library(library, folder) || asprintf(&file, "%s" MODULE ".beam", folder) < 0)
		return NULL;
	if (access(file, R_OK))
		coroprof_debug("no %s: Erlang's processes are not told", file);
	else if (asprintf(&text, EXPRESSION, folder, library) < 0)
		text = NULL;
	free(file);
	return text;
}

static void add(const char *own, const char *before)
{
	char *all;

	if (!before) {
		setenv(FLAGS, own, 1);
	} else if (asprintf(&all, "%s %s", own, before) >= 0) {
		setenv(FLAGS, all, 1);
		free(all);
	}
}

static void put_back(const char *own, const char *value)
{
	size_t len = strlen(own);

	if (strncmp(value, own, len))
		return;
	if (value[len] == ' ')
		setenv(FLAGS, strdupa(value + len + 1), 1);
	else
		unsetenv(FLAGS);
}

/* erlexec has given it what to load, whether it is the adapter's to report it or not. */
static void begin_machine(void)
{
	const char *value = getenv(FLAGS);
	char *own;

	if (!value || !dlsym(RTLD_DEFAULT, "enif_make_atom"))
		return;
	own = flags();
	if (own)
		put_back(own, value);
	free(own);
}

static void begin(void)
{
	char *own;

	if (strcmp(program_invocation_short_name, "erlexec")) {
		begin_machine();
		return;
	}
	own = flags();
	if (own)
		add(own, getenv(FLAGS));
	free(own);
}

struct runtime erlang_runtime = { .begin = begin, .begin_off = begin_machine };
