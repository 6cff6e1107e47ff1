#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Futures that programs wrap in Instrumented (userspace/rust), as the mock of the module is told of them: the program
# wrapped of tests/rust. It has two threads at a time.
# usage: instrumented.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 libraries=$(dirname "$1") log=$3/instrumented.log
top=$(realpath "$(dirname "$0")/../../../..")
export RUST_BACKTRACE=0

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# births NAME, woken NAME
births() {
	count "^switch .* FRESH .* wrapped::$1\$"
}

woken() {
	count "^switch .* WOKEN .* wrapped::$1\$"
}

look() { # HOW
	equal "$1: each future that is wrapped is a coroutine, by the name of its function" \
		"$(births light) $(births middle) $(births heavy)" "4 4 4"
	equal "$1: one that has a name of its own, by that" "$(count '^switch .* FRESH .* named by hand$')" 1
	equal "$1: it is ready each time that its waker was used" "$(woken light) $(woken naps) $(woken waits)" "20 5 1"
	equal "$1: one that wakes itself gives way, ready" \
		"$(woken Countdown) $(grep -E -A 1 '^switch .* wrapped::Countdown$' "$log" | grep -c ' READY ')" "0 4"
	equal "$1: one within another is a child of it, which goes on behind it" \
		"$(grep -E -A 1 'wrapped::inner$' "$log" | grep -c 'wrapped::outer$') $(count '^switch .* parent=[1-9][0-9]* FRESH .*inner$')" "6 1"
	equal "$1: ones that are cancelled, never begin, panic, move between threads, or are forgotten, are coroutines" \
		"$(for name in cancelled unborn fails moved forgotten; do births $name; done | tr '\n' ' ')" "1 1 1 1 1 "
	equal "$1: so are those of the crate futures" "$(births pooled) $(births threaded)" "1 8"
	equal "$1: all that were born have ended" "$(count '^switch .* END ')" \
		"$(grep -E '^switch .* FRESH ' "$log" | grep -vc '(thread')"
}

# recorded HOW COMMAND...: its output and exit status are those of the program that wraps nothing
recorded() {
	how=$1
	shift
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log "$@" >"$log.recorded" 2>/dev/null
	equal "$how: the same exit status" $? $status
	cmp -s "$log.plain" "$log.recorded"
	result $? "$how: and the same output"
}

if ! folder=$("$top/tests/runtimes/rust/build" amd64 2>"$log.build"); then
	skip instrumented "$(tail -n 1 "$log.build")"
	finish
fi
"$folder/wrapped" bare >"$log.plain" 2>/dev/null
status=$?
recorded 'without the library' "$folder/wrapped"
equal 'without the library: nobody is told' "$(ls "$log" 2>/dev/null)" ''
recorded preloaded env LD_PRELOAD="$mock:$preload" "$folder/wrapped"
look preloaded
recorded 'found by the crate' env LD_PRELOAD="$mock" LD_LIBRARY_PATH="$libraries" "$folder/wrapped"
look 'found by the crate'
/usr/bin/rustc --edition 2021 -D warnings --test -o "$log.units" "$top/userspace/rust/src/lib.rs" >"$log.compiled" 2>&1 &&
	"$log.units" >>"$log.compiled" 2>&1
result $? 'names of types are shown as the functions they are of'
[ -e "$log.units" ] || sed 's/^/# /' "$log.compiled"
finish
