# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# For scripts NAME/mock/*.sh, in their folder, of what was reported to the mock of the module, which is in the file $log.
# shellcheck source=tests/harness/tap.sh
. ../../../harness/tap.sh

# keep FILE COMMAND...: what it prints, and its exit status
keep() {
	to=$1
	shift
	"$@" >"$to" 2>&1 </dev/null
	echo "status $?" >>"$to"
}

# count PATTERN: so many lines of what was reported
count() {
	grep -cE "$1" "$log"
}
