# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# For scripts that say in TAP what the mock of the module was told: the file $log. The number of results is in $n.
n=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

# keep FILE COMMAND...: what it prints, and its exit status
keep() {
	to=$1
	shift
	"$@" >"$to" 2>&1 </dev/null
	echo "status $?" >>"$to"
}

# count PATTERN: so many lines of what the mock was told
count() {
	grep -cE "$1" "$log"
}

# equal NAME NUMBER EXPECTED
equal() {
	[ "$2" = "$3" ]
	result $? "$1"
	[ "$2" = "$3" ] || echo "# got $2, expected $3"
}
