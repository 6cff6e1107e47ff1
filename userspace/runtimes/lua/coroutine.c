// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * create(), resume(), wrap() and close() of the table coroutine, for a Lua that does not call
 * lua_resume() where it could be seen. What can't be resumed, and whatever else is an error
 * before anything runs, is left to the function that stood there: of Lua, it is called as
 * a part of ours, which nothing in it can say; LuaJIT's are no functions of C.
 */
#include <string.h>

#include "../preload/scope.h"
#include "../runtime.h"
#include "hooks.h"
#include "interpreter.h"

#define LUA_ERRMEM 4
#define GLOBALS_501 (-10002)

typedef int lua_cfunction(lua_State *L);

/**
 * own - the library whose functions were replaced
 * @site: its lua_resume()
 *
 * Of the functions one may be NULL that its version does not have.
 */
static struct {
	struct lua_site site;
	const struct lua_api *api;
	lua_State *(*tothread)(lua_State *L, int index);
	void (*xmove)(lua_State *from, lua_State *to, int count);
	void (*pushboolean)(lua_State *L, int value);
	const char *(*pushstring)(lua_State *L, const char *text);
	void (*pushcclosure)(lua_State *L, lua_cfunction *function, int values);
	void (*setfield)(lua_State *L, int index, const char *key);
	void (*concat)(lua_State *L, int count);
	int (*error)(lua_State *L);
	void (*where)(lua_State *L, int level);
	int (*isstring)(lua_State *L, int index);
	/* In 5.1: how deep in calls of C the other is. */
	void (*setlevel)(lua_State *L, lua_State *co);
	/* By version, one or the other. */
	void (*insert)(lua_State *L, int index);
	void (*rotate)(lua_State *L, int index, int count);
	int (*getglobal)(lua_State *L, const char *name);
	int (*resetthread)(lua_State *L);
	int (*closethread)(lua_State *L, lua_State *from);
	/* Since 5.4.3. */
	void (*closeslot)(lua_State *L, int index);
	/* Of LuaJIT alone. */
	void (*call)(lua_State *L, int args, int results);
} own;

static const struct {
	const char *name;
	size_t offset;
	bool everywhere;
} functions[] = {
#define FUNCTION(member, name, everywhere) \
	{ name, (uintptr_t)&((typeof(own) *)0)->member, everywhere }
	FUNCTION(tothread, "lua_tothread", true), FUNCTION(xmove, "lua_xmove", true),
	FUNCTION(pushboolean, "lua_pushboolean", true),
	FUNCTION(pushstring, "lua_pushstring", true),
	FUNCTION(pushcclosure, "lua_pushcclosure", true),
	FUNCTION(setfield, "lua_setfield", true), FUNCTION(concat, "lua_concat", true),
	FUNCTION(error, "lua_error", true), FUNCTION(where, "luaL_where", true),
	FUNCTION(isstring, "lua_isstring", true), FUNCTION(setlevel, "lua_setlevel", false),
	FUNCTION(insert, "lua_insert", false),
	FUNCTION(rotate, "lua_rotate", false), FUNCTION(getglobal, "lua_getglobal", false),
	FUNCTION(resetthread, "lua_resetthread", false),
	FUNCTION(closethread, "lua_closethread", false),
	FUNCTION(closeslot, "lua_closeslot", false),
#undef FUNCTION
};

static int upvalue(int n)
{
	return (own.api->version == 501 ? GLOBALS_501 : own.api->registry) - n;
}

static void insert(lua_State *L, int index)
{
	if (own.rotate)
		own.rotate(L, index, 1);
	else
		own.insert(L, index);
}

/* What this stands for, which is an upvalue, with all arguments. */
static int original(lua_State *L, int n)
{
	int count = own.api->gettop(L);

	if (!own.call)
		return ((lua_cfunction *)own.api->tocfunction(L, upvalue(n)))(L);
	own.api->checkstack(L, 1);
	own.api->pushvalue(L, upvalue(n));
	insert(L, 1);
	own.call(L, count, -1);
	return own.api->gettop(L);
}

/* There is room for what it is given, too, which @co does not have yet. */
static bool can_resume(lua_State *L, lua_State *co, int count)
{
	return co && co != L && own.api->checkstack(co, count) && lua_resumable(own.api, co, 0);
}

/* Resume it with what is on top. Returns its status, and how many results it has for us. */
static int run(lua_State *L, lua_State *co, int count, int *results)
{
	int status;

	own.xmove(L, co, count);
	if (own.setlevel)
		own.setlevel(L, co);
	if (own.api->version == 501)
		status = (int)lua_resume_by(&own.site, co, (uintptr_t)count, 0, 0, 0, 0);
	else
		status = (int)lua_resume_by(&own.site, co, (uintptr_t)L, (uintptr_t)count,
					    (uintptr_t)results, 0, 0);
	if (own.api->version < 504)
		*results = own.api->gettop(co);
	return status;
}

static bool take(lua_State *L, lua_State *co, int count)
{
	if (own.api->checkstack(L, count + 1)) {
		own.xmove(co, L, count);
		return true;
	}
	own.api->settop(co, -count - 1);
	return false;
}

static const char too_many[] = "too many results to resume";

