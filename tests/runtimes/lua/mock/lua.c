// SPDX-License-Identifier: GPL-2.0
/* Lua's coroutines as the kernel sees them. Built once for each version of Lua. */
#include "watch.h"

#include <stddef.h>

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>

#if LUA_VERSION_NUM == 501
static int resume(lua_State *co, lua_State *from, int narg)
{
	(void)from;
	return lua_resume(co, narg);
}
#elif LUA_VERSION_NUM < 504
#define resume lua_resume
#else
static int resume(lua_State *co, lua_State *from, int narg)
{
	int results;

	return lua_resume(co, from, narg, &results);
}
#endif

static const char script[] =
	"function worker(n) for i = 1, n do coroutine.yield(i) end return 'done' end\n"
	"function fails() error('on purpose') end\n"
	"function outer()\n"
	"  local inner = coroutine.wrap(worker)\n"
	"  inner(2) coroutine.yield() inner()\n"
	"end\n"
	"function deep() local function f(n) if n == 0 then coroutine.yield() else f(n - 1) end end f(50) end\n"
	"module_like = { inside = function() coroutine.yield() end }\n"
	"package.loaded.fields = module_like\n"
	"function maker() return function() coroutine.yield() end end\n"
	"local function index() error('a field was asked for') end\n"
	"function script(name)\n"
	"  local env = setmetatable({ SCRIPT_NAME = name }, { __index = index })\n"
	"  return function() coroutine.yield(env) end\n"
	"end\n"
	"local strict = setmetatable({}, { __index = index })\n"
	"package.loaded.strict = strict\n"
	"function hold(plain, name, old)\n"
	"  local module = plain and module_like or strict\n"
	"  if old then rawset(module, old, nil) end\n"
	"  local own = {}\n"	/* or it may be the same function each time */
	"  rawset(module, name, function() coroutine.yield(own) end)\n"
	"  return rawget(module, name)\n"
	"end\n"
	"if setfenv then\n"
	"  function script_of_51(name) return setfenv(maker(), { SCRIPT_NAME = name, coroutine = coroutine }) end\n"
	"end\n"
	"function sealed()\n"
	"  package.loaded._G = nil\n"
	"  setmetatable(package.loaded, { __index = index })\n"
	"  return function() coroutine.yield() end\n"
	"end\n"
	"function ends() end\n"
	"function within(other) coroutine.resume(other) end\n"
	"function refused()\n"
	"  local ended, failed = coroutine.create(ends), coroutine.create(fails)\n"
	"  coroutine.resume(ended) coroutine.resume(ended) coroutine.resume(ended, 1)\n"
	"  coroutine.resume(failed) coroutine.resume(failed) coroutine.resume(failed, 1)\n"
	"  local own = coroutine.running()\n"
	"  coroutine.resume(own) coroutine.resume(coroutine.create(within), own)\n"
	"  coroutine.yield()\n"
	"end\n"
	"function makes() for _ = 1, 20 do coroutine.create(ends) end end\n";

static lua_State *state_new(void)
{
	lua_State *L = luaL_newstate();

	luaL_openlibs(L);
	if (luaL_loadbuffer(L, script, sizeof(script) - 1, "@script.lua") ||
	    lua_pcall(L, 0, 0, 0))
		printf("Bail out! %s\n", lua_tostring(L, -1));
	return L;
}

/* A coroutine of a global function, anchored in the registry. */
static lua_State *spawn(lua_State *L, const char *function)
{
	lua_State *co = lua_newthread(L);

	luaL_ref(L, LUA_REGISTRYINDEX);
	lua_getglobal(co, function);
	return co;
}

static void life(lua_State *L)
{
	lua_State *co = spawn(L, "worker");
	const struct mock_event *event;

	watch_from_here();
	lua_pushinteger(co, 2);
	is(resume(co, L, 1), LUA_YIELD, "a coroutine yields");
	is(lua_tointeger(co, -1), 1, "a coroutine yields what it was made to");
	reported("*(thread *(coroprof) *worker (thread",
	     "a coroutine is told of by its name, and who found that");
	lua_settop(co, 0);
	is(resume(co, L, 0), LUA_YIELD, "a coroutine yields again");
	reported("worker (thread", "a coroutine is told of again");
	lua_settop(co, 0);
	is(resume(co, L, 0), 0, "a coroutine returns");
	ok(!strcmp(lua_tostring(co, -1), "done"), "a coroutine returns what it should");
	reported("worker !(thread", "a return ends a coroutine");

	lua_settop(co, 0);
	lua_getglobal(co, "fails");
	resume(co, L, 0);
	event = next_switch_of_program();
	ok(event && event->arg & COROPROF_SWITCH_FRESH,
	   "a state that is used again is another coroutine");
	ok(event && !strcmp(event->label, "fails@script.lua:2"),
	   "a coroutine is labelled by name and place");
	ok(event && event->tag == (uintptr_t)co, "a coroutine's tag is its address");
	reported("!(thread", "an error ends a coroutine");
}

