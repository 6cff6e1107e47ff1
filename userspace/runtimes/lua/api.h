/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Lua libraries of a process. Nothing of Lua is needed to build this: what
 * is used of a library is looked up in it, and what differs between 5.1, 5.2,
 * 5.3, 5.4 and LuaJIT is known here.
 */
#ifndef LUA_API_H
#define LUA_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct lua_State lua_State;

/* The same in all of them. */
#define LUA_YIELD 1
#define LUA_TSTRING 4
#define LUA_TTABLE 5
#define LUA_TFUNCTION 6

/**
 * struct lua_api - one Lua library: what is asked of it to name coroutines
 * @version:       501 to 504
 * @registry:      index of the registry
 * @resets_second: lua_resetthread() ends its second argument, not the first
 * @named:         all the functions below are there, but for those that not
 *                 every version has; and it is no later one, which may number
 *                 what they are given in other ways
 */
struct lua_api {
	int version;
	int registry;
	bool resets_second;
	bool named;

	int (*status)(lua_State *L);
	int (*checkstack)(lua_State *L, int room);
	int (*gettop)(lua_State *L);
	void (*settop)(lua_State *L, int index);
	int (*type)(lua_State *L, int index);
	void (*pushvalue)(lua_State *L, int index);
	void (*pushnil)(lua_State *L);
	int (*next)(lua_State *L, int index);
	int (*rawequal)(lua_State *L, int a, int b);
	/* Returns nothing, or a type, by version: never looked at. */
	int (*getfield)(lua_State *L, int index, const char *key);
	int (*getmetatable)(lua_State *L, int index);
	/* In 5.1 and LuaJIT. */
	void (*getfenv)(lua_State *L, int index);
	const char *(*getupvalue)(lua_State *L, int function, int n);
	const char *(*tolstring)(lua_State *L, int index, size_t *len);
	const void *(*topointer)(lua_State *L, int index);
	const void *(*tocfunction)(lua_State *L, int index);
	int (*getstack)(lua_State *L, int level, void *debug);
	int (*getinfo)(lua_State *L, const char *what, void *debug);
};

/* What lua_getinfo() fills, large enough for every version. */
union lua_debug {
	char bytes[512];
	void *alignment;
};

/* What "S" gives of a function. */
struct lua_place {
	const char *what;	/* "Lua", "main" or "C" */
	const char *file;	/* as Lua shortens it for messages */
	int line;
};

/* The library that a function is in. */
const struct lua_api *lua_api_of(const void *function);
/*
 * Whether lua_resume() enters @L, with what is on top for arguments; else it returns an error at
 * once.
 */
bool lua_resumable(const struct lua_api *api, lua_State *L, int narg);
/* Where the function on top is from: valid as long as @debug. */
struct lua_place lua_place_of(const struct lua_api *api, lua_State *L, union lua_debug *debug);

#endif /* LUA_API_H */
