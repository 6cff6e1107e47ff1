/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LUA_NAME_H
#define LUA_NAME_H

#include "api.h"

struct named;

/*
 * The label of what a coroutine runs, or will: @narg as given to lua_resume(),
 * @pushed the registered function that was last pushed for it, or NULL.
 */
uint32_t lua_label(const struct lua_api *api, lua_State *L, int narg, const struct named *pushed);

/*
 * The program keeps the function on top for later, by a call of luaL_ref() in
 * one whose first argument may be a name: then that is what the program calls
 * it. Returns what luaL_ref() does. @main tells the registries apart.
 */
int lua_name_note(const struct lua_api *api, lua_State *L, const void *main);

/* What is known by name under that number of the registry, or NULL. */
const struct named *lua_name_pushed(const void *main, int ref);

#endif /* LUA_NAME_H */