static void nested(lua_State *L)
{
	lua_State *co = spawn(L, "outer");

	watch_from_here();
	is(resume(co, L, 0), LUA_YIELD, "a coroutine that resumes another yields");
	reported("(coroprof) *outer (coroprof) *worker outer (thread",
	     "a coroutine that resumes another is told of in between");
	is(resume(co, L, 0), 0, "a coroutine that has resumed another returns");
	reported("outer worker outer !(thread",
		 "a coroutine that returns leaves the other waiting");
}

static void one_step(lua_State *L)
{
	lua_State *co = spawn(L, "makes");

	watch_from_here();
	is(resume(co, L, 0), 0, "a coroutine makes 20 others");
	reported("(coroprof) *makes !(thread", "a step that makes 20 others is one slice");
}

/* By Lua's own coroutine.resume(), which learns why by an error. */
static void refused(lua_State *L)
{
	lua_State *co = spawn(L, "refused");

	watch_from_here();
	is(resume(co, L, 0), LUA_YIELD, "one resumes what has ended, has failed, or runs");
	reported(
		"(coroprof) *refused (coroprof) *ends !refused (coroprof) *fails !refused (coroprof) *within !refused (thread",
		"which is no other coroutine, and ends none");
	is(resume(co, L, 0), 0, "it returns");
	reported("refused !(thread", "which ends it");
#if LUA_VERSION_NUM > 501	/* which runs what is on its stack, whatever that is */
	ok(resume(co, L, 0) > LUA_YIELD, "a program in C resumes it when it has");
	reported("", "and nothing is told");
#endif
}

static int body(lua_State *L)
{
	return lua_yield(L, 0);
}

static int register_thing(lua_State *L)
{
	lua_pushvalue(L, 2);
	lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
	return 1;
}

static void expect_label(lua_State *co, lua_State *L, const char *label, const char *what)
{
	const struct mock_event *event;

	watch_from_here();
	resume(co, L, 0);
	event = next_switch_of_program();
	ok(event && !strcmp(event->label, label), "%s: %s", what, event ? event->label : "");
}

/* One function, or one body, under two names, as a server registers handlers. */
static void registered(lua_State *L, const char *one, const char *two, bool closures,
		       const char *place)
{
	const char *names[] = { one, two };
	char expected[64];
	lua_State *co;
	int refs[2];

	setenv("MOCK_FINDS_NAMES", "1", true);
	for (int i = 0; i < 2; i++) {
		lua_pushcfunction(L, register_thing);
		lua_pushstring(L, names[i]);
		lua_getglobal(L, closures ? "maker" : "worker");
		if (closures)
			lua_call(L, 0, 1);
		lua_call(L, 2, 1);
		refs[i] = (int)lua_tointeger(L, -1);
	}
	unsetenv("MOCK_FINDS_NAMES");
	for (int i = 0; i < 2; i++) {
		co = lua_newthread(L);
		lua_rawgeti(co, LUA_REGISTRYINDEX, refs[i]);
		snprintf(expected, sizeof(expected), "%s%s", names[i], place);
		expect_label(co, L, expected, "a function registered by name");
	}

	co = lua_newthread(L);
	lua_rawgeti(L, LUA_REGISTRYINDEX, refs[0]);
	lua_xmove(L, co, 1);
	if (!closures) {
		snprintf(expected, sizeof(expected), "%s|%s%s", one, two, place);
		expect_label(co, L, expected, "a function that could be either");
	}
}

