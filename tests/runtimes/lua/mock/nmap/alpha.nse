local nmap = require "nmap"
local stdnse = require "stdnse"

description = "Answers with what a thread of its own has found."
categories = {"safe"}

hostrule = function() return true end

-- A global of the script's, so that who calls it holds the script's environment.
function worker(result)
	stdnse.sleep(0.01)
	result.text = "alpha's worker"
end

action = function()
	local result = {}
	local condvar = nmap.condvar(result)
	stdnse.new_thread(function()
		worker(result)
		condvar "signal"
	end)
	condvar "wait"
	return result.text
end
