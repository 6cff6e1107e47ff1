// SPDX-License-Identifier: GPL-2.0
/* lua-module MODULE-PATTERN: spans of Lua programs, as the kernel sees them. Built once for each version of Lua. */
#include "watch.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#if LUA_VERSION_NUM == 501
#define resume(co, from) lua_resume(co, 0)
#elif LUA_VERSION_NUM < 504
#define resume(co, from) lua_resume(co, from, 0)
#else
#define resume(co, from) lua_resume(co, from, 0, &(int){ 0 })
#endif

static const char script[] =
	"local coroprof = require 'coroprof'\n"
	"function handler()\n"
	"  coroprof.span_begin('request')\n"
	"  coroprof.span_begin('parse')\n"
	"  coroprof.span_end()\n"
	"  coroutine.yield()\n"
	"  coroprof.span_end()\n"
	"end\n"
	"function other() coroprof.span_begin('other') coroutine.yield() coroprof.span_end() end\n"
	"nameless = not pcall(coroprof.span_begin)\n";

static const struct mock_event *next_span(void)
{
	static uint32_t looked_at;
	uint32_t n = ((uint32_t (*)(void))mock_symbol("mock_events"))();
	const struct mock_event *event;

	while (looked_at < n) {
		event = ((const struct mock_event *(*)(uint32_t))
			 mock_symbol("mock_event"))(looked_at++);
		if (event->command == MOCK_SPAN)
			return event;
	}
	return NULL;
}

static void spanned(const char *label, uint32_t depth, const char *what)
{
	const struct mock_event *event = next_span();

	ok(event && !event->error && !strcmp(event->label, label) && event->span.depth == depth,
	   "%s", what);
	if (event)
		printf("# %s, depth %u, error %d\n", event->label, event->span.depth, event->error);
}

static void run(lua_State *L, const char *code)
{
	if (luaL_loadstring(L, code) || lua_pcall(L, 0, 0, 0)) {
		printf("Bail out! %s\n", lua_tostring(L, -1));
		exit(1);
	}
}

static lua_State *spawn(lua_State *L, const char *function)
{
	lua_State *co = lua_newthread(L);

	lua_getglobal(co, function);
	return co;
}

static void recorded(lua_State *L)
{
	lua_State *a = spawn(L, "handler"), *b = spawn(L, "other");

	record(true);
	resume(a, L);
	resume(b, L);
	resume(a, L);
	resume(b, L);
	spanned("parse", 1, "a span within a span");
	spanned("request", 0, "a span goes with its coroutine over a yield");
	spanned("other", 0, "one of another coroutine, begun meanwhile, is its own");
	ok(!next_span(), "there are no more");
	record(false);
	resume(spawn(L, "handler"), L);
	ok(!next_span(), "none without a recording");
}

int main(int argc, char **argv)
{
	lua_State *L = luaL_newstate();

	luaL_openlibs(L);
	lua_getglobal(L, "package");
	lua_pushstring(L, argc > 1 ? argv[1] : "");
	lua_setfield(L, -2, "cpath");
	run(L, script);
	lua_getglobal(L, "nameless");
	ok(lua_toboolean(L, -1), "a span without a label is an error");
	if (getenv("LD_PRELOAD"))
		recorded(L);
	else
		ok(resume(spawn(L, "handler"), L) == LUA_YIELD, "without the library spans come to nothing");
	lua_close(L);
	return tap_done();
}
