#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Java's virtual threads, with each JDK there is that has them, as the mock of the module is told of them.
# usage: java.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/java.log
program=$(realpath "$(dirname "$0")/Ways.java")
classes=$(realpath "$(dirname "$0")/Classes.java")

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# of LABEL: the coroutines that go on with it
of() {
	sed -nE "s/^switch id=([0-9]+) .* error=0 $1\$/\1/p" "$log" | sort -u
}

# several LABEL: how many there are
several() {
	of "$1" | grep -c .
}

look() { # VERSION
	line=$(grep -n 'startVirtualThread(() -> light' "$program" | cut -d: -f1)
	equal "$1: a virtual thread is called by its name, without a number" "$(several light)" 3
	equal "$1: one without a name by the program's outermost function, its file and line" \
		"$(several "Ways.lambda\\\$main\\\$[0-9]+@Ways.java:$line")" 3
	equal "$1: so is one that never waits, by what its task refers to" \
		"$(several "Ways.never@Ways.java:$(($(grep -n 'static void never' "$program" | cut -d: -f1) + 1))")" 2
	equal "$1: and no class that the JVM makes for that is a label" "$(count '^label .*Lambda')" 0
	equal "$1: it is ready when it is started, and each time that what it waits for has come" "$(count '^switch .* WOKEN .* light$')" 12
	equal "$1: so is each, whenever it begins or goes on" \
		"$(count '^switch .* WOKEN ')" "$(grep '^switch ' "$log" | grep -vcE '\(thread|\(coroprof')"
	equal "$1: whoever started it is its parent" \
		"$(sed -nE "s/^switch id=$(of child) parent=([0-9]+) FRESH .*/\1/p" "$log")" "$(of parent)"
	equal "$1: those that are interrupted, wait for a monitor, give way, fail, are an executor's, are coroutines" \
		"$(for label in victim holds gives fails taker 'Ways.lambda.executor.*'; do
			count "^label .* $label\$"
		done | tr '\n' ' ')" "1 1 1 1 1 1 "
	equal "$1: so it is when it has given way" "$(count '^switch .* WOKEN .* gives$')" 4
	ended=$(count '^switch .* END ')
	equal "$1: all that were born have ended" "$ended" \
		"$(grep -E '^switch .* FRESH ' "$log" | grep -vcE '\(coroprof\)|\(thread')"
}

# run FILE COMMAND...: its output, without what differs from run to run, and its exit status
run() {
	file=$1
	shift
	"$@" >"$file.all" 2>&1
	echo "status $?" >>"$file.all"
	sed -E 's/#[0-9]+/#/' "$file.all" >"$file"
}

try() { # JAVA
	version=$("$1" -version 2>&1 | sed -n '2s/ (.*//p')
	run "$log.plain" "$1" "$program"
	rm -f "$log"
	run "$log.recorded" env MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock:$preload" "$1" "$program"
	cmp -s "$log.plain" "$log.recorded" && grep -q '^status 9$' "$log.recorded"
	result $? "$version: the same output and exit status when recorded"
	look "$version"
	rm -f "$log"
	run "$log.recorded" env MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock" "$1" "-agentpath:$preload" "$program"
	cmp -s "$log.plain" "$log.recorded"
	result $? "$version: the same output with the library as an agent"
	equal "$version: which tells the same" "$(several light) $(count '^switch .* END ')" "3 $ended"
}

# Three threads have the task of each class of Classes.java, whatever became of the classes before it.
unloaded() { # VERSION JAVA
	rm -f "$log"
	gone=$(MOCK_RECORD=1 MOCK_LOG="$log" LD_PRELOAD="$mock:$preload" "$2" "$classes" 2>&1)
	equal "$1: each of many threads is called by the class of its task, though classes are unloaded" \
		"$(sed -nE 's/^switch .* FRESH .* error=0 Classes.(Task[0-9]+)$/\1/p' "$log" | sort | uniq -c |
			awk '$1 == 3 { threes++ } END { print threes, NR }') $([ "$gone" -gt 300 ] && echo unloaded)" \
		"900 900 unloaded"
	equal "$1: each of many that begin where others have ended, by its name" "$(several even) $(several odd)" "150 150"
}

for java in /usr/lib/jvm/*/bin/java; do
	# A JDK has another name that leads to it.
	if [ ! -e "$java" ] || [ -L "${java%/bin/java}" ]; then continue; fi
	if [ ! -x "${java%/*}/javac" ]; then
		result 0 "$java # SKIP it has no javac: no JDK"
	elif ! "$java" --list-modules 2>/dev/null | grep -qE '^java.base@(2[1-9]|[3-9][0-9])'; then
		result 0 "$java # SKIP it is no Java of version 21 or later"
	else
		try "$java"
		unloaded "$version" "$java"
	fi
done
[ "$number" != 0 ] || result 0 "java # SKIP no JDK of version 21 or later is installed in /usr/lib/jvm"
finish
