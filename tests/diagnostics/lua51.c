// SPDX-License-Identifier: GPL-2.0
/* Runs coroutines of a Lua 5.1 that is linked into it, and that asks for no LUA_INIT. */
#include <lauxlib.h>
#include <lualib.h>
#include <unistd.h>

int main(void)
{
	lua_State *state = luaL_newstate();
	int failed;

	luaL_openlibs(state);
	failed = luaL_dostring(state, "for i = 1, 100 do coroutine.wrap(function() end)() end");
	lua_close(state);
	usleep(300000);
	return failed;
}
