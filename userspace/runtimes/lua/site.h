/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The places of a program that call a hook, each with the function that it would
 * have called without us. That is found once for each place and each hook, by the
 * hook's own name: whatever else the library lacks, the call gets there.
 */
#ifndef LUA_SITE_H
#define LUA_SITE_H

#include "../preload/table.h"
#include "api.h"

/*
 * Libraries differ in how many arguments a function takes. All that registers
 * hold are passed on as they came: right for each, by the calling conventions of
 * all machines this is built for. So is what it returns.
 */
#define LUA_PARAMETERS lua_State *L, uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e
#define LUA_ARGUMENTS L, a, b, c, d, e

typedef uintptr_t lua_function(LUA_PARAMETERS);

enum lua_hook {
	LUA_RESUME, LUA_NEWTHREAD, LUA_CLOSE, LUA_CLOSETHREAD, LUA_RESETTHREAD, LUAL_REF,
	LUA_RAWGETI, LUAL_OPENLIBS, LUA_HOOKS
};

/**
 * struct lua_site - a place that calls a hook
 * @address:  where it goes on after the call
 * @original: what it calls
 * @api:      the library which has that
 *
 * Never changed once others see it, and never freed.
 */
struct lua_site {
	struct table_node node;
	const void *address;
	lua_function *original;
	const struct lua_api *api;
};

/* Those used last, by some bits of their address. */
#define LUA_SITES_RECENT 64
extern const struct lua_site *lua_sites_recent[LUA_HOOKS][LUA_SITES_RECENT]
	__attribute__((visibility("hidden")));

const struct lua_site *lua_site_find(enum lua_hook hook, const void *address);

static inline const struct lua_site *lua_site(enum lua_hook hook, const void *address)
{
	const struct lua_site **recent =
		&lua_sites_recent[hook][(uintptr_t)address / 4 % LUA_SITES_RECENT];
	const struct lua_site *site = __atomic_load_n(recent, __ATOMIC_ACQUIRE);

	if (__builtin_expect(site && site->address == address, 1))
		return site;
	return lua_site_find(hook, address);
}

#endif /* LUA_SITE_H */