static void labels(lua_State *L)
{
	lua_State *co = lua_newthread(L);
	const struct mock_event *event;

	lua_pushcfunction(co, body);
	watch_from_here();
	resume(co, L, 0);
	event = next_switch_of_program();
	ok(event && strstr(event->label, "/lua-") && strstr(event->label, "+0x"),
	   "a C function is its address: %s", event ? event->label : "");

	co = lua_newthread(L);
	luaL_loadstring(co, "module_like.inside()");
	expect_label(co, L, "main chunk <[string \"module_like.inside()\"]>", "a chunk");
	co = lua_newthread(L);
	lua_getglobal(L, "module_like");
	lua_getfield(L, -1, "inside");
	lua_xmove(L, co, 1);
	expect_label(co, L, "fields.inside@script.lua:8", "a field of a module");

	lua_getglobal(L, "maker");
	lua_call(L, 0, 1);
	co = lua_newthread(L);
	lua_pushvalue(L, -2);
	lua_xmove(L, co, 1);
	expect_label(co, L, "function <script.lua:10>", "a function nobody has named");

	registered(L, "first", "second", true, "@script.lua:10");
	registered(L, "third", "fourth", false, "@script.lua:1");
}

/* What a global function returns, called with up to two strings, in a coroutine. */
static void expect_made(lua_State *L, const char *maker, bool plain, const char *name,
			const char *old, const char *label, const char *what)
{
	lua_State *co = lua_newthread(L);
	int arguments = 1;

	lua_getglobal(L, maker);
	if (old) {
		lua_pushboolean(L, plain);
		lua_pushstring(L, name);
		lua_pushstring(L, *old ? old : NULL);
		arguments = 3;
	} else {
		lua_pushstring(L, name);
	}
	lua_call(L, arguments, 1);
	lua_xmove(L, co, 1);
	expect_label(co, L, label, what);
	lua_settop(L, 0);
}

static void scripts(lua_State *L)
{
	expect_made(L, "script", false, "one", NULL, "one@script.lua:14",
		    "a function that holds its script's environment");
	expect_made(L, "script", false, "two", NULL, "two@script.lua:14",
		    "the same function for another script");
#if LUA_VERSION_NUM == 501
	expect_made(L, "script_of_51", false, "three", NULL, "three@script.lua:10",
		    "a function whose environment is its script's");
#endif
}

/* One place, one address as often as not, and a name that changes. */
static void renamed(lua_State *L, bool plain)
{
	const char *module = plain ? "fields" : "strict";
	char name[16], old[16] = "", label[64];

	for (int i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "name%d", i % 10);
		snprintf(label, sizeof(label), "%s.%s@script.lua:22", module, name);
		expect_made(L, "hold", plain, name, old, label,
			    plain ? "a field that was another's function before" :
				    "the same where fields may not be asked for");
		memcpy(old, name, sizeof(old));
		lua_gc(L, LUA_GCCOLLECT, 0);
	}
}

/* It stays so: nothing behind this may ask for a module. */
static void sealed(lua_State *L)
{
	expect_made(L, "sealed", false, "", NULL, "function <script.lua:31>",
		    "where modules may not be asked for, nothing is");
}

static void late(lua_State *L)
{
	lua_State *co = spawn(L, "deep");

	record(false);
	resume(co, L, 0);
	record(true);
	watch_from_here();
	resume(co, L, 0);
	reported("(thread (coroprof) *deep !(thread",
	     "a coroutine that began unrecorded is called by its first function");
}

/* Without a way back for slots this would use them up (COROPROF_SLOTS). */
static void closing(void)
{
	const struct mock_event *event;
	bool slotless = false;
	lua_State *L, *co;

	watch_from_here();
	for (int i = 0; i < 40; i++) {
		L = state_new();
		for (int j = 0; j < 100; j++) {
			co = spawn(L, "worker");
			lua_pushinteger(co, 1);
			resume(co, L, 1);
		}
		lua_close(L);
	}
	while ((event = next_switch()))
		slotless |= event->slot == 1;
	ok(!slotless, "lua_close() ends all coroutines of a state");
}

static void collected(lua_State *L)
{
	const struct mock_event *event;
	bool slotless = false;
	lua_State *co;

	lua_settop(L, 0);
	watch_from_here();
	for (int i = 0; i < 20000; i++) {
		co = lua_newthread(L);
		lua_getglobal(co, "worker");
		lua_pushinteger(co, 1);
		resume(co, L, 1);
		lua_settop(L, 0);
		if (i % 50 == 0) {
			lua_gc(L, LUA_GCCOLLECT, 0);
			while ((event = next_switch()))
				slotless |= event->slot == 1;
		}
	}
	ok(!slotless, "a state whose address is used again has been collected");
}

