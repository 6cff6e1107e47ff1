# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# For scripts whose results are TAP: on this machine, and in guests, where it is /harness/tap.sh. Where a result is a
# failure, the ends of the files that $shown names are below it.
number=0 failed=0 shown=

# result STATUS NAME
result() {
	number=$((number + 1))
	if [ "$1" = 0 ]; then
		echo "ok $number - $2"
		return
	fi
	echo "not ok $number - $2"
	failed=1
	# patterns
	for tap_file in $shown; do
		[ ! -s "$tap_file" ] || { echo "# $tap_file:" && tail -n 40 "$tap_file" | sed 's/^/# /'; }
	done
}

# check NAME COMMAND...: the result is the command's
check() {
	tap_name=$1
	shift
	if "$@"; then result 0 "$tap_name"; else result 1 "$tap_name"; fi
}

# try NAME COMMAND...: as check, and what it prints goes to the file $log
try() {
	tap_name=$1
	shift
	if ("$@") >"$log" 2>&1 </dev/null; then result 0 "$tap_name"; else result 1 "$tap_name"; fi
}

# nested NAME COMMAND...: the command prints TAP itself, which is shown below its name
nested() {
	tap_name=$1 tap_status=0
	shift
	echo "# Subtest: $tap_name"
	"$@" >/tmp/nested 2>&1 || tap_status=$?
	sed 's/^/    /' /tmp/nested
	result "$tap_status" "$tap_name"
}

# equal NAME FOUND EXPECTED
equal() {
	if [ "$2" = "$3" ]; then
		result 0 "$1"
	else
		result 1 "$1"
		echo "# found $2, expected $3"
	fi
}

# skip NAME WHY
skip() {
	result 0 "$1 # SKIP $2"
}

# until_true COMMAND...: each second, for a minute
until_true() {
	tap_tries=0
	until "$@"; do
		tap_tries=$((tap_tries + 1))
		[ "$tap_tries" -lt 60 ] || return 1
		sleep 1
	done
}

# finish: ends the script
finish() {
	echo "1..$number"
	exit "$failed"
}
