-- What it is to answer does not depend on who looks.

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
