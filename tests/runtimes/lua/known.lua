-- SPDX-License-Identifier: GPL-2.0
-- Coroutines whose work is known, in whatever Lua interprets this: COUNT of three kinds that run loops of 1, 5 and 20
-- units, TURNS times. One waits while the program sleeps; one fails; one is given up; one resumes another, by wrap(); one is
-- closed, and works as it is, where Lua has that: since 5.4.
-- It knows nothing of coroprof.
local COUNT, TURNS, UNIT, NAP = 4, 5, 50000, 2
local path = arg[0]:match("^(.*)/") .. "/spin.so"
local spin = package.loadlib(path, "spin")
local sleep = package.loadlib(path, "sleep_ms")

local function turns(units)
	for i = 1, TURNS do
		spin(units * UNIT)
		coroutine.yield(i)
	end
	return units
end

function light() return (turns(1)) end
function middle() return (turns(5)) end
function heavy() return (turns(20)) end
function naps() for i = 1, TURNS do coroutine.yield(i) end end
function fails() spin(5 * UNIT) error("failed") end
function given_up() spin(5 * UNIT) coroutine.yield() end
function inner() spin(5 * UNIT) coroutine.yield("inner") spin(5 * UNIT) end
function outer()
	local resume = coroutine.wrap(inner)
	spin(UNIT)
	resume()
	spin(UNIT)
	coroutine.yield("outer")
	resume()
end

local all, done = {}, 0
for _ = 1, COUNT do
	for _, kind in ipairs({ light, middle, heavy }) do
		all[#all + 1] = coroutine.create(kind)
	end
end
while #all > 0 do
	local rest = {}
	for _, co in ipairs(all) do
		local ok, result = coroutine.resume(co)
		if coroutine.status(co) == "dead" then
			done = done + result
		else
			rest[#rest + 1] = co
		end
	end
	all = rest
end
print(done)
local waits = coroutine.wrap(naps)
for _ = 1, TURNS do
	waits()
	sleep(NAP)
end
waits()
print(pcall(waits))
print(coroutine.resume(coroutine.create(fails)))
coroutine.wrap(given_up)()
collectgarbage()
local both = coroutine.create(outer)
print(coroutine.resume(both))
print(coroutine.resume(both))
if coroutine.close then
	load([[
		local work = ...
		function closes()
			local value <close> = setmetatable({}, { __close = work })
			work()
			coroutine.yield()
		end
	]], "=closes")(function() spin(5 * UNIT) end)
	local co = coroutine.create(closes)
	print(coroutine.resume(co))
	print(coroutine.close(co))
end
os.exit(7)
