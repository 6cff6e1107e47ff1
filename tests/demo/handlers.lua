-- Unequal work: heavy does 20 times what cheap does, or HEAVY times, and waits waits. Each says what it is at, in spans.

local coroprof = require "coroprof"

local UNIT = 2000
local HEAVY = tonumber(os.getenv("HEAVY") or 20)

local function work(units)
	local x = 1
	coroprof.span_begin("work")
	for i = 1, units * UNIT do
		x = (x * 1103515245 + 12345) % 2147483648
	end
	coroprof.span_end()
	return x
end

local function reply(applet, text)
	coroprof.span_begin("reply")
	applet:set_status(200)
	applet:add_header("content-length", #text)
	applet:start_response()
	applet:send(text)
	coroprof.span_end()
end

function cheap(applet)
	reply(applet, "cheap " .. work(1) .. "\n")
end

function heavy(applet)
	reply(applet, "heavy " .. work(HEAVY) .. "\n")
end

function waits(applet)
	coroprof.span_begin("wait")
	core.msleep(20)
	coroprof.span_end()
	reply(applet, "waits " .. work(1) .. "\n")
end

core.register_service("cheap", "http", cheap)
core.register_service("heavy", "http", heavy)
core.register_service("waits", "http", waits)
