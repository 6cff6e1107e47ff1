# SPDX-License-Identifier: GPL-2.0
# Fibers whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times. One waits while the
# program sleeps; one fails; one is given up; one resumes another; some run on another thread, in an enumerator, or in a
# forked child; by a scheduler one waits while another works. It knows nothing of coroprof.
require 'fiddle'

COUNT, TURNS, UNIT, NAP = 4, 5, 50_000, 0.002
SPIN = Fiddle::Function.new(Fiddle.dlopen("#{__dir__}/spin.so")['rounds_of'], [-Fiddle::TYPE_LONG], Fiddle::TYPE_VOID)

def work(units) = SPIN.call(units * UNIT)

def turns(units)
	TURNS.times { work(units); Fiber.yield }
	units
end

light = -> { turns(1) } # light
middle = -> { turns(5) } # middle
heavy = -> { turns(20) } # heavy

all = Array.new(COUNT) { [light, middle, heavy] }.flatten.map { |kind| Fiber.new(&kind) }
sum = 0
until all.empty?
	all.reject! do |fiber|
		result = fiber.resume
		sum += result unless fiber.alive?
		!fiber.alive?
	end
end
puts sum

naps = Fiber.new { TURNS.times { Fiber.yield } } # naps
TURNS.times { naps.resume; sleep NAP }
naps.resume
begin
	Fiber.new { work(5); raise 'failed' }.resume # fails
rescue => error
	puts error.message
end
Fiber.new { work(5); Fiber.yield }.resume # given_up
GC.start
outer = Fiber.new do # outer
	inner = Fiber.new { work(5); Fiber.yield; work(5) } # inner
	work(1)
	inner.resume
	work(1)
	Fiber.yield
	inner.resume
end
2.times { outer.resume }
Thread.new { threaded = Fiber.new { work(5); Fiber.yield; work(5) }; 2.times { threaded.resume } }.join # threaded
each = Enumerator.new { |y| work(5); y << 1; work(5); y << 2 }
puts each.next + each.next # each
if fork
	Process.wait
	puts $?.exitstatus
else
	Fiber.new { work(5) }.resume # forked
	exit 5
end

# One at a time: what is ready runs, else who sleeps.
class Scheduler
	def initialize = (@ready, @asleep = [], [])
	def block(_, _ = nil) = Fiber.yield
	def unblock(_, fiber) = @ready << fiber
	def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
	def io_wait(_, events, _) = events

	def kernel_sleep(time)
		@asleep << [Fiber.current, time]
		Fiber.yield
	end

	def close
		until @ready.empty? && @asleep.empty?
			fiber = @ready.shift
			time = nil
			fiber, time = @asleep.shift unless fiber
			IO.select(nil, nil, nil, time) if time
			fiber.resume
		end
	end
end

def scheduled(&block) = Thread.new { Fiber.set_scheduler(Scheduler.new); block.call }.join

scheduled { Fiber.schedule { TURNS.times { sleep NAP } } } # sleeps
scheduled do
	queue = Queue.new
	Fiber.schedule { work(1); queue.pop; work(1) } # waits
	Fiber.schedule { sleep NAP; queue << 1; work(80) } # works
end
exit 7
