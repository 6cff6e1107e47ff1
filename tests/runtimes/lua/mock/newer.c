// SPDX-License-Identifier: GPL-2.0
/* A program with a Lua newer than those known: nothing is asked of its library. */
#include "watch.h"
#include "strange.h"

DECLARE(lua_resume);
extern word asked;

int main(void)
{
	record(true);
	call.result = 1;
	watch_from_here();
	ok(lua_resume(0x1111, 0, 0, 0, 0, 0) == 1 && !strcmp(call.name, "lua_resume"),
	   "lua_resume() gets to that of the program's library");
	ok(next_switch_of_program(), "a coroutine is seen");
	ok(!asked, "the program's library is asked for nothing");
	return tap_done();
}
