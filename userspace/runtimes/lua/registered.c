// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions that a C program keeps in Lua's registry together with a name. */
#include <stdio.h>
#include <string.h>

#include "../runtime.h"
#include "../preload/charge.h"
#include "../preload/table.h"
#include "registered.h"

/**
 * struct lua_registered - such a function
 * @function: its address
 * @name:     the name, or several
 * @file:     where it was defined; another one may get its address later
 * @line:     likewise
 *
 * Known twice: by its number in the registry, which distinguishes what has one
 * address and several names, and by its address.
 */
struct lua_registered {
	struct table_node node;
	const void *function;
	char name[LUA_NAME_MAX];
	char file[60];
	int line;
};

static struct table_node *named_buckets[256];
static const struct table named = { named_buckets, 256, sizeof(struct lua_registered) };

/* No address is odd. */
static uintptr_t registry_key(const void *main, int ref)
{
	return ((uintptr_t)main ^ (uintptr_t)ref * 0x9e3779b1) | 1;
}

static bool is_of(const struct lua_registered *known, const void *function,
		  const struct lua_place *place)
{
	return known->function == function && known->line == place->line &&
	       !strcmp(known->file, place->file);
}

/* Two names for one function can't be distinguished by its address: it has both. */
static void add_name(struct lua_registered *known, const char name[LUA_NAME_MAX])
{
	size_t used = strlen(known->name);

	if (strstr(known->name, name))
		return;
	snprintf(known->name + used, sizeof(known->name) - used, "%s%s", used ? "|" : "", name);
}

static void note(uintptr_t key, const void *function, const struct lua_place *place,
		 const char *name, bool only)
{
	struct lua_registered *known = table_get(&named, key);

	if (!known)
		return;
	coroprof_lock();
	if (only || !is_of(known, function, place))
		known->name[0] = '\0';
	known->function = function;
	snprintf(known->file, sizeof(known->file), "%s", place->file);
	known->line = place->line;
	add_name(known, name);
	coroprof_unlock();
}

/* On top a function, at the bottom its name; and room for two more. */
static bool is_named(const struct lua_api *api, lua_State *L)
{
	return api->type(L, -1) == LUA_TFUNCTION && api->type(L, 1) == LUA_TSTRING &&
	       api->checkstack(L, 2);
}

uintptr_t lua_register(const struct lua_site *ref, const void *main, LUA_PARAMETERS)
{
	const struct lua_api *api = ref->api;
	coroprof_co before = coroprof_current();
	union lua_debug debug;
	struct lua_place place;
	const void *function;
	uintptr_t number;
	const char *name;

	if (!api->named || !is_named(api, L))
		return ref->original(LUA_ARGUMENTS);
	charge();
	place = lua_place_of(api, L, &debug);
	function = api->topointer(L, -1);
	coroprof_switch(before);
	number = ref->original(LUA_ARGUMENTS);
	charge();
	/* It has taken the function; the name is below that. */
	name = api->tolstring(L, 1, NULL);
	note((uintptr_t)function, function, &place, name, false);
	note(registry_key(main, (int)number), function, &place, name, true);
	coroprof_switch(before);
	return number;
}

const struct lua_registered *lua_registered_at(const void *main, int ref)
{
	return table_find(&named, registry_key(main, ref));
}

static bool known_name(const struct lua_registered *known, const void *function,
		       const struct lua_place *place, char name[LUA_NAME_MAX])
{
	bool found = false;

	if (!known)
		return false;
	coroprof_lock();
	if (is_of(known, function, place)) {
		memcpy(name, known->name, LUA_NAME_MAX);
		found = true;
	}
	coroprof_unlock();
	return found;
}

bool lua_registered_name(const struct lua_api *api, lua_State *L, const struct lua_place *place,
			 const struct lua_registered *pushed, char name[LUA_NAME_MAX])
{
	const void *function = api->topointer(L, -1);

	return known_name(pushed, function, place, name) ||
	       known_name(table_find(&named, (uintptr_t)function), function, place, name);
}
