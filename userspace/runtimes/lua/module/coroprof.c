// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * require "coroprof": spans for programs in Lua. What is used of Lua has been
 * the same since 5.1, LuaJIT included, so that one build serves all; whose it
 * is, is settled when a program loads the module.
 *
 * The library is the one that the process has: the preload library's, or the
 * program's own. A copy of our own would know nothing of the coroutines. Where
 * there is none, nothing is recorded either, and spans come to nothing.
 */
#include <stddef.h>
#include <stdint.h>

#include <coroprof/coroprof.h>

typedef struct lua_State lua_State;

const char *luaL_checklstring(lua_State *L, int argument, size_t *len);
void lua_createtable(lua_State *L, int items, int fields);
void lua_pushcclosure(lua_State *L, int (*function)(lua_State *L), int values);
void lua_setfield(lua_State *L, int table, const char *name);

#pragma weak coroprof_label
#pragma weak coroprof_span_begin
#pragma weak coroprof_span_end
#pragma weak coroprof_dump

/* span_begin(label) */
static int begin(lua_State *L)
{
	const char *label = luaL_checklstring(L, 1, NULL);

	if (coroprof_span_begin)
		coroprof_span_begin(coroprof_label(label));
	return 0;
}

/* span_end() */
static int end(lua_State *L)
{
	(void)L;
	if (coroprof_span_end)
		coroprof_span_end();
	return 0;
}

/* dump(why) */
static int dump(lua_State *L)
{
	const char *why = luaL_checklstring(L, 1, NULL);

	if (coroprof_dump)
		coroprof_dump(why);
	return 0;
}

__attribute__((visibility("default"))) int luaopen_coroprof(lua_State *L);

int luaopen_coroprof(lua_State *L)
{
	lua_createtable(L, 0, 3);
	lua_pushcclosure(L, begin, 0);
	lua_setfield(L, -2, "span_begin");
	lua_pushcclosure(L, end, 0);
	lua_setfield(L, -2, "span_end");
	lua_pushcclosure(L, dump, 0);
	lua_setfield(L, -2, "dump");
	return 1;
}
