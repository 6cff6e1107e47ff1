// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What to call a coroutine: by the function it runs. Functions have no names
 * in Lua. In this order: the name under which the program registered it, the
 * name of a global or of a module's field that holds it, or none; and always
 * where it was defined. Every function here leaves the stack as it was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/internal.h"
#include "../preload/table.h"
#include "name.h"

#define NAME_MAX 96

/**
 * struct named - a function that was registered under a name
 * @function: its address
 * @name:     the name, or several
 * @file:     where it was defined; another one may get its address later
 * @line:     likewise
 *
 * Known twice: by its number in the registry, which tells apart what has one
 * address and several names, and by its address.
 */
struct named {
	struct table_node node;
	const void *function;
	char name[NAME_MAX];
	char file[60];
	int line;
};

static struct table_node *named_buckets[256];
static struct table named = { named_buckets, 256, sizeof(struct named) };

/*
 * A place where functions are defined, by a hash of it: how often one from
 * there was sought among the globals in vain. One that is made anew for each
 * coroutine is never there, and the search is long.
 */
struct sought {
	struct table_node node;
	unsigned int vain;
};

#define VAIN_MAX 8

static struct table_node *sought_buckets[256];
static struct table sought = { sought_buckets, 256, sizeof(struct sought) };

static struct lua_place place_of(const struct lua_api *api, lua_State *L, union lua_debug *debug)
{
	api->pushvalue(L, -1);
	api->getinfo(L, ">S", debug);
	return lua_place(api, debug);
}

/* No address is odd. */
static uintptr_t registry_key(const void *main, int ref)
{
	return ((uintptr_t)main ^ (uintptr_t)ref * 0x9e3779b1) | 1;
}

static bool is_of(const struct named *known, const void *function, const struct lua_place *place)
{
	return known->function == function && known->line == place->line &&
	       !strcmp(known->file, place->file);
}

/* Two names for one function can't be told apart by its address: it has both. */
static void add_name(struct named *known, const char *name)
{
	size_t used = strlen(known->name);

	if (strstr(known->name, name))
		return;
	snprintf(known->name + used, sizeof(known->name) - used, "%s%s", used ? "|" : "", name);
}

