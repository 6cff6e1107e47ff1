# shellcheck shell=bash
# A test of these commands: 'check NAME WANTED_STATUS WANTED_LINE COMMAND...', then 'summary'.
set -uo pipefail

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export vm_dir
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# check NAME STATUS LINE COMMAND...: the command, with this function's stdin, exits with STATUS and prints a line
# that matches LINE (nothing at all, when LINE is empty).
check() {
	local name=$1 want_status=$2 want_line=$3 output status=0
	shift 3
	output=$("$@" 2>&1) || status=$?
	if [[ $status -eq $want_status ]] && matches "$want_line" "$output"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	printf 'not ok: %s: exit status %s (wanted %s), wanted a line like /%s/ in:\n%s\n' \
		"$name" "$status" "$want_status" "$want_line" "$output"
}

matches() {
	[[ -n $1 ]] || { [[ -z $2 ]] && return; }
	grep -qE -- "$1" <<<"$2"
}

summary() {
	printf '%d passed, %d failed, 0 skipped\n' "$passed" "$failed"
	[[ $failed -eq 0 ]]
}
