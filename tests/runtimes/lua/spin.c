// SPDX-License-Identifier: GPL-2.0
/* Functions for any Lua: work of a known number of instructions, and sleep. The first for PHP, too. */
#include <time.h>

#include "../../harness/rounds.h"

typedef struct lua_State lua_State;

/* In all versions. */
double luaL_checknumber(lua_State *L, int argument);

void rounds_of(unsigned long count);
int spin(lua_State *L);
int sleep_ms(lua_State *L);

void rounds_of(unsigned long count)
{
	rounds(count);
}

int spin(lua_State *L)
{
	rounds((unsigned long)luaL_checknumber(L, 1));
	return 0;
}

int sleep_ms(lua_State *L)
{
	struct timespec time = { .tv_nsec = (long)(luaL_checknumber(L, 1) * 1e6) };

	nanosleep(&time, 0);
	return 0;
}
