// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose library is like Lua by name alone. All that it passes must get
 * there, and all that the library answers must get back.
 */
#include "watch.h"
#include "strange.h"

DECLARE(lua_resume);
DECLARE(lua_newthread);
DECLARE(lua_close);
DECLARE(lua_closethread);
DECLARE(lua_resetthread);
DECLARE(luaL_ref);
DECLARE(lua_rawgeti);
DECLARE(pth_spawn);
DECLARE(co_create);

typedef word function(word a, word b, word c, word d, word e, word f);

/* Neither is an address that anything may be read from. */
#define FIRST 0x1111000011110000
#define SECOND 0x2222000022220000

/* Of 5.1, which this is taken for. */
#define REGISTRY ((word)-10000)

static void passes(const char *name, function *function, word second, word result)
{
	const word given[6] = {
		FIRST, second, 0x3333333333333333, 0x4444444444444444,
		0x5555555555555555, 0x6666666666666666,
	};
	word got;

	call = (struct call){ .result = result };
	got = function(given[0], given[1], given[2], given[3], given[4], given[5]);
	ok(call.name && !strcmp(call.name, name), "%s() gets to the library's", name);
	ok(!memcmp(call.arguments, given, sizeof(given)), "%s() with all of its arguments", name);
	ok(got == result, "%s() answers what the library's does", name);
}

/* A resume that yields; so a coroutine there is, and its label is none. */
static uint64_t resume_of(word state)
{
	const struct mock_event *event;

	call.result = 1;
	watch_from_here();
	lua_resume(state, 0, 0, 0, 0, 0);
	event = next_switch_of_program();
	return event ? event->id : 0;
}

/* As in OpenResty's LuaJIT, which is like 5.1 else: what ends is the second. */
static void resetting(void)
{
	uint64_t first = resume_of(FIRST), second = resume_of(SECOND);

	ok(first && second && first != second, "two coroutines are seen");
	call.result = 0;
	lua_resetthread(FIRST, SECOND, 0, 0, 0, 0);
	ok(resume_of(FIRST) == first, "lua_resetthread(L, thread) leaves the first as it is");
	ok(resume_of(SECOND) != second, "lua_resetthread(L, thread) ends the second");
}

int main(void)
{
	const word odd = 0x7777777777777771;

	record(true);
	passes("lua_resume", lua_resume, odd, odd);
	passes("lua_closethread", lua_closethread, odd, odd);
	passes("lua_resetthread", lua_resetthread, odd, odd);
	passes("luaL_ref", luaL_ref, odd, odd);
	passes("luaL_ref", luaL_ref, REGISTRY, odd);
	passes("lua_rawgeti", lua_rawgeti, odd, odd);
	passes("lua_rawgeti", lua_rawgeti, REGISTRY, odd);
	passes("lua_newthread", lua_newthread, odd, 0);
	passes("lua_newthread", lua_newthread, odd, SECOND);
	passes("lua_close", lua_close, odd, odd);
	passes("pth_spawn", pth_spawn, odd, odd);
	passes("co_create", co_create, odd, odd);
	resetting();
	return tap_done();
}
