// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lua: a thread of Lua is a coroutine from lua_newthread() on, and again from
 * the first lua_resume() after it has returned. A resume switches to it, and
 * back to whoever resumed.
 */
#include "../../lib/internal.h"
#include "../preload/preload.h"
#include "../preload/table.h"
#include "name.h"

/**
 * struct state - what is known of a lua_State, by its address
 * @main:     the state that lua_close() would be given
 * @co:       its coroutine, 0: none
 * @labelled: that has its label
 * @pushed:   the registered function that was last pushed there
 */
struct state {
	struct table_node node;
	lua_State *main;
	coroprof_co co;
	bool labelled;
	const struct named *pushed;
};

static struct table_node *buckets[16384];
static struct table states = { buckets, 16384, sizeof(struct state) };

/* Programs that keep nothing in the registry are to feel nothing. */
static bool any_named;

static lua_State *main_of(lua_State *L)
{
	struct state *state = table_find(&states, (uintptr_t)L);

	return state && state->main ? state->main : L;
}

static void begin(struct state *state, lua_State *L)
{
	state->co = coroprof_new(0, coroprof_current(), (uintptr_t)L);
	state->labelled = false;
}

static void end(struct state *state)
{
	if (state->co)
		coroprof_done(state->co);
	state->co = 0;
}

EXPORT lua_State *lua_newthread(lua_State *L)
{
	const struct lua_api *api = lua_api_of(__builtin_return_address(0));
	struct state *state;
	lua_State *new;

	if (!api)
		return NULL;
	new = api->newthread(L);
	if (preload_off || !new)
		return new;
	state = table_get(&states, (uintptr_t)new);
	if (!state)
		return new;
	/* A state at this address that was collected before it returned. */
	end(state);
	state->main = main_of(L);
	state->pushed = NULL;
	begin(state, new);
	return new;
}

static struct state *state_resumed(const struct lua_api *api, lua_State *L, int narg)
{
	struct state *state = table_get(&states, (uintptr_t)L);

	if (!state)
		return NULL;
	if (!state->co)
		begin(state, L);
	if (unlikely(!state->labelled) && active()) {
		coroprof_set_label(state->co, lua_label(api, L, narg, state->pushed));
		state->labelled = true;
	}
	return state;
}

EXPORT int lua_resume(lua_State *L, uintptr_t a, uintptr_t b, uintptr_t c)
{
	const struct lua_api *api = lua_api_of(__builtin_return_address(0));
	coroprof_co before = coroprof_current();
	struct state *state;
	int ret;

	if (!api)
		return 2;	/* an error while running, in all versions */
	if (preload_off)
		return api->resume(L, a, b, c);
	state = state_resumed(api, L, (int)(api->version == 501 ? a : b));
	if (!state)
		return api->resume(L, a, b, c);

	coroprof_switch(state->co);
	ret = api->resume(L, a, b, c);
	if (ret == LUA_YIELD) {
		coroprof_switch(before);
	} else {
		coroprof_switch_done(before);
		state->co = 0;
	}
	return ret;
}

static void end_of_main(void *node, void *main)
{
	struct state *state = node;

	if (state->main != main)
		return;
	state->main = NULL;
	end(state);
}

EXPORT void lua_close(lua_State *L)
{
	const struct lua_api *api = lua_api_of(__builtin_return_address(0));

	if (!api)
		return;
	if (!preload_off)
		table_each(&states, end_of_main, L);
	api->close(L);
}

static void end_of(lua_State *L)
{
	struct state *state = table_find(&states, (uintptr_t)L);

	if (state && !preload_off && state->co != coroprof_current())
		end(state);
}

EXPORT int lua_closethread(lua_State *L, lua_State *from)
{
	const struct lua_api *api = lua_api_of(__builtin_return_address(0));
	int ret;

	if (!api || !api->closethread)
		return 2;
	ret = api->closethread(L, from);
	end_of(L);
	return ret;
}

EXPORT int lua_resetthread(lua_State *L)
{
	const struct lua_api *api = lua_api_of(__builtin_return_address(0));
	int ret;

	if (!api || !api->resetthread)
		return 2;
	ret = api->resetthread(L);
	end_of(L);
	return ret;
}

/* Programs keep the functions they are given to call later by this. */
EXPORT int luaL_ref(lua_State *L, int table)
{
	const struct lua_api *api = lua_api_of(__builtin_return_address(0));

	if (!api || !api->ref)
		return -2;	/* LUA_NOREF */
	if (preload_off || table != api->registry)
		return api->ref(L, table);
	any_named = true;
	return lua_name_note(api, L, main_of(L));
}

/* And push them by this, onto the stack of the coroutine that is to run them. */
EXPORT uintptr_t lua_rawgeti(lua_State *L, uintptr_t table, uintptr_t n)
{
	const struct lua_api *api = lua_api_of(__builtin_return_address(0));
	const struct named *pushed;
	struct state *state;

	if (!api)
		return 0;
	if (any_named && (int)table == api->registry) {
		state = table_find(&states, (uintptr_t)L);
		pushed = state ? lua_name_pushed(state->main, (int)n) : NULL;
		if (pushed)
			state->pushed = pushed;
	}
	return api->rawgeti(L, table, n);
}
