// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * To look through all modules takes a hundred thousand instructions. So it is
 * noted where functions from a place were found, and the next one is sought
 * there first. That is never taken for granted: the field must hold this very
 * function. An address says nothing, as it may have been another's before.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "field.h"

/* The key in the table of loaded modules, and the key in that. Both fit in a name. */
struct lua_field {
	char module[LUA_NAME_MAX / 2];
	char name[LUA_NAME_MAX / 2 - 1];
};

#define GLOBALS "_G"

static bool write_name(const struct lua_field *field, char name[LUA_NAME_MAX])
{
	bool global = !strcmp(field->module, GLOBALS);

	snprintf(name, LUA_NAME_MAX, "%s%s%s", global ? "" : field->module, global ? "" : ".",
		 field->name);
	return true;
}

/* On the stack: a function at @function, a table on top. */
static bool find_in_table(const struct lua_api *api, lua_State *L, int function, const char *module,
			  struct lua_field *found)
{
	int table = api->gettop(L);
	bool is_it = false;

	api->pushnil(L);
	while (!is_it && api->next(L, table)) {
		if (api->type(L, -2) == LUA_TSTRING && api->rawequal(L, -1, function)) {
			snprintf(found->module, sizeof(found->module), "%s", module);
			snprintf(found->name, sizeof(found->name), "%s",
				 api->tolstring(L, -2, NULL));
			is_it = true;
		}
		api->settop(L, -2);
	}
	api->settop(L, table);
	return is_it;
}

/* The table has no metatable, so that asking it for a field runs nothing. */
static bool is_plain(const struct lua_api *api, lua_State *L, int table)
{
	if (!api->getmetatable(L, table))
		return true;
	api->settop(L, -2);
	return false;
}

static bool find_in_globals(const struct lua_api *api, lua_State *L, int function, int modules,
			    struct lua_field *found)
{
	bool is_it;

	if (!is_plain(api, L, modules))
		return false;
	api->getfield(L, modules, GLOBALS);
	is_it = api->type(L, -1) == LUA_TTABLE && find_in_table(api, L, function, GLOBALS, found);
	api->settop(L, modules);
	return is_it;
}

/* Likewise, the table being that of the loaded modules. Globals go first. */
static bool find_in_modules(const struct lua_api *api, lua_State *L, int function,
			    struct lua_field *found)
{
	int modules = api->gettop(L);
	bool is_it = find_in_globals(api, L, function, modules, found);

	api->pushnil(L);
	while (!is_it && api->next(L, modules)) {
		if (api->type(L, -2) == LUA_TSTRING && api->type(L, -1) == LUA_TTABLE)
			is_it = find_in_table(api, L, function, api->tolstring(L, -2, NULL), found);
		api->settop(L, -2);
	}
	api->settop(L, modules);
	return is_it;
}

/* On the stack as above. */
static bool holds(const struct lua_api *api, lua_State *L, int function,
		  const struct lua_field *field)
{
	struct lua_field found;
	int modules = api->gettop(L);
	bool is_it = false;

	api->getfield(L, modules, field->module);
	if (api->type(L, -1) == LUA_TTABLE) {
		if (is_plain(api, L, -1)) {
			api->getfield(L, -1, field->name);
			is_it = api->rawequal(L, -1, function);
		} else {
			is_it = find_in_table(api, L, function, field->module, &found) &&
				!strcmp(found.name, field->name);
		}
	}
	api->settop(L, modules);
	return is_it;
}

static const struct lua_field *find_known(const struct lua_api *api, lua_State *L, int function,
					  const struct lua_place_known *known)
{
	const struct lua_field *field;

	if (!is_plain(api, L, -1))
		return NULL;
	for (int i = 0; i < LUA_PLACE_FIELDS; i++) {
		field = __atomic_load_n(&known->fields[i], __ATOMIC_ACQUIRE);
		if (!field || holds(api, L, function, field))
			return field;
	}
	return NULL;
}

static void keep(struct lua_place_known *known, const struct lua_field *found)
{
	struct lua_field *field = malloc(sizeof(*field));
	const struct lua_field *none;

	if (!field)
		return;
	*field = *found;
	for (int i = 0; i < LUA_PLACE_FIELDS; i++) {
		none = NULL;
		if (__atomic_compare_exchange_n(&known->fields[i], &none, field, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
	free(field);
}

static bool find(const struct lua_api *api, lua_State *L, int function,
		 struct lua_place_known *known, char name[LUA_NAME_MAX])
{
	const struct lua_field *field = find_known(api, L, function, known);
	struct lua_field found;

	if (field)
		return write_name(field, name);
	if (known->vain_fields >= LUA_PLACE_VAIN)
		return false;
	if (!find_in_modules(api, L, function, &found)) {
		known->vain_fields++;
		return false;
	}
	keep(known, &found);
	return write_name(&found, name);
}

bool lua_field_name(const struct lua_api *api, lua_State *L, struct lua_place_known *known,
		    char name[LUA_NAME_MAX])
{
	int function = api->gettop(L);
	bool found;

	if (!api->checkstack(L, 8) || !is_plain(api, L, api->registry))
		return false;
	api->getfield(L, api->registry, "_LOADED");
	found = api->type(L, -1) == LUA_TTABLE && find(api, L, function, known, name);
	api->settop(L, function);
	return found;
}
