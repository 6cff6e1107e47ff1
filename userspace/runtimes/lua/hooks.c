// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Lua: a thread of Lua is a coroutine from lua_newthread() on, and again from
 * the first lua_resume() that enters it after it has returned. A resume switches to it, and
 * back to whoever resumed; so does what closes it. Each hook passes the call on, whatever it is
 * given.
 */
#include "../runtime.h"
#include "../preload/charge.h"
#include "../preload/table.h"
#include "hooks.h"
#include "interpreter.h"
#include "name.h"
#include "registered.h"

struct runtime lua_runtime = { .begin = lua_interpreter_begin };

/**
 * struct state - what is known of a lua_State, by its address
 * @main:     the state that lua_close() would be given
 * @maker:    number of the coroutine that made it, 0 for a thread, plus one; 0
 *            once that is its parent, and where nobody was seen to make it
 * @co:       its coroutine, 0: none. Made when it first runs: as many programs
 *            are not recorded as are, and then nobody asks for one that never does
 * @labelled: that has its label
 * @runs:     it is in lua_resume(), maybe behind another that it has resumed itself
 * @pushed:   the registered function that was last pushed there
 */
struct state {
	struct table_node node;
	lua_State *main;
	uint64_t maker;
	coroprof_co co;
	bool labelled;
	bool runs;
	const struct lua_registered *pushed;
};

static struct table_node *buckets[16384];
static const struct table states = { buckets, 16384, sizeof(struct state) };

/* Programs that keep nothing in the registry are to feel nothing. */
static bool any_named;

#define SITE(hook) lua_site(hook, __builtin_return_address(0))

static inline struct state *state_find(lua_State *L)
{
	return table_find(&states, (uintptr_t)L);
}

static inline struct state *state_get(lua_State *L)
{
	struct state *state = state_find(L);

	return likely(state != NULL) ? state : table_get(&states, (uintptr_t)L);
}

static inline lua_State *main_of(lua_State *L)
{
	struct state *state = state_find(L);

	return state && state->main ? state->main : L;
}

static struct adapter adapter = {
	.name = "Lua",
	.sees = COROPROF_SEES_BIRTHS | COROPROF_SEES_NAMES | COROPROF_SEES_ENDS,
};

static __attribute__((noinline)) void begin(struct state *state, lua_State *L)
{
	uint64_t parent = state->maker ? state->maker - 1 : runtime_current_id();

	state->co = runtime_new(&adapter, 0, COROPROF_THREAD, (uintptr_t)L);
	runtime_set_parent(state->co, parent);
	state->maker = 0;
	state->labelled = false;
}

static void end(struct state *state)
{
	if (state->co)
		coroprof_done(state->co);
	state->co = 0;
}

static __attribute__((noinline)) void switch_reported(struct state *state, lua_State *L,
						      const struct lua_api *api, int narg)
{
	if (unlikely(!state->labelled)) {
		charge();
		coroprof_set_label(state->co, lua_label(api, L, narg, state->pushed));
		state->labelled = true;
	}
	coroprof_switch(state->co);
}

void lua_made(lua_State *L, lua_State *new)
{
	struct state *state = lua_runtime.off ? NULL : state_get(new);

	if (!state)
		return;
	/* A state at this address that was collected before it returned. */
	if (state->co)
		end(state);
	state->main = main_of(L);
	state->maker = runtime_current_id() + 1;
	state->pushed = NULL;
}

EXPORT uintptr_t lua_newthread(LUA_PARAMETERS)
{
	lua_State *new = (lua_State *)SITE(LUA_NEWTHREAD)->original(LUA_ARGUMENTS);

	if (new)
		lua_made(L, new);
	return (uintptr_t)new;
}

static inline int narg_of(const struct lua_site *site, uintptr_t a, uintptr_t b)
{
	return (int)(site->api->version == 501 ? a : b);
}

/*
 * Programs resume what has ended, or runs, and learn that by an error: no coroutine begins or
 * ends. Who calls may know that it is neither.
 */
