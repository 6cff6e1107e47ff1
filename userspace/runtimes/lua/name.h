/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The label of a coroutine of Lua. */
#ifndef LUA_NAME_H
#define LUA_NAME_H

#include "api.h"

struct lua_registered;

/*
 * The label of what a coroutine runs, or will: @narg as given to lua_resume(),
 * @pushed the registered function that was last pushed for it, or NULL.
 */
uint32_t lua_label(const struct lua_api *api, lua_State *L, int narg,
		   const struct lua_registered *pushed);

#endif /* LUA_NAME_H */
