/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of the script that a function is of. */
#ifndef LUA_SCRIPT_H
#define LUA_SCRIPT_H

#include "place.h"
#include "registered.h"

/*
 * The name of the script that the function on top belongs to: the string that a
 * table in its reach calls SCRIPT_NAME.
 */
bool lua_script_name(const struct lua_api *api, lua_State *L, struct lua_place_known *known,
		     char name[LUA_NAME_MAX]);

#endif /* LUA_SCRIPT_H */