static inline __attribute__((always_inline)) uintptr_t resume(const struct lua_site *site,
							      bool may_fail, LUA_PARAMETERS)
{
	coroprof_co before = runtime_current;
	struct state *state;
	uintptr_t ret;

	state = unlikely(lua_runtime.off) ? NULL : state_get(L);
	if (unlikely(!state))
		return site->original(LUA_ARGUMENTS);

	if (may_fail && unlikely(!state->co || state->runs) &&
	    !lua_resumable(site->api, L, narg_of(site, a, b)))
		return site->original(LUA_ARGUMENTS);
	if (unlikely(!state->co))
		begin(state, L);
	if (likely(!runtime_recorded()))
		runtime_current = state->co;
	else
		switch_reported(state, L, site->api, narg_of(site, a, b));
	state->runs = true;
	ret = site->original(LUA_ARGUMENTS);
	state->runs = false;
	if (likely((int)ret == LUA_YIELD)) {
		runtime_switch(before);
	} else {
		coroprof_switch_done(before);
		state->co = 0;
	}
	return ret;
}

EXPORT uintptr_t lua_resume(LUA_PARAMETERS)
{
	return resume(SITE(LUA_RESUME), true, LUA_ARGUMENTS);
}

uintptr_t lua_resume_by(const struct lua_site *site, LUA_PARAMETERS)
{
	return resume(site, false, LUA_ARGUMENTS);
}

static void end_of_main(void *node, void *main)
{
	struct state *state = node;

	if (state->main != main)
		return;
	state->main = NULL;
	end(state);
}

EXPORT uintptr_t lua_close(LUA_PARAMETERS)
{
	const struct lua_site *site = SITE(LUA_CLOSE);

	if (!lua_runtime.off)
		table_each(&states, end_of_main, main_of(L));
	return site->original(LUA_ARGUMENTS);
}

coroprof_co lua_closes(lua_State *L, const struct lua_api *api)
{
	struct state *state = lua_runtime.off ? NULL : state_find(L);
	coroprof_co before = runtime_current;

	/* Whoever runs, or has resumed another, can't be closed; one that has failed has ended. */
	if (!state || !state->co || state->co == coroprof_current())
		return before;
	if (api->version < 504 || !api->status || api->status(L) != LUA_YIELD)
		return before;
	if (likely(!runtime_recorded()))
		runtime_current = state->co;
	else
		switch_reported(state, L, api, 0);
	return before;
}

void lua_closed(lua_State *L, coroprof_co before)
{
	struct state *state = lua_runtime.off ? NULL : state_find(L);

	if (!state || state->co == before)
		return;
	if (state->co == coroprof_current()) {
		coroprof_switch_done(before);
		state->co = 0;
	} else {
		end(state);
	}
}

EXPORT uintptr_t lua_closethread(LUA_PARAMETERS)
{
	const struct lua_site *site = SITE(LUA_CLOSETHREAD);
	coroprof_co before = lua_closes(L, site->api);
	uintptr_t ret = site->original(LUA_ARGUMENTS);

	lua_closed(L, before);
	return ret;
}

EXPORT uintptr_t lua_resetthread(LUA_PARAMETERS)
{
	const struct lua_site *site = SITE(LUA_RESETTHREAD);
	lua_State *ends = site->api->resets_second ? (lua_State *)a : L;
	coroprof_co before = lua_closes(ends, site->api);
	uintptr_t ret = site->original(LUA_ARGUMENTS);

	lua_closed(ends, before);
	return ret;
}

/* Programs keep the functions they are given to call later by this. */
EXPORT uintptr_t luaL_ref(LUA_PARAMETERS)
{
	const struct lua_site *site = SITE(LUAL_REF);

	if (lua_runtime.off || (int)a != site->api->registry)
		return site->original(LUA_ARGUMENTS);
	any_named = true;
	return lua_register(site, main_of(L), LUA_ARGUMENTS);
}

/* And push them by this, onto the stack of the coroutine that is to run them. */
EXPORT uintptr_t lua_rawgeti(LUA_PARAMETERS)
{
	const struct lua_site *site = SITE(LUA_RAWGETI);
	const struct lua_registered *pushed;
	struct state *state;

	if (any_named && (int)a == site->api->registry) {
		state = state_find(L);
		pushed = state ? lua_registered_at(state->main, (int)b) : NULL;
		if (pushed)
			state->pushed = pushed;
	}
	return site->original(LUA_ARGUMENTS);
}

/* LuaJIT resumes by code of its own what its own functions are asked to. */
EXPORT uintptr_t luaL_openlibs(LUA_PARAMETERS)
{
	const struct lua_site *site = SITE(LUAL_OPENLIBS);
	uintptr_t ret = site->original(LUA_ARGUMENTS);

	if (!lua_runtime.off)
		lua_coroutines_of_luajit(L, (const void *)site->original);
	return ret;
}