static void note(uintptr_t key, const void *function, const struct lua_place *place,
		 const char *name, bool only)
{
	struct named *known = table_get(&named, key);

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

int lua_name_note(const struct lua_api *api, lua_State *L, const void *main)
{
	union lua_debug debug;
	struct lua_place place;
	const void *function;
	const char *name;
	int ref;

	if (api->type(L, -1) != LUA_TFUNCTION || api->type(L, 1) != LUA_TSTRING ||
	    !api->checkstack(L, 2))
		return api->ref(L, api->registry);
	place = place_of(api, L, &debug);
	function = api->topointer(L, -1);
	name = api->tolstring(L, 1, NULL);
	note((uintptr_t)function, function, &place, name, false);
	ref = api->ref(L, api->registry);
	note(registry_key(main, ref), function, &place, name, true);
	return ref;
}

const struct named *lua_name_pushed(const void *main, int ref)
{
	return table_find(&named, registry_key(main, ref));
}

static bool known_name(const struct named *known, const void *function,
		       const struct lua_place *place, char *name)
{
	bool found = false;

	if (!known)
		return false;
	coroprof_lock();
	if (is_of(known, function, place)) {
		memcpy(name, known->name, NAME_MAX);
		found = true;
	}
	coroprof_unlock();
	return found;
}

static bool registered_name(const struct lua_api *api, lua_State *L, const struct named *pushed,
			    const struct lua_place *place, char *name)
{
	const void *function = api->topointer(L, -1);

	return known_name(pushed, function, place, name) ||
	       known_name(table_find(&named, (uintptr_t)function), function, place, name);
}

/* On the stack: a function at @function, a table on top. */
static bool field_name(const struct lua_api *api, lua_State *L, int function,
		       const char *module, char *name)
{
	bool found = false;

	api->pushnil(L);
	while (!found && api->next(L, -2)) {
		if (api->type(L, -2) == LUA_TSTRING && api->rawequal(L, -1, function)) {
			snprintf(name, NAME_MAX, "%s%s%s", module, *module ? "." : "",
				 api->tolstring(L, -2, NULL));
			found = true;
		}
		api->settop(L, -2);
	}
	if (found)
		api->settop(L, -2);
	return found;
}

/* Likewise, the table being package.loaded. */
static bool module_name(const struct lua_api *api, lua_State *L, int function, char *name)
{
	bool found;

	api->getfield(L, -1, "_G");
	found = api->type(L, -1) == LUA_TTABLE && field_name(api, L, function, "", name);
	api->settop(L, -2);

	api->pushnil(L);
	while (!found && api->next(L, -2)) {
		if (api->type(L, -2) == LUA_TSTRING && api->type(L, -1) == LUA_TTABLE)
			found = field_name(api, L, function, api->tolstring(L, -2, NULL), name);
		api->settop(L, -2);
	}
	return found;
}

static struct sought *sought_at(const struct lua_place *place)
{
	uintptr_t hash = (uintptr_t)place->line;

	for (const char *c = place->file; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3ULL;
	return table_get(&sought, hash);
}

static bool global_name(const struct lua_api *api, lua_State *L,
			const struct lua_place *place, char *name)
{
	struct sought *before = sought_at(place);
	int function = api->gettop(L);
	bool found = false;

	if (!before || before->vain >= VAIN_MAX || !api->checkstack(L, 8))
		return false;
	api->getfield(L, api->registry, "_LOADED");
	if (api->type(L, -1) == LUA_TTABLE)
		found = module_name(api, L, function, name);
	api->settop(L, function);
	if (!found)
		before->vain++;
	return found;
}

/* The label of the function on top. */
static uint32_t label_of(const struct lua_api *api, lua_State *L, const struct named *pushed)
{
	union lua_debug debug;
	struct lua_place place = place_of(api, L, &debug);
	char name[NAME_MAX], text[NAME_MAX + 100];

	if (!registered_name(api, L, pushed, &place, name) &&
	    !global_name(api, L, &place, name))
		name[0] = '\0';

	if (!strcmp(place.what, "C")) {
		if (!*name)
			return coroprof_label_code(api->tocfunction(L, -1));
		return coroprof_label(name);
	}
	if (*name)
		snprintf(text, sizeof(text), "%s@%s:%d", name, place.file, place.line);
	else if (!strcmp(place.what, "main"))
		snprintf(text, sizeof(text), "main chunk <%s>", place.file);
	else
		snprintf(text, sizeof(text), "function <%s:%d>", place.file, place.line);
	return coroprof_label(text);
}

/* Push the function that a suspended coroutine began with: its outermost. */
static bool push_outermost(const struct lua_api *api, lua_State *L)
{
	union lua_debug debug;
	int below = 0, level = 1;

	while (api->getstack(L, level, &debug)) {
		below = level;
		level *= 2;
	}
	while (level - below > 1) {
		int middle = below + (level - below) / 2;

		if (api->getstack(L, middle, &debug))
			below = middle;
		else
			level = middle;
	}
	if (!api->getstack(L, below, &debug))
		return false;
	return api->getinfo(L, "f", &debug);
}

uint32_t lua_label(const struct lua_api *api, lua_State *L, int narg, const struct named *pushed)
{
	uint32_t label = 0;
	int top;

	if (!api->checkstack(L, 4))
		return 0;
	top = api->gettop(L);
	if (api->status(L) == LUA_YIELD) {
		if (!push_outermost(api, L))
			return 0;
	} else {
		if (narg < 0 || top < narg + 1)
			return 0;
		api->pushvalue(L, -(narg + 1));
	}
	if (api->type(L, -1) == LUA_TFUNCTION)
		label = label_of(api, L, pushed);
	api->settop(L, top);
	return label;
}
