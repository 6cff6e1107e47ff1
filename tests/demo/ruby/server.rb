# SPDX-License-Identifier: GPL-2.0
# A server whose requests are answered in fibers, in a loop of its own. It knows nothing of coroprof.
require 'digest'
require 'socket'

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
def digests(count) = count.times.inject('heavy') { |text, _| Digest::SHA256.hexdigest(text) } + "\n"

# What a fiber yields is the time at which it goes on.
ROUTES = {
	'/cheap' => -> { Fiber.new { "cheap\n" } },
	'/heavy' => -> { Fiber.new { Array.new(4) { Fiber.yield(now); digests(50) }.last } },
	'/waits' => -> { Fiber.new { Fiber.yield(now + 0.005); "waited\n" } },
}

class Server
	def initialize = (@server, @clients, @fibers = TCPServer.new('127.0.0.1', 8080), [], {})

	def run
		until @path == '/quit'
			left = @fibers.values.map(&:last).min&.-(now)&.clamp(0..)
			readable, = IO.select([@server, *@clients], nil, nil, left)
			(readable || []).each { |io| io == @server ? @clients << io.accept : request(@clients.delete(io)) }
			@fibers.select { |_, (_, time)| time <= now }.each { |client, (fiber, _)| go_on(client, fiber) }
		end
	end

	def request(client)
		@path = client.gets.to_s.split[1]
		nil until client.gets.to_s.strip.empty?
		route = ROUTES[@path]
		route ? @fibers[client] = [route.call, now] : client.close
	end

	def go_on(client, fiber)
		result = fiber.resume
		return @fibers[client] = [fiber, result] if fiber.alive?
		@fibers.delete(client)
		client.write("HTTP/1.0 200 OK\r\nContent-Length: #{result.size}\r\n\r\n#{result}")
		client.close
	end
end

Server.new.run
