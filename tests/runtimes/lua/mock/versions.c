// SPDX-License-Identifier: GPL-2.0
/* A program with Lua 5.3 that loads a plugin with Lua 5.4: each keeps its own. */
#include "watch.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#include "versions.h"

int main(int argc, char **argv)
{
	void *plugin = dlopen(argc == 2 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
	lua_State *L = luaL_newstate(), *co = lua_newthread(L);
	int (*run)(int *version), version = 0;

	if (!plugin) {
		printf("Bail out! %s\n", dlerror());
		return 1;
	}
	run = (int (*)(int *))dlsym(plugin, "versions_plugin");
	record(true);
	watch_from_here();
	luaL_loadstring(co, "");
	is(lua_resume(co, L, 0), LUA_OK, "a coroutine of the program's");
	reported("*(thread *(coroprof) *main chunk <[string \"\"]> !(thread", "it is told of");
	is(run(&version), 2, "one of the plugin's yields what it should");
	is(version, 504, "by the version that the plugin was linked with");
	reported("(coroprof) *main chunk <[string \"coroutine.yield(1, 2)\"]> (thread",
		 "it is told of");
	return tap_done();
}
