-- What it is to answer does not depend on who looks. Of threads of three kinds the work is known: loops of 1, 5 and 20
-- units, TURNS times; and of one that only sleeps, for how long. So of what waits for a socket, for a timer, and of coroutines
-- that handlers make.
local ffi = require "ffi"
local semaphore = require "ngx.semaphore"
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

-- By a socket of Lua's, from this very server.
function fetches()
	local socket = ngx.socket.tcp()

	spin.rounds_of(2 * UNIT)
	assert(socket:connect("127.0.0.1", 8080))
	assert(socket:send("GET /late HTTP/1.0\r\n\r\n"))
	local answer = assert(socket:receive("*a"))
	socket:close()
	spin.rounds_of(3 * UNIT)
	ngx.print(answer:match("\r\n\r\n(.*)"))
end

function fetch()
	ngx.thread.wait(ngx.thread.spawn(fetches))
end

function late()
	ngx.sleep(NAP)
	ngx.say("late")
end

function timed(_, done)
	turns(1)
	done:post()
end

function waits(done)
	assert(done:wait(60))
end

function timer()
	local done = semaphore.new()

	assert(ngx.timer.at(NAP, timed, done))
	ngx.thread.wait(ngx.thread.spawn(waits, done))
	ngx.say("timed")
end

function made()
	spin.rounds_of(5 * UNIT)
	coroutine.yield()
	spin.rounds_of(5 * UNIT)
end

function makes()
	local co = coroutine.create(made)

	for _ = 1, 2 do
		spin.rounds_of(UNIT)
		assert(coroutine.resume(co))
	end
end

function make()
	ngx.thread.wait(ngx.thread.spawn(makes))
	ngx.say("made")
end
