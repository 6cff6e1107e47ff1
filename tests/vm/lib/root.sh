# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Whether what needs root can be done here at all.

# need_root WHAT: ends in one line, before anything is done, where this user is not root, and sudo does not make it root: at a
# terminal sudo asks for the password now, and not in the middle.
need_root() {
	if [[ $(id -u) -eq 0 ]] || sudo -n true 2>/dev/null || { [[ -t 0 && -t 2 ]] && sudo -v; }; then
		return
	fi
	printf '%s: this needs root, and sudo does not give it to %s: %s\n' "${0##*/}" "$(id -un 2>/dev/null || id -u)" "$1" >&2
	exit 1
}
