// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds Lua's functions in the library or program that a coroutine is of: its version, and where it
 * keeps things.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/scope.h"
#include "../preload/table.h"
#include "api.h"

/* struct lua_Debug, as far as it is used. */
struct debug_501 {
	int event;
	const char *name, *namewhat, *what, *source;
	int currentline, nups, linedefined, lastlinedefined;
	char short_src[60];
};

struct debug_502 {
	int event;
	const char *name, *namewhat, *what, *source;
	int currentline, linedefined, lastlinedefined;
	unsigned char nups, nparams;
	char isvararg, istailcall;
	char short_src[60];
};

struct debug_504 {
	int event;
	const char *name, *namewhat, *what, *source;
	size_t srclen;
	int currentline, linedefined, lastlinedefined;
	unsigned char nups, nparams;
	char isvararg, istailcall;
	unsigned short ftransfer, ntransfer;
	char short_src[60];
};

static struct lua_place place_in(const struct lua_api *api, const union lua_debug *debug)
{
	const struct debug_501 *d1 = (const void *)debug;
	const struct debug_502 *d2 = (const void *)debug;
	const struct debug_504 *d4 = (const void *)debug;

	if (api->version == 501)
		return (struct lua_place){ d1->what, d1->short_src, d1->linedefined };
	if (api->version < 504)
		return (struct lua_place){ d2->what, d2->short_src, d2->linedefined };
	return (struct lua_place){ d4->what, d4->short_src, d4->linedefined };
}

/*
 * It waits, or has not begun: what has failed keeps its status, what has returned has no function.
 */
bool lua_resumable(const struct lua_api *api, lua_State *L, int narg)
{
	int status = api->named ? api->status(L) : LUA_YIELD;
	union lua_debug debug;

	if (status == LUA_YIELD)
		return true;
	return status == 0 && api->gettop(L) > narg && !api->getstack(L, 0, &debug);
}

struct lua_place lua_place_of(const struct lua_api *api, lua_State *L, union lua_debug *debug)
{
	api->pushvalue(L, -1);
	api->getinfo(L, ">S", debug);
	return place_in(api, debug);
}

/* A library, by its link map. */
struct library {
	struct table_node node;
	struct lua_api api;
};

static struct table_node *library_buckets[16];
static const struct table libraries = { library_buckets, 16, sizeof(struct library) };

/* Of one that nothing could be kept of. */
static const struct lua_api unknown = { .version = 501, .registry = -10000 };

/* Each has functions that those before have not. */
static int version_of(void *library)
{
	if (dlsym(library, "lua_newuserdatauv"))
		return 504;
	if (dlsym(library, "lua_rotate"))
		return 503;
	if (dlsym(library, "lua_callk"))
		return 502;
	return 501;
}

/* A name may be missing only where the version has no such function. */
static const struct {
	const char *name;
	size_t offset;
	bool everywhere;
} functions[] = {
#define FUNCTION(name, everywhere) { "lua_" #name, offsetof(struct lua_api, name), everywhere }
	FUNCTION(status, true), FUNCTION(checkstack, true), FUNCTION(gettop, true),
	FUNCTION(settop, true), FUNCTION(type, true), FUNCTION(pushvalue, true),
	FUNCTION(pushnil, true), FUNCTION(next, true), FUNCTION(rawequal, true),
	FUNCTION(getfield, true), FUNCTION(getmetatable, true), FUNCTION(getfenv, false),
	FUNCTION(getupvalue, true), FUNCTION(tolstring, true), FUNCTION(topointer, true),
	FUNCTION(tocfunction, true), FUNCTION(getstack, true), FUNCTION(getinfo, true),
};

static void fill(struct lua_api *api, void *library)
{
	void *function;

	api->named = true;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(library, functions[i].name);
		memcpy((void *)((uintptr_t)api + functions[i].offset), &function, sizeof(function));
		if (!function && functions[i].everywhere)
			api->named = false;
	}
	/* 5.5, whose registry has another index. */
	if (dlsym(library, "lua_numbertocstring"))
		api->named = false;
	api->version = version_of(library);
	api->registry = api->version == 501 ? -10000 : -1001000;
	/* Of those like 5.1 only OpenResty's LuaJIT has this at all. */
	api->resets_second = api->version == 501;
}

static struct library *library_new(struct link_map *map)
{
	struct library *library = calloc(1, sizeof(*library));
	void *handle;

	if (!library)
		return NULL;
	library->node.key = (uintptr_t)map;
	library->api = unknown;
	/* It stays for good, so that what is found does. */
	handle = dlopen(*map->l_name ? map->l_name : NULL, RTLD_LAZY | RTLD_NOLOAD);
	if (handle)
		fill(&library->api, handle);
	return table_add(&libraries, &library->node);
}

const struct lua_api *lua_api_of(const void *function)
{
	struct link_map *map = scope_object(function);
	struct library *library = map ? table_find(&libraries, (uintptr_t)map) : NULL;

	if (map && !library)
		library = library_new(map);
	return library ? &library->api : &unknown;
}
