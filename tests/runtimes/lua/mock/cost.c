// SPDX-License-Identifier: GPL-2.0
/*
 * cost KIND COUNT: does a thing with Lua's coroutines so often, and no more. The
 * script `cost` beside this counts its instructions, with the preload library
 * and without.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

static int yields(lua_State *L)
{
	return lua_yield(L, 0);
}

static int returns(lua_State *L)
{
	(void)L;
	return 0;
}

/* One coroutine, resumed over and over: its body is a yield, again and again. */
static void resume(lua_State *L, long count)
{
	lua_State *co = lua_newthread(L);

	luaL_loadstring(co, "local yield = ... while true do yield() end");
	lua_pushcfunction(co, yields);
	lua_resume(co, L, 1);
	for (long i = 0; i < count; i++)
		lua_resume(co, L, 0);
}

/* Most get the address of one that was collected, as in any program that goes on. */
static void newthread(lua_State *L, long count)
{
	for (long i = 0; i < count; i++) {
		lua_newthread(L);
		lua_settop(L, 0);
	}
}

static void life(lua_State *L, long count)
{
	lua_State *co;

	for (long i = 0; i < count; i++) {
		co = lua_newthread(L);
		lua_pushcfunction(co, returns);
		lua_resume(co, L, 0);
		lua_settop(L, 0);
	}
}

int main(int argc, char **argv)
{
	lua_State *L = luaL_newstate();
	long count = argc == 3 ? atol(argv[2]) : 0;

	if (count && !strcmp(argv[1], "resume"))
		resume(L, count);
	else if (count && !strcmp(argv[1], "newthread"))
		newthread(L, count);
	else if (count && !strcmp(argv[1], "life"))
		life(L, count);
	else
		return fprintf(stderr, "usage: cost resume|newthread|life COUNT\n"), 2;
	lua_close(L);
	return 0;
}
