#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tasks of tokio, as the mock of the module is told of them: the program of tests/rust. It has two threads at a time.
# usage: tokio.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/tokio.log
top=$(realpath "$(dirname "$0")/../../../..")
# What a panic prints tells who called.
export RUST_BACKTRACE=0

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# births FUNCTION, woken FUNCTION
births() {
	count "^switch .* FRESH .* known::$1\$"
}

woken() {
	count "^switch .* WOKEN .* known::$1\$"
}

look() {
	equal "each task is a coroutine, by the name of its function" "$(births light) $(births middle) $(births heavy)" "4 4 4"
	equal "it is ready each time that what it awaits has come" "$(woken light) $(woken naps) $(woken waits)" "20 5 1"
	equal "tasks that are cancelled, panic, are local, or run in a child, or have a future of the program's own, are coroutines" \
		"$(for name in cancelled fails local forked Countdown; do births $name; done | tr '\n' ' ')" "1 1 1 1 1 "
	equal "so is one without a name, by the function that it is in" "$(births 'one_by_one::{{closure}}')" 1
	equal "those on two threads are told apart" "$(births threaded)" 8
	equal "one that is dropped with its runtime runs as it is, before that and then" "$(count '^switch .* known::pending$')" 2
	equal "what blocks on a thread of its own is none" "$(count 'BlockingTask|blocking')" 0
	equal "all that were born have ended" "$(count '^switch .* END ')" \
		"$(grep -E '^switch .* FRESH ' "$log" | grep -vcE '\(coroprof\)|\(thread')"
}

# The program of traced.rs, which knows its spans: "unwanted" has none, and the target of one is no module.
spans() {
	"$folder/traced" >"$log.plain" 2>&1
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload "$folder/traced" >"$log.recorded" 2>&1
	cmp -s "$log.plain" "$log.recorded"
	result $? "tasks in spans of tracing: the same output"
	equal "a task in a span has its name, and that of its function unless the two are one" \
		"$(count '^switch .* FRESH .* GET /users \(traced::serves\)$') $(count '^switch .* FRESH .* traced::named$')" "4 4"
	equal "one whose span is switched off, or is not told from its target, or that has none, is called by its function" \
		"$(count '^switch .* FRESH .* traced::serves$')" 6
}

# says PROGRAM WHAT TEXT EXPECTED: how many of its tasks are told, and how often it says TEXT
says() {
	chmod +x "$1"
	: >"$log"
	COROPROF_DEBUG=1 MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload "$1" >"$log.recorded" 2>&1
	equal "$2: the same exit status" $? $status
	equal "$2" "$(births light) $(grep -c "$3" "$log.recorded")" "$4"
	rm -f "$1"
}

# version FOLDER: where the paths of tokio's source have /tokio-1.24.2/; of the same length
version() {
	sed "s|/tokio-[0-9.]*/|$1|g" "$folder/known" >"$log.program"
	shift
	says "$log.program" "$@"
}

many_names() {
	objcopy --add-symbol long=.text:0,local "$folder/known" "$log.short"
	printf 'long %034000000d\n' 0 >"$log.names"
	objcopy --redefine-syms="$log.names" "$log.short" "$log.program"
	rm -f "$log.short" "$log.names"
}

others() {
	version /tokio-1.53.9/ 'tokio 1.53 is known' 'are not told' '4 0'
	version /tokio-1.54.0/ 'tokio 1.54 is not, which is said' 'tokio 1.54.0 is not known' '0 1'
	version /tokio-1.12.9/ 'nor is 1.12' 'tokio 1.12.9 is not known' '0 1'
	version /tokio-0.21.0/ 'nor is 0.21' 'tokio 0.21.0 is not known' '0 1'
	version /vendor/tokio/ 'nor one whose source has no version' "tokio's source have no version" '0 1'
	many_names
	says "$log.program" 'names of symbols of more than 32 MB are not read, which is said' 'with 33 MB of names' '0 1'
}

if ! folder=$("$top/tests/runtimes/rust/build" amd64 2>"$log.build"); then
	skip tokio "$(tail -n 1 "$log.build")"
	finish
fi
"$folder/known" >"$log.plain" 2>&1
status=$?
rm -f "$log"
MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload "$folder/known" >"$log.recorded" 2>&1
equal "the same exit status when recorded" $? $status
cmp -s "$log.plain" "$log.recorded"
result $? "and the same output"
look
spans
others
finish
