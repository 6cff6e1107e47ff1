/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of a function by the global or field that holds it. */
#ifndef LUA_FIELD_H
#define LUA_FIELD_H

#include "place.h"
#include "registered.h"

/*
 * The name of the global, or of the field of a loaded module, that holds the
 * function on top.
 */
bool lua_field_name(const struct lua_api *api, lua_State *L, struct lua_place_known *known,
		    char name[LUA_NAME_MAX]);

#endif /* LUA_FIELD_H */
