-- What it is to answer does not depend on who looks. Of threads of three kinds the work is known: loops of 1, 5 and 20
-- units, TURNS times; and of one that only sleeps, for how long.
local ffi = require "ffi"
local TURNS, UNIT, NAP = 5, 50000, 0.02

ffi.cdef "void rounds_of(unsigned long count);"
local spin = ffi.load(ngx.config.prefix() .. "spin.so")

function nap(name, seconds)
	ngx.sleep(seconds)
	return name .. " slept"
end

function add(a, b)
	ngx.sleep(0.001)
	return a + b
end

function sleep()
	ngx.say(nap("request", 0.002))
end

function spawn()
	local first = ngx.thread.spawn(nap, "thread", 0.002)
	local second = ngx.thread.spawn(add, 40, 2)
	local _, text = ngx.thread.wait(first)
	local _, sum = ngx.thread.wait(second)
	ngx.say(text, ", ", sum)
end

local function turns(units)
	for _ = 1, TURNS do
		spin.rounds_of(units * UNIT)
		ngx.sleep(0.001)
	end
end

function light() turns(1) end
function middle() turns(5) end
function heavy() turns(20) end
function naps()
	for _ = 1, TURNS do
		ngx.sleep(NAP)
	end
end

function work()
	for _, kind in ipairs { light, middle, heavy } do
		ngx.thread.wait(ngx.thread.spawn(kind))
	end
	ngx.say("worked")
end

function rest()
	ngx.thread.wait(ngx.thread.spawn(naps))
	ngx.say("rested")
end