static int resume(lua_State *L)
{
	lua_State *co = own.tothread(L, 1);
	int count = own.api->gettop(L) - 1, results, status;

	if (!can_resume(L, co, count))
		return original(L, 1);
	status = run(L, co, count, &results);
	if (status && status != LUA_YIELD) {
		own.pushboolean(L, 0);
		own.xmove(co, L, 1);
		return 2;
	}
	if (!take(L, co, results)) {
		own.pushboolean(L, 0);
		own.pushstring(L, too_many);
		return 2;
	}
	own.pushboolean(L, 1);
	insert(L, -(results + 1));
	return results + 1;
}

/*
 * The error is on top of @co. Variables that are to be closed are, since 5.4: up to 5.4.2 the
 * error is lost then, later what fails there stands in its place.
 */
static void take_error(lua_State *L, lua_State *co)
{
	if (!own.closeslot)
		own.xmove(co, L, 1);
	if (own.closethread)
		own.closethread(co, L);
	else if (own.resetthread && own.api->version == 504)
		own.resetthread(co);
	if (own.closeslot)
		own.xmove(co, L, 1);
}

/* In 5.1 and 5.2 numbers count as text. */
static bool is_text(lua_State *L)
{
	return own.api->version < 503 && !own.call ? own.isstring(L, -1) :
						     own.api->type(L, -1) == LUA_TSTRING;
}

/* Errors go on, and say where the function was called. */
static int raise(lua_State *L, int status)
{
	if (is_text(L) && status != LUA_ERRMEM) {
		own.where(L, 1);
		insert(L, -2);
		own.concat(L, 2);
	}
	return own.error(L);
}

/* What wrap() returns: its coroutine, and what it would have returned without us. */
static int wrapped(lua_State *L)
{
	lua_State *co = own.tothread(L, upvalue(1));
	int count = own.api->gettop(L), results, status;

	if (!can_resume(L, co, count))
		return original(L, 2);
	status = run(L, co, count, &results);
	if (status && status != LUA_YIELD) {
		take_error(L, co);
		return raise(L, status);
	}
	if (take(L, co, results))
		return results;
	own.pushstring(L, too_many);
	return raise(L, 0);
}

static int create(lua_State *L)
{
	int results = original(L, 1);
	lua_State *co = own.tothread(L, -1);

	if (co)
		lua_made(L, co);
	return results;
}

/* The original keeps its coroutine in the same place. */
static int wrap(lua_State *L)
{
	int results = original(L, 1);
	lua_State *co;

	if (!own.api->checkstack(L, 2) || !own.api->getupvalue(L, -1, 1))
		return results;
	co = own.tothread(L, -1);
	if (!co) {
		own.api->settop(L, -2);
		return results;
	}
	lua_made(L, co);
	insert(L, -2);
	own.pushcclosure(L, wrapped, 2);
	return 1;
}

static int close_one(lua_State *L)
{
	lua_State *co = own.tothread(L, 1);
	coroprof_co before;
	int results;

	if (!co)
		return original(L, 1);
	/* One that waits can be closed: there is no error that would leave it by a jump. */
	before = lua_closes(co, own.api);
	results = original(L, 1);
	lua_closed(co, before);
	return results;
}

/* Each of the library that has @of: others may have more. */
static bool fill(const void *of)
{
	void *function;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = scope_sibling(of, functions[i].name);
		memcpy((void *)((uintptr_t)&own + functions[i].offset), &function,
		       sizeof(function));
		if (!function && functions[i].everywhere)
			return false;
	}
	if (scope_sibling(of, "luaJIT_setmode"))
		own.call = (void (*)(lua_State *, int, int))scope_sibling(of, "lua_call");
	return (own.rotate || own.insert) && (own.getglobal || own.api->version == 501);
}

/* Of one library: what is found stays. */
static bool find(const void *function)
{
	void *lua_resume = scope_sibling(function, "lua_resume");

	if (!lua_resume)
		return false;
	own.api = lua_api_of(function);
	own.site.api = own.api;
	own.site.original = (lua_function *)lua_resume;
	return own.api->named && fill(function);
}

/* What the table on top has by that name is an upvalue of what it has then. */
static void replace(lua_State *L, const char *name, lua_cfunction *by)
{
	const void *old;

	own.api->getfield(L, -1, name);
	old = own.api->tocfunction(L, -1);
	if (own.api->type(L, -1) == LUA_TFUNCTION && old != (const void *)by && (old || own.call)) {
		own.pushcclosure(L, by, 1);
		own.setfield(L, -2, name);
	} else {
		own.api->settop(L, -2);
	}
}

void lua_coroutines(lua_State *L, const void *function)
{
	static const void *first;

	if (!first)
		first = find(function) ? function : (const void *)find;
	if (first != function || !own.api->checkstack(L, 4))
		return;
	if (own.api->version == 501)
		own.api->getfield(L, GLOBALS_501, "coroutine");
	else
		own.getglobal(L, "coroutine");
	if (own.api->type(L, -1) == LUA_TTABLE) {
		replace(L, "create", create);
		replace(L, "resume", resume);
		replace(L, "wrap", wrap);
		replace(L, "close", close_one);
	}
	own.api->settop(L, -2);
}

void lua_coroutines_of_luajit(lua_State *L, const void *function)
{
	if (scope_sibling(function, "luaJIT_setmode"))
		lua_coroutines(L, function);
}
