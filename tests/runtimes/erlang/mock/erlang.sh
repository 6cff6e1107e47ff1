#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Processes of Erlang, as the mock of the module is told of them.
# usage: erlang.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 folder=$3 log=$3/erlang.log

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

births() {
	count "^switch .* FRESH .* $1\$"
}

# same HOW COMMAND...: recorded, not recorded, and without the library
same() {
	how=$1
	shift
	keep "$log.plain" "$@"
	keep "$log.recorded" env LD_PRELOAD="$preload" "$@"
	cmp -s "$log.plain" "$log.recorded"
	result $? "$how: the same output and exit status when not recorded"
	rm -f "$log"
	keep "$log.recorded" env COROPROF_SLOTS=2048 MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock:$preload" "$@"
	cmp -s "$log.plain" "$log.recorded"
	result $? "$how: the same when recorded"
}

# script MODE MODULE: of which the function is that its process begins with
script() {
	printf '#!/usr/bin/env escript\n-mode(%s).\nmain([A]) -> Self = self(), spawn(fun() -> Self ! A end), receive B -> io:format("~s~n", [B]) end.\n' \
		"$1" >"$log.escript"
	same "escript, $1" escript "$log.escript" argument
	equal "escript, $1: its process is told" "$(births "fun $2\.[0-9]+")" 1
}

look() {
	same erl erl -noshell -pa "$folder" -s ways main
	grep -q '^status 7$' "$log.recorded"
	result $? 'erl: the program ran to its end'
	equal 'each process is a coroutine, by what it began with' "$(births ways:light/2) $(births ways:waits/0)" '101 1'
	equal 'a function written in place, by its module and number; by proc_lib, too' "$(births 'fun ways\.[0-9]+')" 3
	equal 'none runs without a name' "$(count '^switch .* FRESH error=0 $')" 0
	equal 'one of a behaviour, by its module' "$(births ways:init/1)" 1
	[ "$(count '^switch .* known_name$')" -gt 0 ]
	result $? 'one that has a name, by that'
	equal 'whoever began it is its parent' "$(count '^switch .* parent=[1-9][0-9]* FRESH .* ways:light/2$')" 101
	ERL_AFLAGS='-kernel own 1' same 'erl with ERL_AFLAGS' erl -noshell -pa "$folder" -s ways main
	equal 'with ERL_AFLAGS processes are told, too' "$(births ways:light/2)" 101
	# Which of both is the default depends on the version.
	script interpret erl_eval
	script compile '[a-z0-9_]*escript[a-z0-9_]*'
}

# linked COMMAND...: by a virtual machine that has libcoroprof itself, so that the adapter is off
linked() {
	root=$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().')
	machine=$(echo "$root"/erts-*/bin)
	bin=$folder/erlang-linked
	rm -rf "$bin"
	mkdir "$bin"
	ln -s "$machine"/* "$bin"
	rm "$bin/beam.smp"
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\nLD_PRELOAD=$LD_PRELOAD:%s exec %s "$@"\n' "$(dirname "$preload")/libcoroprof.so.1" \
		"$machine/beam.smp" >"$bin/beam.smp"
	chmod +x "$bin/beam.smp"
	env ROOTDIR="$root" BINDIR="$bin" EMU=beam PROGNAME=erl "$@"
}

# What it finds in its environment, and what programs that it starts do.
put_back() {
	program='io:format("~p ~p~n", [os:getenv("ERL_AFLAGS"), os:cmd("printenv ERL_AFLAGS")]), S = self(),
		spawn(fun() -> S ! ok end), receive ok -> halt(7) end.'
	keep "$log.plain" linked "$machine/erlexec" -noshell -eval "$program"
	rm -f "$log"
	keep "$log.recorded" linked env MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock:$preload" \
		"$machine/erlexec" -noshell -eval "$program"
	cmp -s "$log.plain" "$log.recorded" && grep -q '^status 7$' "$log.recorded"
	result $? "a virtual machine that has libcoroprof itself$1: its environment is as it was"
	equal "a virtual machine that has libcoroprof itself$1: nobody else tells" "$(births 'fun erl_eval\.[0-9]+')" 0
}

if command -v erlc >/dev/null && [ -e "$(dirname "$preload")/coroprof_erlang.beam" ]; then
	erlc -o "$folder" ways.erl
	result $? "the program compiles"
	look
	linked true
	put_back ''
	ERL_AFLAGS='-kernel own 1'
	export ERL_AFLAGS
	put_back ', with ERL_AFLAGS'
else
	skip erlang "no erlc"
fi
finish
