/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the hooks of Lua's functions do, for those whose Lua does not call the hooks. */
#ifndef LUA_HOOKS_H
#define LUA_HOOKS_H

#include <coroprof/coroprof.h>

#include "site.h"

#pragma GCC visibility push(hidden)

/* @new was made in @L. */
void lua_made(lua_State *L, lua_State *new);
/* As the hook, of lua_resume() of @site, of what lua_resumable() has said yes to. */
uintptr_t lua_resume_by(const struct lua_site *site, LUA_PARAMETERS);
/*
 * @L is about to be closed. What it has to close, since 5.4, runs in its state, and so in its
 * coroutine if that waits. Returns what ran until now, to go back to when it is closed.
 */
coroprof_co lua_closes(lua_State *L, const struct lua_api *api);
void lua_closed(lua_State *L, coroprof_co before);

#pragma GCC visibility pop

#endif /* LUA_HOOKS_H */
