# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# For scripts NAME/mock/*.sh, in their folder, that say in TAP what the mock of the module was told: the file $log.
# shellcheck source=tests/harness/tap.sh
. ../../../harness/tap.sh

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
