# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A test of these commands, in TAP: 'check NAME WANTED_STATUS WANTED_LINE COMMAND...', then 'summary'.
set -uo pipefail

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export vm_dir
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=0 failed=0
echo TAP version 13

# check NAME STATUS LINE COMMAND...: the command, with this function's stdin, exits with STATUS and prints a line
# that matches LINE (nothing at all, when LINE is empty).
check() {
	local name=$1 want_status=$2 want_line=$3 output status=0
	shift 3
	tests=$((tests + 1))
	output=$("$@" 2>&1) || status=$?
	if [[ $status -eq $want_status ]] && matches "$want_line" "$output"; then
		echo "ok $tests $name"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $tests $name"
	echo "# exit status $status (wanted $want_status), and wanted a line like /$want_line/ in:"
	printf '%s\n' "$output" | sed 's/^/#   /'
}

matches() {
	[[ -n $1 ]] || { [[ -z $2 ]] && return; }
	grep -qE -- "$1" <<<"$2"
}

summary() {
	echo "1..$tests"
	[[ $failed -eq 0 ]]
}
