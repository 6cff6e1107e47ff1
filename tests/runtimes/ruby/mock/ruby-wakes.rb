# SPDX-License-Identifier: GPL-2.0
# Fibers that wait for others, for a thread and for time, by a scheduler of the program's own.
class Scheduler
	def initialize
		@ready, @timers, @lock = [], {}, Mutex.new
		@asleep, @wakes = IO.pipe
		@blocked = {}.compare_by_identity # nobody else keeps those that wait
	end

	def block(_, timeout = nil)
		@blocked[Fiber.current] = true
		kernel_sleep(timeout)
		@blocked.delete(Fiber.current)
		true
	end

	def unblock(_, fiber)
		@lock.synchronize { @ready << fiber }
		@wakes.write_nonblock('.')
	end

	def kernel_sleep(time)
		@timers[Fiber.current] = Process.clock_gettime(Process::CLOCK_MONOTONIC) + time if time
		Fiber.yield
	end

	def io_wait(_, events, _) = events
	def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)

	def close
		while @blocked.any? || @timers.any? || @ready.any?
			left = @timers.values.min&.-(Process.clock_gettime(Process::CLOCK_MONOTONIC))
			@asleep.read_nonblock(100) if IO.select([@asleep], nil, nil, left&.clamp(0..)) && @ready.any?
			now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
			due, = @timers.select { |_, time| time <= now }.keys
			@timers.delete(due)
			ready, @ready = @lock.synchronize { [@ready, []] }
			[*due, *ready].each { |fiber| fiber.resume if fiber.alive? }
		end
	end
end

results = []
Thread.new do
	Fiber.set_scheduler(Scheduler.new)
	queue, lock = Queue.new, Mutex.new
	Fiber.schedule { results << queue.pop }
	Fiber.schedule { sleep 0.01; queue << :from_a_fiber }
	Fiber.schedule { lock.lock; sleep 0.01; lock.unlock }
	Fiber.schedule { lock.synchronize { results << :locked } }
	Fiber.schedule { results << Thread.new { sleep 0.05; :from_a_thread }.value }
end.join
p results.sort
