# SPDX-License-Identifier: GPL-2.0
# Fibers in all the ways they begin, wait and end; what it prints does not depend on who looks.
require 'fiber'

def light(n) = Fiber.new { |a| 3.times { |i| a = Fiber.yield(a + i) }; a + n } # light
def fails = Fiber.new { raise 'failed' } # fails
def waits = Fiber.new { begin Fiber.yield 1 ensure puts 'cleaned up' end } # waits
def given_up = 100.times { Fiber.new { Fiber.yield }.resume } # given up
def outer
	Fiber.new do # outer
		inner = light(5)
		a = inner.resume(1)
		Fiber.yield a
		inner.resume(2)
	end
end
class Own < Fiber; def to_s = raise('not to be called'); alias inspect to_s; end

f = light(10); p f.resume(1), f.resume(2), f.resume(3), f.resume(4), f.alive?
begin f.resume; rescue FiberError => e; puts e.message; end
begin fails.resume; rescue => e; puts e.message, e.backtrace.size; end
f = waits; f.resume
begin f.raise 'thrown'; rescue => e; puts e.message; end
f = outer; p f.resume, f.resume
given_up
GC.start
p Own.new { 7 }.resume # own
e = [1, 2, 3].each # enumerator
p e.next, e.peek, e.next, e.next, (e.next rescue 'stop') # next
l = Enumerator::Lazy.new(1..3) { |y, x| y << x * 2 }
p l.next, l.next
a = Fiber.new { b = Fiber.new { a.transfer(:back) }; p b.transfer; :end }; p a.transfer # transfers
t = Thread.new { f = Fiber.new { Fiber.yield 1; 2 }; [f.resume, f.resume, Thread.current.keys, Fiber.current.alive?] } # on a thread
p t.value
t = Thread.new { Fiber.new { sleep }.resume }; Thread.pass until t.stop?; t.kill; t.join # killed
p Thread.new { Fiber.new { 3 }.resume }.value # after
p catch(:out) { Fiber.new { 4 }.resume }
p Fiber.new(&:to_s).resume(5)
p Fiber.new(&method(:p)).resume(6)
if fork
	Process.wait
	p $?.exitstatus
else
	x = Fiber.new { Fiber.yield 1; exit!(light(1).resume(1)) } # forked
	x.resume
	x.resume
end
trace = []
tp = TracePoint.new(:fiber_switch) { trace << :switch }
tp.enable { Fiber.new { Fiber.yield }.tap(&:resume).resume } # traced
p trace.size, ENV.keys.grep(/RUBY/), $LOADED_FEATURES.grep(/coroprof/i), Thread.current.keys
p ObjectSpace.each_object(Fiber).first.class, $!.inspect
GC.compact if GC.respond_to?(:compact)
f = light(1); f.resume(0); GC.compact if GC.respond_to?(:compact); p f.resume(1)
f = Fiber.new { 10 } # keeping
f.instance_variable_set(:@class, Fiber)
f.instance_variable_set(:@block, proc { 11 }) # kept
p f.resume
at_exit { puts 'at exit' }
Fiber.new { exit 9 }.resume # exits
