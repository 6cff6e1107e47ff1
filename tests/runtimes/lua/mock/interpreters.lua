-- SPDX-License-Identifier: GPL-2.0
-- Coroutines in all the ways they begin, yield and end; what it prints does not depend on who looks.
local unpack = table.unpack or unpack
local function light(n) for i = 1, 3 do n = n + (coroutine.yield(i) or 0) end return n end
local function fails() error("on purpose") end
local function fails_with(value) error(value, 0) end
local co = coroutine.create(light)
print(coroutine.status(co), coroutine.resume(co, 1))
print(coroutine.resume(co, 5)) print(coroutine.resume(co)) print(coroutine.resume(co, 2))
print(coroutine.status(co), coroutine.resume(co))
print(coroutine.resume(coroutine.create(fails)))
print(pcall(coroutine.wrap(fails)))
print(pcall(coroutine.wrap(fails_with), 7)) print(pcall(coroutine.wrap(fails_with), "text"))
print(select("#", pcall(coroutine.wrap(fails_with), nil)))
for _, value in ipairs{42, "text", {}, true} do
	local wrapped = coroutine.wrap(fails_with)
	local _, got = pcall(function() wrapped(value) end)
	print(type(got), type(got) == "table" or got)
end
-- Since 5.4, a variable is closed as its coroutine fails, and that may fail as well.
for _, does in ipairs{"print('closed')", "error('as it is closed')"} do
	local closes = (loadstring or load)("local v <close> = setmetatable({}, {__close = function() " .. does .. " end}) error('first')")
	if closes then print(pcall(function() coroutine.wrap(closes)() end)) end
end
local wrapped = coroutine.wrap(light)
print(wrapped(1), wrapped(1), wrapped(1), wrapped(1)) print(pcall(wrapped))
local own
own = coroutine.wrap(function() return pcall(own) end) print(own())
local outer = coroutine.create(function() local inner = coroutine.wrap(light) coroutine.yield(inner(1)) return inner(2) end)
print(coroutine.resume(outer)) print(coroutine.resume(outer))
local normal
normal = coroutine.create(function() return coroutine.resume(coroutine.create(function() return coroutine.status(normal), coroutine.resume(normal) end)) end)
print(coroutine.resume(normal))
print(coroutine.resume(coroutine.running() or coroutine.create(light), 1))
print(pcall(coroutine.resume)) print(pcall(coroutine.resume, 1)) print(pcall(coroutine.create, 1)) print(pcall(coroutine.wrap))
print(select("#", coroutine.resume(coroutine.create(function(...) return ... end), unpack({}, 1, 200))))
print((function(...) return select("#", ...) end)(coroutine.wrap(function(...) coroutine.yield(...) end)(nil, nil, nil)))
print(pcall(coroutine.wrap(function() return pcall(function() coroutine.yield("in pcall") error("x") end) end)))
for value in coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end) do io.write(value, " ") end print()
if coroutine.close then
	local co = coroutine.create(light)
	coroutine.resume(co, 1)
	print(coroutine.close(co), coroutine.status(co), coroutine.close(coroutine.create(light)))
	print(pcall(coroutine.close, coroutine.running())) print(pcall(coroutine.close)) print(pcall(coroutine.close, 1))
	-- What is to be closed may print, fail, yield, resume others, and close others or its own; as it waits, and once it has failed.
	for _, does in ipairs{"print('closed', ...)", "error('as it is closed')", "error({})", "coroutine.yield(1)", "print(coroutine.resume(coroutine.create(inner), 1))",
		"print(pcall(coroutine.close, waits))", "waits = coroutine.create(inner) coroutine.resume(waits, 1) print(coroutine.close(waits))",
		"print(coroutine.status(waits), pcall(coroutine.resume, waits))"} do
		inner = light
		local closes = load("local v <close> = setmetatable({}, {__close = function(_, ...) " .. does .. " end}) coroutine.yield() error('first')")
		for resumes = 1, 2 do
			waits = coroutine.create(closes)
			local co = waits
			for i = 1, resumes do coroutine.resume(co) end
			local ok, why = coroutine.close(co)
			print(ok, type(why) == "table" or why, coroutine.status(co), coroutine.resume(co))
			print(coroutine.close(co))
		end
	end
end
for i = 1, 1000 do coroutine.resume(coroutine.create(light), 1) end
collectgarbage()
local function deep(n) if n == 0 then return "bottom" end return coroutine.wrap(deep)(n - 1) end
print(deep(50))
if not jit then print((select(2, pcall(function() local function f () return coroutine.wrap(f)() end return f() end)):gsub("^.*: ", ""))) end
print(coroutine.resume(coroutine.create(function() return debug.traceback("trace") end)))
print(os.getenv("LUA_INIT"))
local c = coroutine.wrap(function() print(debug.traceback("inside")) error({}) end)
print(xpcall(function() c() end, function(e) return type(e) .. debug.traceback("handler") end))
coroutine.wrap(fails)()
