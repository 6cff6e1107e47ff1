local stdnse = require "stdnse"

description = "Answers after a while."
categories = {"safe"}

hostrule = function() return true end

action = function()
	stdnse.sleep(0.02)
	return "beta"
end
