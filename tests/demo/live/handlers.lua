-- All is well but for reports: each twentieth asks somebody else, waits for the answer as a program without coroutines
-- would, and so has all requests on its thread wait.

local UNIT = 2000
local SELDOM = 20

local count = 0

local function work(units)
	local x = 1
	for i = 1, units * UNIT do
		x = (x * 1103515245 + 12345) % 2147483648
	end
	return x
end

local function reply(applet, text)
	applet:set_status(200)
	applet:add_header("content-length", #text)
	applet:start_response()
	applet:send(text)
end

local function ask()
	local question = io.open("/tmp/question", "w")
	question:write("how are sales?\n")
	question:close()
	local answer = io.open("/tmp/answer")
	answer:read()
	answer:close()
end

function cheap(applet)
	reply(applet, "cheap " .. work(1) .. "\n")
end

function waits(applet)
	core.msleep(20)
	reply(applet, "waits " .. work(1) .. "\n")
end

function reports(applet)
	count = count + 1
	if count % SELDOM == 0 then
		ask()
	end
	reply(applet, "reports " .. work(2) .. "\n")
end

core.register_service("cheap", "http", cheap)
core.register_service("waits", "http", waits)
core.register_service("reports", "http", reports)
