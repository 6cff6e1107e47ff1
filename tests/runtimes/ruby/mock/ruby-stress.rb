# SPDX-License-Identifier: GPL-2.0
# Very many fibers, and all that may come in between. What is given is run while Ruby collects garbage at each object.
def begins(count)
	count.times.sum do |i|
		fiber = Fiber.new { |a, b, c| Fiber.yield(a + i); b + c.size }
		fiber.resume(i, 1, [2, 3]) - i + fiber.resume
	end
end

def raises(count)
	count.times.count do |i|
		fiber = Fiber.new { begin Fiber.yield ensure "#{i}" * 9 end }
		fiber.resume
		fiber.raise("raised #{i}")
	rescue => error
		error.message == "raised #{i}"
	end
end

def transfers(count)
	back = nil
	other = Fiber.new { |i| loop { i = back.transfer(i.to_s) } }
	back = Fiber.new { count.times.sum { |i| other.transfer(i).size } }
	back.transfer
end

def enumerates(count)
	count.times.sum do |i|
		each = Enumerator.new { |y| 3.times { |j| y << [i, j] } }
		3.times.sum { each.next.last }
	end
end
def in_threads(count) = 4.times.map { Thread.new { yield count } }.sum(&:value)
def given_up(count) = count.times { |i| Fiber.new { Fiber.yield(i.to_s) }.resume }

class Scheduler
	def initialize = (@ready, @waiting, @asleep, @lock = [], {}.compare_by_identity, [], Thread::Mutex.new)
	def unblock(_, fiber) = @lock.synchronize { @ready << fiber }
	def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
	def kernel_sleep(_ = nil) = (@asleep << Fiber.current; Fiber.yield)

	def block(_, _ = nil)
		@waiting[Fiber.current] = true
		Fiber.yield
	end

	def io_wait(io, events, _)
		Fiber.yield(@asleep << Fiber.current) until IO.select([io], nil, nil, 0) || events & IO::READABLE == 0
		events
	end

	def close
		until @ready.empty? && @waiting.empty? && @asleep.empty?
			fiber = @lock.synchronize { @ready.shift } || @asleep.shift
			fiber ? (@waiting.delete(fiber); fiber.resume) : Thread.pass
		end
	end
end

def scheduled(count)
	sum = 0
	Thread.new do
		Fiber.set_scheduler(Scheduler.new)
		queue = Queue.new
		read, write = IO.pipe
		count.times { Fiber.schedule { sum += queue.pop.size; sleep 0; sum += read.readpartial(1).size } }
		Fiber.schedule { count.times { |i| queue << i.to_s * 2; write << 'x'; sleep 0 if i % 3 == 0 } }
	end.join
	sum
end

def forks
	Process.wait(fork { exit!(Fiber.new { Fiber.yield 1; 5 }.then { |f| f.resume + f.resume }) })
	$?.exitstatus
end

# One after the other: Ruby 3.1 itself crashes, or gives other results, where fibers begin in several Ractors at the same time.
def ractors = 3.times.sum { Ractor.new { 20.times.sum { |i| Fiber.new { Fiber.yield i.to_s }.resume.size } }.take }

$VERBOSE = nil
# Ruby 3.1 itself fails if much is done in one process while it collects at each object that is made.
if ARGV.empty?
	tp = TracePoint.new(:fiber_switch) { |t| t.event.to_s * 3 }
	everything = lambda do
		p begins(300), raises(300), transfers(300), enumerates(300), in_threads(300) { |n| begins(n) }
		p given_up(300), scheduled(300), forks
	end
	p begins(100_000)
	everything.call
	tp.enable { everything.call }
	p ractors
else
	GC.stress = true
	result = eval(ARGV[0])
	GC.stress = false
	p result
end
