// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Interpreters that have Lua in them: lua, luajit. What they export is for modules in C;
 * they call none of it by name. They ask for LUA_INIT before they run anything, which is
 * answered with code that loads this library as a module of Lua, and then does what LUA_INIT
 * says. The environment stays as it is, for the program and for its children.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/scope.h"
#include "../runtime.h"
#include "interpreter.h"

static struct link_map *program;

/* Between quotes, in Lua. Returns where it ends. */
static char *quote(char *to, const char *text)
{
	for (; *text; text++)
		to += sprintf(to, isalnum((unsigned char)*text) || *text == '/' ? "%c" : "\\%03u",
			      (unsigned char)*text);
	return to;
}

/*
 * One line, before the first of the user's, so that messages have the right one. Kept for good:
 * it is asked for once.
 */
static char *make(const char *init)
{
	const char *own = scope_object((const void *)make)->l_name;
	char *text = malloc(4 * (strlen(own) + (init ? strlen(init) : 0)) + 128), *to = text;

	if (!text)
		return NULL;
	to = quote(stpcpy(to, "(package.loadlib(\""), own);
	to = stpcpy(to, "\", \"coroprof_lua_begin\") or type)(0);");
	if (init && *init == '@')
		stpcpy(quote(stpcpy(to, "dofile(\""), init + 1), "\")");
	else if (init)
		stpcpy(to, init);
	return text;
}

/*
 * Only the program calls it. Its own constants are what it asks for itself; what a script asks
 * for is elsewhere. The variable of a version comes before LUA_INIT, if it is set.
 */
static char *look_up(const char *name)
{
	char *value = getenv(name), *made;

	if (strncmp(name, "LUA_INIT", 8) || (name[8] && !value) || scope_object(name) != program)
		return value;
	made = make(value);
	return made ? made : value;
}

EXPORT int coroprof_lua_begin(lua_State *L);

int coroprof_lua_begin(lua_State *L)
{
	void *handle = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);

	if (handle)
		lua_coroutines(L, dlsym(handle, "lua_newstate"));
	return 0;
}

void lua_interpreter_begin(void)
{
	void *handle = dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD);
	void *function = handle ? dlsym(handle, "lua_newstate") : NULL;

	if (!function || dlinfo(handle, RTLD_DI_LINKMAP, &program) ||
	    scope_object(function) != program)
		return;
	if (!scope_divert(program, "getenv", (void *)look_up))
		coroprof_debug("this program has Lua in it, but never asks for LUA_INIT");
}
