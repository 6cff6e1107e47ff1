// SPDX-License-Identifier: GPL-2.0
/* A plugin with a Lua of its own, 5.4. */
#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "versions.h"

int versions_plugin(int *version)
{
	lua_State *L = luaL_newstate();
	lua_State *co = lua_newthread(L);
	int results = -1;

	luaL_openlibs(L);
	luaL_loadstring(co, "coroutine.yield(1, 2)");
	if (lua_resume(co, L, 0, &results) != LUA_YIELD)
		results = -1;
	*version = (int)lua_version(L);
	lua_close(L);
	return results;
}
