#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Fibers of Ruby, as the mock of the module is told of them; with its JIT compiler, too.
# usage: ruby.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/ruby.log

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# recorded OPTION...: Ruby with these
recorded() {
	rm -f "$log"
	keep "$log.recorded" env COROPROF_SLOTS=1024 MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock:$preload" ruby "$@"
}

# births COMMENT: of fibers whose block begins on the line with that comment
births() {
	count "^switch .* FRESH .* ruby.rb:$(grep -n "# $1\$" ruby.rb | cut -d: -f1)\$"
}

# look HOW OPTION...: of Ruby with these options
look() {
	how=$1
	shift
	keep "$log.plain" ruby "$@" ruby.rb
	keep "$log.recorded" env LD_PRELOAD="$preload" ruby "$@" ruby.rb
	cmp -s "$log.plain" "$log.recorded"
	result $? "$how: the same output and exit status when not recorded"
	recorded "$@" ruby.rb
	cmp -s "$log.plain" "$log.recorded"
	result $? "$how: the same when recorded"
	equal "$how: each fiber that has begun is a coroutine, called by the file and line of its block" \
		"$(births light) $(births fails) $(births waits) $(births 'given up') $(births outer) $(births transfers) $(births exits)" '4 1 1 100 1 2 1'
	equal "$how: so on threads, one that is killed, and one on the thread after that" \
		"$(births 'on a thread') $(births killed) $(births after)" '1 1 1'
	equal "$how: whoever resumed it first is its parent" "$(count '^switch .* parent=[1-9][0-9]* FRESH ')" 3
	equal "$how: an enumerator is called by who asked it first" "$(count '^switch .* FRESH .* next@ruby.rb:')" 2
	equal "$how: what the program keeps in a fiber is not taken for its block" \
		"$(births keeping) $(births kept)" '1 0'
	equal "$how: what the program calls a fiber is not asked for" "$(births own) $(count '^switch .* FRESH .* Fiber$')" '1 1'
}

# same NAME ARGUMENT...: Ruby does the same with these when it is recorded. Says what differs.
same() {
	name=$1
	shift
	keep "$log.plain" ruby "$@"
	recorded "$@"
	differs=$(diff "$log.plain" "$log.recorded")
	result $? "$name"
	[ -z "$differs" ] || echo "$differs" | head -n 40 | sed 's/^/# /'
}

# To make an object is to collect garbage earlier, which a program whose scheduler keeps no fiber that waits may not survive.
harmless() {
	same 'no object of Ruby is made, so garbage is collected when it would be' ruby-made.rb
	equal 'as many as are expected, at least' "$([ "$(head -n 1 "$log.recorded")" -ge 3000 ] && echo so)" so
}

stress() {
	same 'many fibers, threads, exceptions, forks and Ractors, with a TracePoint too: the same output' ruby-stress.rb
	for what in 'begins(20)' 'raises(20)' 'transfers(20)' 'enumerates(20)' 'in_threads(3) { |n| begins(n) }' 'given_up(50)' \
		'scheduled(6)' 'forks' 'ractors'; do
		same "the same where each object that is made has garbage collected: $what" ruby-stress.rb "$what"
	done
}

# More than there is room for at once: each takes the place of one that was collected.
given_up() {
	recorded -e '20.times { 100.times { Fiber.new { Fiber.yield }.resume }; GC.start }'
	equal 'fibers that are given up are over once they are collected' "$(count '^switch .* FRESH .* -e:1$')" 2000
}

# By a scheduler of the program's own, which Ruby asks to wait, and tells when that is over.
wakes() {
	keep "$log.plain" ruby ruby-wakes.rb
	recorded ruby-wakes.rb
	cmp -s "$log.plain" "$log.recorded"
	result $? 'a scheduler: the same output and exit status'
	equal 'a scheduler: what waits for another fiber, or thread, is woken' "$(count '^switch .* WOKEN .* ruby-wakes.rb')" 3
}

if ruby -e 'exit(("3.1".."3.4").cover?(RUBY_VERSION))' 2>/dev/null; then
	look ruby
	look 'ruby --disable-all' --disable-all
	look 'ruby --yjit' --yjit
	harmless
	stress
	given_up
	wakes
else
	skip ruby "no ruby of 3.1 to 3.3"
fi
finish
