/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Functions that the program keeps for later, by a call of luaL_ref() in one
 * whose first argument is a string: that is what the program calls them.
 */
#ifndef LUA_REGISTERED_H
#define LUA_REGISTERED_H

#include "api.h"
#include "site.h"

#define LUA_NAME_MAX 128

struct lua_registered;

/* Calls luaL_ref(), and notes what it keeps. @main distinguishes the registries. */
uintptr_t lua_register(const struct lua_site *ref, const void *main, LUA_PARAMETERS);

/* What is known by name under that number of the registry, or NULL. */
const struct lua_registered *lua_registered_at(const void *main, int ref);

/*
 * The name of the function on top. @pushed is the registered one that was last
 * pushed for the coroutine, or NULL.
 */
bool lua_registered_name(const struct lua_api *api, lua_State *L, const struct lua_place *place,
			 const struct lua_registered *pushed, char name[LUA_NAME_MAX]);

#endif /* LUA_REGISTERED_H */
