// SPDX-License-Identifier: GPL-2.0
/*
 * A library that has the functions which the preload library stands before, and
 * nothing else of Lua. Each notes what it was called with. Built twice: without
 * luaL_ref(), and with that alone.
 */
#include "strange.h"

#ifdef ONLY_REF
FUNCTION(luaL_ref)
#else
struct call call;

FUNCTION(lua_resume)
FUNCTION(lua_newthread)
FUNCTION(lua_close)
FUNCTION(lua_closethread)
FUNCTION(lua_resetthread)
FUNCTION(lua_rawgeti)
#endif
