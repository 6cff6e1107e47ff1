#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Coroutines of interpreters that have Lua in them, as the mock of the module is told of them.
# usage: interpreters.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/interpreters.log
program=interpreters.lua

cd "$(dirname "$0")" || exit

# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# runs LUA TO [VARIABLE=VALUE...]: without addresses, and what LuaJIT calls those of functions of its own
runs() {
	lua=$1 to=$2
	shift 2
	keep "$to" env "$@" "$lua" "$program"
	sed -i -E 's/\[(C|builtin#[0-9]+)\]: at 0x[0-9a-f]+/[C]: at .../' "$to"
}

# same WHAT [VARIABLE=VALUE]: as without us
same() {
	what=$1
	shift
	runs "$lua" "$log.plain" "$@"
	runs "$lua" "$log.recorded" "$@" LD_PRELOAD="$preload"
	cmp -s "$log.plain" "$log.recorded"
	result $? "$lua: $what"
}

# steps: what was told of the program's first coroutine, in order
steps() {
	grep -v '(coroprof)' "$log" | grep '^switch' | sed -n '2,9p' |
		sed -E 's/.* FRESH .*/begins/; s/.* END .*/ends/; s/^switch.*/goes/' | tr '\n' ' '
}

for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit; do
	if ! command -v $lua >/dev/null; then
		result 0 "$lua # SKIP it is not installed"
		continue
	fi
	runs "$lua" "$log.plain"
	rm -f "$log"
	runs "$lua" "$log.recorded" MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock:$preload" COROPROF_SLOTS=4096
	cmp -s "$log.plain" "$log.recorded"
	result $? "$lua: the same output and exit status when recorded"
	equal "$lua: each coroutine is told of, also 50 that resume one another" \
		"$(count "^switch .* FRESH .* function <$program:$(grep -n 'function deep' $program | cut -d: -f1)>")" 50
	equal "$lua: from its beginning to its end" "$(steps)" 'begins goes goes goes goes goes goes ends '
	same 'LUA_INIT does what it did' LUA_INIT='print("init") x ='
	same 'also where it fails' LUA_INIT='error("init")'
	same 'or is no Lua' LUA_INIT='this is none'
	same 'so does that of a version' LUA_INIT_5_4='print("init of 5.4")'
	echo 'print("file")' >"$log.init"
	same 'and a file' LUA_INIT="@$log.init"
done
finish
