/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LUA_NAME_H
#define LUA_NAME_H

#include "api.h"

/* The label of what a coroutine runs, or will: @narg as given to lua_resume(). */
uint32_t lua_label(const struct lua_api *api, lua_State *L, int narg);

/* The function on top is being kept for later, by a call whose first argument
 * may be a name: then that is what the program calls it.
 */
void lua_name_note(const struct lua_api *api, lua_State *L);

#endif /* LUA_NAME_H */
