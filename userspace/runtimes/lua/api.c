// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "../preload/preload.h"
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

struct lua_place lua_place(const struct lua_api *api, const union lua_debug *debug)
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

/* A library, by its link map. */
struct library {
	struct table_node node;
	const struct lua_api *api;
};

/* A place that has called a hook, by the address it returns to. */
struct caller {
	struct table_node node;
	const struct lua_api *api;
};

static struct table_node *library_buckets[16];
static struct table libraries = { library_buckets, 16, sizeof(struct library) };

static struct table_node *caller_buckets[256];
static struct table callers = { caller_buckets, 256, sizeof(struct caller) };

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

static const struct {
	const char *name;
	size_t offset;
	bool needed;
} functions[] = {
#define FUNCTION(prefix, name, needed) { #prefix #name, offsetof(struct lua_api, name), needed }
	FUNCTION(lua_, resume, true), FUNCTION(lua_, newthread, true),
	FUNCTION(lua_, close, true), FUNCTION(lua_, closethread, false),
	FUNCTION(lua_, resetthread, false), FUNCTION(luaL_, ref, false),
	FUNCTION(lua_, rawgeti, true), FUNCTION(lua_, status, true), FUNCTION(lua_, checkstack, true),
	FUNCTION(lua_, gettop, true), FUNCTION(lua_, settop, true),
	FUNCTION(lua_, type, true), FUNCTION(lua_, pushvalue, true),
	FUNCTION(lua_, pushnil, true), FUNCTION(lua_, next, true),
	FUNCTION(lua_, rawequal, true), FUNCTION(lua_, getfield, true),
	FUNCTION(lua_, tolstring, true), FUNCTION(lua_, topointer, true),
	FUNCTION(lua_, tocfunction, true), FUNCTION(lua_, getstack, true),
	FUNCTION(lua_, getinfo, true),
};

static struct lua_api *api_new(void *library)
{
	struct lua_api *api = calloc(1, sizeof(*api));
	void *function;

	for (size_t i = 0; api && i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(library, functions[i].name);
		memcpy((char *)api + functions[i].offset, &function, sizeof(function));
		if (!function && functions[i].needed) {
			free(api);
			return NULL;
		}
	}
	if (api) {
		api->version = version_of(library);
		api->registry = api->version == 501 ? -10000 : -1001000;
	}
	return api;
}

static struct link_map *object_of(const void *address)
{
	struct link_map *map;
	Dl_info info;

	return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

/*
 * What code in an object gets by a name: what the object and those it needs
 * have, in their order. For the main program that would begin with us; it gets
 * what comes after. The object stays for good, so that what was found does.
 */
static void *find_resume(const struct link_map *caller)
{
	void *handle, *function = NULL;

	if (caller && *caller->l_name) {
		handle = dlopen(caller->l_name, RTLD_LAZY | RTLD_NOLOAD);
		if (handle)
			function = dlsym(handle, "lua_resume");
	}
	return function ? function : preload_next("lua_resume");
}

static const struct lua_api *find(const void *caller)
{
	void *resume = find_resume(object_of(caller));
	struct link_map *map = resume ? object_of(resume) : NULL;
	struct library *library;
	void *handle;

	if (!map || !*map->l_name)
		return NULL;
	library = table_get(&libraries, (uintptr_t)map);
	if (!library)
		return NULL;
	if (!library->api) {
		handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
		if (handle)
			library->api = api_new(handle);
	}
	return library->api;
}

const struct lua_api *lua_api_of(const void *address)
{
	struct caller *caller = table_find(&callers, (uintptr_t)address);
	const struct lua_api *api;
	int saved = errno;

	if (caller)
		return caller->api;
	api = find(address);
	caller = table_get(&callers, (uintptr_t)address);
	if (caller)
		caller->api = api;
	errno = saved;
	return api;
}
