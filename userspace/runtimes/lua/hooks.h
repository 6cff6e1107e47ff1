/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the hooks of Lua's functions do, for those whose Lua does not call the hooks. */
#ifndef LUA_HOOKS_H
#define LUA_HOOKS_H

#include "site.h"

#pragma GCC visibility push(hidden)

/* @new was made in @L. */
void lua_made(lua_State *L, lua_State *new);
/* As the hook, of lua_resume() of @site. */
uintptr_t lua_resume_by(const struct lua_site *site, LUA_PARAMETERS);
/* It was closed. */
void lua_ended(lua_State *L);

#pragma GCC visibility pop

#endif /* LUA_HOOKS_H */
