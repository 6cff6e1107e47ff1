// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program that runs scripts gives each an environment of its own, and may run
 * them all through one function. Then that function, or the script's own, has
 * the environment: in a variable it captured or, in 5.1, as its own. Tables are
 * gone through entry by entry, as to ask for a field may run code of the program.
 */
#include <stdio.h>
#include <string.h>

#include "script.h"

#define NAME_FIELD "SCRIPT_NAME"

/* At most so many captured variables, and entries of a table, are looked at. */
#define UPVALUES_MAX 32
#define ENTRIES_MAX 256

/* The entry on top, of two strings, is the one. */
static bool is_name(const struct lua_api *api, lua_State *L)
{
	return api->type(L, -2) == LUA_TSTRING && api->type(L, -1) == LUA_TSTRING &&
	       !strcmp(api->tolstring(L, -2, NULL), NAME_FIELD);
}

/* Of the table on top. */
static bool find_in_table(const struct lua_api *api, lua_State *L, char name[LUA_NAME_MAX])
{
	int table = api->gettop(L);
	bool found = false;

	if (api->type(L, table) != LUA_TTABLE)
		return false;
	api->pushnil(L);
	for (int i = 0; !found && i < ENTRIES_MAX && api->next(L, table); i++) {
		if (is_name(api, L)) {
			snprintf(name, LUA_NAME_MAX, "%s", api->tolstring(L, -1, NULL));
			found = true;
		}
		api->settop(L, -2);
	}
	api->settop(L, table);
	return found;
}

static bool find(const struct lua_api *api, lua_State *L, int function, char name[LUA_NAME_MAX])
{
	bool found = false;

	for (int i = 1; !found && i <= UPVALUES_MAX && api->getupvalue(L, function, i); i++) {
		found = find_in_table(api, L, name);
		api->settop(L, function);
	}
	if (!found && api->getfenv) {
		api->getfenv(L, function);
		found = find_in_table(api, L, name);
		api->settop(L, function);
	}
	return found;
}

bool lua_script_name(const struct lua_api *api, lua_State *L, struct lua_place_known *known,
		     char name[LUA_NAME_MAX])
{
	bool found;

	if (known->vain_scripts >= LUA_PLACE_VAIN || !api->checkstack(L, 4))
		return false;
	found = find(api, L, api->gettop(L), name);
	if (!found)
		known->vain_scripts++;
	return found;
}
