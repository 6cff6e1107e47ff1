// SPDX-License-Identifier: GPL-2.0
/*
 * A library that has the functions which the preload library stands before, and
 * nothing else of Lua, Pth or PCL. Each notes what it was called with. Built twice: without
 * luaL_ref(), and with that alone. Built as newer than any known Lua, it has all
 * that names are found with, and counts how often it is asked.
 */
#include "strange.h"

#ifdef ONLY_REF
FUNCTION(luaL_ref)
#elif defined(NEWER)
struct call call;
word asked;

#define ASKED(name) DECLARE(name); DECLARE(name) \
	{ \
		asked++; \
		return a & b & c & d & e & f & 0; \
	}

FUNCTION(lua_resume)
ASKED(lua_status) ASKED(lua_checkstack) ASKED(lua_gettop) ASKED(lua_settop) ASKED(lua_type)
ASKED(lua_pushvalue) ASKED(lua_pushnil) ASKED(lua_next) ASKED(lua_rawequal) ASKED(lua_getfield)
ASKED(lua_getmetatable) ASKED(lua_getupvalue) ASKED(lua_tolstring) ASKED(lua_topointer)
ASKED(lua_tocfunction) ASKED(lua_getstack) ASKED(lua_getinfo) ASKED(lua_newuserdatauv)
ASKED(lua_numbertocstring)
#else
struct call call;

FUNCTION(lua_resume)
FUNCTION(lua_newthread)
FUNCTION(lua_close)
FUNCTION(lua_closethread)
FUNCTION(lua_resetthread)
FUNCTION(lua_rawgeti)
FUNCTION(pth_spawn)
FUNCTION(co_create)
#endif
