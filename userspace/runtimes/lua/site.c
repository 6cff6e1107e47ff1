// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where programs call Lua from: for each such place, which library's function it means. */
#include <errno.h>
#include <stdlib.h>

#include "../preload/scope.h"
#include "site.h"

const struct lua_site *lua_sites_recent[LUA_HOOKS][LUA_SITES_RECENT];

static struct table_node *buckets[256];
static const struct table sites = { buckets, 256, sizeof(struct lua_site) };

static const char *const names[] = {
	[LUA_RESUME] = "lua_resume",
	[LUA_NEWTHREAD] = "lua_newthread",
	[LUA_CLOSE] = "lua_close",
	[LUA_CLOSETHREAD] = "lua_closethread",
	[LUA_RESETTHREAD] = "lua_resetthread",
	[LUAL_REF] = "luaL_ref",
	[LUA_RAWGETI] = "lua_rawgeti",
	[LUAL_OPENLIBS] = "luaL_openlibs",
};

static void fill(struct lua_site *site, enum lua_hook hook, const void *address)
{
	void *original = scope_original(names[hook], address);

	site->address = address;
	site->original = (lua_function *)original;
	site->api = lua_api_of(original);
}

static struct lua_site *site_at(uintptr_t key, enum lua_hook hook, const void *address)
{
	struct lua_site *site = table_find(&sites, key);

	if (site)
		return site;
	site = calloc(1, sizeof(*site));
	if (!site)
		return NULL;
	site->node.key = key;
	fill(site, hook, address);
	return table_add(&sites, &site->node);
}

const struct lua_site *lua_site_find(enum lua_hook hook, const void *address)
{
	/* Without memory to remember it the call has to get there all the same. */
	static __thread struct lua_site forgotten;
	int saved = errno;
	/* Addresses have bits to spare. */
	struct lua_site *site = site_at((uintptr_t)address * LUA_HOOKS + hook, hook, address);

	if (site) {
		__atomic_store_n(&lua_sites_recent[hook][(uintptr_t)address / 4 % LUA_SITES_RECENT],
				 site, __ATOMIC_RELEASE);
	} else {
		site = &forgotten;
		fill(site, hook, address);
	}
	errno = saved;
	return site;
}
