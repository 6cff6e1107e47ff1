// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What to call a coroutine: by the function it runs. Functions have no names
 * in Lua. In this order: the name under which the program registered it, the
 * name of a global or of a module's field that holds it, that of the script it
 * belongs to, or none; and always where it was defined. Every function here
 * leaves the stack as it was.
 */
#include <stdio.h>
#include <string.h>

#include "../runtime.h"
#include "field.h"
#include "name.h"
#include "script.h"

static bool is_in_c(const struct lua_place *place)
{
	return !strcmp(place->what, "C");
}

/* Of the function on top. */
static bool name_of(const struct lua_api *api, lua_State *L, const struct lua_place *place,
		    const struct lua_registered *pushed, char name[LUA_NAME_MAX])
{
	struct lua_place_known *known;

	if (lua_registered_name(api, L, place, pushed, name))
		return true;
	known = lua_place_known(api, L, place);
	return known && (lua_field_name(api, L, known, name) ||
			 (!is_in_c(place) && lua_script_name(api, L, known, name)));
}

/* The same. */
static uint32_t label_of(const struct lua_api *api, lua_State *L,
			 const struct lua_registered *pushed)
{
	union lua_debug debug;
	struct lua_place place = lua_place_of(api, L, &debug);
	char name[LUA_NAME_MAX], text[LUA_NAME_MAX + 100];
	bool named = name_of(api, L, &place, pushed, name);

	if (is_in_c(&place))
		return named ? coroprof_label(name) :
			       coroprof_label_code(api->tocfunction(L, -1));
	if (named)
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

uint32_t lua_label(const struct lua_api *api, lua_State *L, int narg,
		   const struct lua_registered *pushed)
{
	uint32_t label = 0;
	int top;

	if (!api->named || !api->checkstack(L, 4))
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