#if LUA_VERSION_NUM >= 504
static void reset(lua_State *L)
{
	lua_State *co = spawn(L, "worker");
	const struct mock_event *event;
	uint64_t id;

	lua_pushinteger(co, 3);
	watch_from_here();
	resume(co, L, 1);
	id = next_switch_of_program()->id;
	lua_resetthread(co);
	lua_settop(co, 0);
	lua_getglobal(co, "worker");
	lua_pushinteger(co, 3);
	watch_from_here();
	resume(co, L, 1);
	event = next_switch_of_program();
	ok(event && event->id != id, "lua_resetthread() ends a coroutine");
}

static const char closable[] =
	"function closes(does)\n"
	"  local value <close> = setmetatable({}, { __close = function(_, e) does(e) end })\n"
	"  coroutine.yield()\n"
	"  error('first')\n"
	"end\n"
	"function inner() coroutine.yield() end\n"
	"function resumes_another() coroutine.wrap(inner)() end\n"
	"function yields() coroutine.yield() end\n";

/* One that waits, and has a variable that is closed by @does, a global function. */
static lua_State *spawn_closable(lua_State *L, const char *does)
{
	lua_State *co = spawn(L, "closes");

	lua_getglobal(co, does);
	resume(co, L, 1);
	watch_from_here();
	return co;
}

/* What closes variables runs in the coroutine that has them. */
static void closed(lua_State *L)
{
	lua_State *co;

	luaL_loadbuffer(L, closable, sizeof(closable) - 1, "@closable.lua");
	lua_call(L, 0, 0);
	co = spawn_closable(L, "resumes_another");
	is(lua_resetthread(co), LUA_OK, "a coroutine that waits is closed");
	reported("closes (coroprof) *inner closes !(thread",
	     "what a coroutine runs as it is closed is told in it, and it ends");
	co = spawn_closable(L, "fails");
	is(lua_resetthread(co), LUA_ERRRUN,
	   "an error as a coroutine is closed is what that returns");
	ok(strstr(lua_tostring(co, -1), "on purpose"),
	   "an error as a coroutine is closed has its text");
	reported("closes !(thread", "a coroutine that fails as it is closed ends");
	co = spawn_closable(L, "yields");
	is(lua_resetthread(co), LUA_ERRRUN, "a yield as a coroutine is closed is an error");
	reported("closes !(thread", "a yield as a coroutine is closed does not leave it open");
	co = spawn_closable(L, "resumes_another");
	resume(co, L, 0);
	watch_from_here();
	is(lua_resetthread(co), LUA_ERRRUN, "a coroutine that has failed is closed with its error");
	reported("(coroprof) *inner (thread",
	     "what runs as a failed coroutine is closed is told of who closes it");
	co = spawn(L, "worker");
	watch_from_here();
	is(lua_resetthread(co), LUA_OK, "a coroutine that never ran is closed");
	reported("", "nothing is told of a coroutine that never ran");

	record(false);
	co = spawn_closable(L, "resumes_another");
	record(true);
	watch_from_here();
	lua_resetthread(co);
	reported("(thread (coroprof) *closes (coroprof) *inner closes !(thread",
	     "one that began unrecorded is called by its name as it is closed");
	lua_settop(L, 0);
}
#else
static void reset(lua_State *L)
{
	(void)L;
}

static void closed(lua_State *L)
{
	(void)L;
}
#endif

/* What the preload library believes of struct lua_Debug. */
#define AT(member, offset) is(offsetof(lua_Debug, member), offset, #member " of lua_Debug")

static void layout(void)
{
	AT(what, 24);
#if LUA_VERSION_NUM == 501
	AT(linedefined, 48);
	AT(short_src, 56);
#elif LUA_VERSION_NUM < 504
	AT(linedefined, 44);
	AT(short_src, 56);
#else
	AT(linedefined, 52);
	AT(short_src, 68);
#endif
#if LUA_VERSION_NUM == 501
	is(LUA_REGISTRYINDEX, -10000, "the registry's index");
#else
	is(LUA_REGISTRYINDEX, -1001000, "the registry's index");
#endif
	ok(sizeof(lua_Debug) <= 512, "lua_Debug fits");
}

int main(void)
{
	lua_State *L = state_new();

	record(true);
	layout();
	life(L);
	if (!IS_LUAJIT)	/* which resumes by code of its own */
		nested(L);
	one_step(L);
	refused(L);
	renamed(L, true);
	renamed(L, false);
	labels(L);
	scripts(L);
	late(L);
	reset(L);
	closed(L);
	collected(L);
	sealed(L);
	lua_close(L);
	closing();
	return tap_done();
}
