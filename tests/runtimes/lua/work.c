// SPDX-License-Identifier: GPL-2.0
/*
 * A program with Lua whose work is known, that a library would be charged with
 * if what it does itself went to the program: COUNT coroutines of one function
 * in a module, among MODULES modules of FIELDS other fields, each resumed once.
 * The thread and the coroutines run loops of so many instructions.
 */
#include <stdio.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "../../harness/rounds.h"

#define COUNT 100
#define MODULES 20
#define FIELDS 50
#define THREAD_LOOP 20000
#define COROUTINE_LOOP 1000

static int body(lua_State *L)
{
	(void)L;
	rounds(COROUTINE_LOOP);
	return 0;
}

static const char modules[] =
	"local body, modules, fields = ...\n"
	"for m = 1, modules do\n"
	"  local module = {}\n"
	"  for f = 1, fields do module['field' .. f] = function() return f end end\n"
	"  package.loaded['module' .. m] = module\n"
	"end\n"
	"function package.loaded.module7.work() body() end\n"
	"return package.loaded.module7.work\n";

int main(void)
{
	lua_State *L = luaL_newstate(), *co;
	int results;

	luaL_openlibs(L);
	if (luaL_loadbuffer(L, modules, sizeof(modules) - 1, "@modules.lua"))
		return 1;
	lua_pushcfunction(L, body);
	lua_pushinteger(L, MODULES);
	lua_pushinteger(L, FIELDS);
	lua_call(L, 3, 1);
	lua_gc(L, LUA_GCSTOP, 0);
	for (int i = 0; i < COUNT; i++) {
		co = lua_newthread(L);
		lua_pushvalue(L, -2);
		lua_xmove(L, co, 1);
		rounds(THREAD_LOOP);
		if (lua_resume(co, L, 0, &results) != LUA_OK)
			return 1;
		lua_settop(L, 1);
	}
	return 0;
}
