# SPDX-License-Identifier: GPL-2.0
# A server whose requests are answered in fibers, by a scheduler of its own. It knows nothing of coroprof.
require 'digest'
require 'socket'

# What waits for data, for time, or for another fiber.
class Scheduler
	def initialize = (@readable, @writable, @timers, @ready = {}, {}, {}, [])
	def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
	def fiber(&block) = Fiber.new(blocking: false, &block).tap(&:resume)
	def block(_, _ = nil) = Fiber.yield
	def unblock(_, fiber) = @ready << fiber

	def kernel_sleep(time)
		@timers[Fiber.current] = now + time
		Fiber.yield
	end

	def io_wait(io, events, _)
		(events & IO::READABLE == 0 ? @writable : @readable)[io] = Fiber.current
		Fiber.yield
		events
	end

	def due = @timers.select { |_, time| time <= now }.keys.each { |fiber| @timers.delete(fiber) }

	def close
		until [@readable, @writable, @timers, @ready].all?(&:empty?)
			left = @ready.empty? ? @timers.values.min&.-(now)&.clamp(0..) : 0
			readable, writable = IO.select(@readable.keys, @writable.keys, nil, left)
			fibers = @ready.shift(@ready.size) + due
			fibers += (readable || []).map { |io| @readable.delete(io) } + (writable || []).map { |io| @writable.delete(io) }
			fibers.each(&:resume)
		end
	end
end

$answers = Queue.new

def answer(client, body)
	client.write("HTTP/1.0 200 OK\r\nContent-Length: #{body.size}\r\n\r\n#{body}")
	client.close
	$answers << body.size
end

def digests(count) = count.times.inject('heavy') { |text, _| Digest::SHA256.hexdigest(text) } + "\n"

ROUTES = {
	'/cheap' => ->(client) { answer(client, "cheap\n") },
	'/heavy' => ->(client) { answer(client, digests(200)) },
	'/waits' => ->(client) { sleep 0.005; answer(client, "waited\n") },
}

def request(client)
	path = client.gets.to_s.split[1]
	nil until client.gets.to_s.strip.empty?
	path
end

def serve
	server = TCPServer.new('127.0.0.1', 8080)
	until (path = request(client = server.accept)) == '/quit'
		route = ROUTES[path]
		route ? Fiber.new(blocking: false, &route).resume(client) : client.close
	end
	client.close
	$answers << nil
end

Fiber.set_scheduler(Scheduler.new)
Fiber.schedule { serve }
Fiber.schedule do
	sum = count = 0
	while (size = $answers.pop)
		sum += size
		count += 1
	end
	puts "#{count} answers, #{sum} bytes"
end
