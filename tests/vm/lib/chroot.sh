# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Programs of another suite on this host, in what tests/vm/rootfs made. Needs common.sh.

# in_root ROOT COMMAND...: the mounts are in a namespace of their own, and vanish with it.
in_root() {
	# shellcheck disable=SC2016 # for the inner shell
	as_root unshare --mount --propagation private bash -euc '
		root=$1
		shift
		mount --rbind /dev "$root/dev"
		mount -t proc proc "$root/proc"
		mount -t tmpfs tmpfs "$root/tmp"
		exec chroot "$root" env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
	' bash "$@"
}
