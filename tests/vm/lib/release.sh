# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The kernel releases under test, and the Debian suites they come from.

releases=(5.10 6.1 6.12 7.2)
arches=(amd64 arm64)
# Guests' programs are always this suite's.
user_suite=bookworm
export releases arches user_suite

# Each of them also as Debian packages it with PREEMPT_RT: 5.10-rt and so on, of the same suite.
release_suite() {
	case ${1%-rt} in
	5.10) echo bullseye ;;
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	7.2) echo sid ;;
	*) die "no kernel release '$1'" "use one of: ${releases[*]}; with -rt: that one with PREEMPT_RT; or debug, debug-rt, kcsan, in-tree" ;;
	esac
}

# is_debug RELEASE: is it one of the kernels that tests/vm/debug-kernel builds? They go where a release's name goes.
is_debug() {
	[[ $1 == debug || $1 == debug-rt || $1 == kcsan || $1 == in-tree ]]
}

# release_flavour RELEASE: which of the suite's kernels.
release_flavour() {
	case $1 in
	*-rt) echo rt ;;
	*) echo cloud ;;
	esac
}

check_arch() {
	case $1 in
	amd64 | arm64) ;;
	*) die "no architecture '$1'" "use one of: ${arches[*]}" ;;
	esac
}

host_arch() {
	dpkg --print-architecture
}

host_suite() {
	# shellcheck source=/dev/null
	(. /etc/os-release && echo "${VERSION_CODENAME:-unknown}")
}

# The architecture's name as the kernel's Makefile and as the GNU tools have it.
kernel_arch() {
	case $1 in
	amd64) echo x86_64 ;;
	arm64) echo arm64 ;;
	esac
}

gnu_triplet() {
	case $1 in
	amd64) echo x86_64-linux-gnu ;;
	arm64) echo aarch64-linux-gnu ;;
	esac
}
