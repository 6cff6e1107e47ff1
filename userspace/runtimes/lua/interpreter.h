/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs whose Lua resumes coroutines without a call of lua_resume() that could be seen. */
#ifndef LUA_INTERPRETER_H
#define LUA_INTERPRETER_H

#include "api.h"

#pragma GCC visibility push(hidden)

/* If the program is an interpreter that has Lua in it, this is called again when that begins. */
void lua_interpreter_begin(void);

/*
 * From now on create(), resume(), wrap() and close() of the table coroutine are ours; in the
 * first library of a process that is given. @function is any of that library's.
 */
void lua_coroutines(lua_State *L, const void *function);
/* The same, if it is LuaJIT's. */
void lua_coroutines_of_luajit(lua_State *L, const void *function);

#pragma GCC visibility pop

#endif /* LUA_INTERPRETER_H */
