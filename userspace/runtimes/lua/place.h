/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Places of a program where functions are defined, and what was found out about
 * the names of those from there. No more is kept than the program has places.
 */
#ifndef LUA_PLACE_H
#define LUA_PLACE_H

#include "../preload/table.h"
#include "api.h"

/* So many of a place's functions may be held in fields of their own. */
#define LUA_PLACE_FIELDS 8
/* So often a search of one kind is made in vain for functions of a place. */
#define LUA_PLACE_VAIN 8

/**
 * struct lua_place_known - a place
 * @fields:        where functions from there were found. None changes or goes
 * @vain_fields:   how often one was not found in any module: one that is made
 *                 anew for each coroutine is never there, and the search is long
 * @vain_scripts:  how often one had no script to be named after
 */
struct lua_place_known {
	struct table_node node;
	const struct lua_field *fields[LUA_PLACE_FIELDS];
	unsigned int vain_fields;
	unsigned int vain_scripts;
};

/* Of the function on top, or NULL without memory. */
struct lua_place_known *lua_place_known(const struct lua_api *api, lua_State *L,
					const struct lua_place *place);

#endif /* LUA_PLACE_H */
