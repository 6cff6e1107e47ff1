# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What every command here needs: messages, the cache, and root.
set -euo pipefail
# Without this a failure inside $(...) would go unseen.
shopt -s inherit_errexit
# Users have no sbin in their path; depmod and modprobe are there.
PATH=$PATH:/usr/sbin:/sbin

vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
repo_dir=$(cd "$vm_dir/../.." && pwd)
cache=${COROPROF_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/coroprof}
mkdir -p "$cache/locks" "$cache/tmp"
export vm_dir repo_dir cache
# shellcheck source=tests/vm/lib/root.sh
. "$vm_dir/lib/root.sh"

# note TEXT: progress goes to stderr, because stdout carries what a command prints for its caller.
note() {
	printf 'vm: %s\n' "$*" >&2
}

# die TEXT [HINT]: what happened, and the command that puts it right.
die() {
	printf '%s: error: %s\n' "${0##*/}" "$1" >&2
	[[ $# -lt 2 ]] || printf '%s: to fix it: %s\n' "${0##*/}" "$2" >&2
	exit 1
}

need() { # COMMAND GROUP: a host command, or the group of tests/vm/deps that brings it
	command -v "$1" >/dev/null || die "'$1' is not installed" "tests/vm/deps $2"
}

as_root() {
	if [[ $(id -u) -eq 0 ]]; then
		"$@"
	else
		command -v sudo >/dev/null || die "'$*' needs root, and there is no sudo" "run this as root, or apt-get install sudo"
		sudo -- "$@"
	fi
}

# locked NAME COMMAND...: one at a time over all processes. The command does not inherit the lock, so that
# nothing it leaves running can hold it.
locked() {
	local name=${1//\//_}
	shift
	(
		flock 9
		"$@" 9>&-
	) 9>"$cache/locks/$name"
}

# cached DIR FUNCTION [ARG...]: DIR, made once by FUNCTION TMPDIR ARG..., whole or not at all: it is made beside
# and renamed, so a run that is killed leaves nothing that looks finished.
cached() {
	[[ -d $1 ]] || locked "$1" make_cached "$@"
}

make_cached() {
	local dir=$1 function=$2
	shift 2
	# Somebody else may have made it while this process waited for the lock.
	[[ ! -d $dir ]] || return 0
	# What a killed run left behind (by ctime: unpacking a package sets its folder's mtime to the package's).
	find "$cache/tmp" -mindepth 1 -maxdepth 1 -cmin +1440 -exec rm -rf {} + 2>/dev/null || true
	made=$(mktemp -d "$cache/tmp/XXXXXXXX")
	# Read-only folders and root's files may be in it.
	trap 'rm -rf "$made" 2>/dev/null || as_root rm -rf "$made"' EXIT
	chmod 755 "$made"
	"$function" "$made" "$@"
	mkdir -p "$(dirname "$dir")"
	mv -T "$made" "$dir"
}

# logged LOG COMMAND...: what the command prints goes to LOG; when it fails, the log's end is shown and that is it.
# (In 'command || ...' bash would not stop at the first error inside the command; here it does.)
logged() {
	local log=$1 status
	shift
	set +e
	(
		set -e
		"$@"
	) >"$log" 2>&1
	status=$?
	set -e
	[[ $status -eq 0 ]] && return
	tail -n 20 "$log" >&2
	die "'$*' failed with status $status (its end is above)" "read $log"
}

# digest: a short name for what is on stdin.
digest() {
	sha256sum | cut -c1-16
}

# fresh FILE HOURS: was FILE written less than HOURS ago?
fresh() {
	[[ -e $1 ]] && [[ -n $(find "$1" -mmin "-$(($2 * 60))") ]]
}
