# SPDX-License-Identifier: GPL-2.0
# Says how many objects Ruby makes where fibers of all kinds begin, wait and end.
block = -> { Fiber.yield }
before = made = nil
run = lambda do
	before = GC.stat(:total_allocated_objects)
	300.times do
		Fiber.new { Fiber.yield }.tap(&:resume).resume
		Fiber.new(&block).resume
		Fiber.new(&:to_s).resume(:text)
		Fiber.new(&method(:Integer)).resume(1)
		[1].each.next
	end
	made = GC.stat(:total_allocated_objects) - before
end
run.call # what methods are called is kept in objects, too
run.call
p made
