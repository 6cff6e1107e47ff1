# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For scripts that boot guests with the module; those of arm64 have counters that are exact.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
O=${O:-$top/out/native}

# prepare [GROUP...]: what is missing on this machine (tests/vm/deps), the module, and user space
prepare() {
	"$top/tests/vm/deps" build arm64 vm "$@"
	"$top/tests/vm/module" 6.1 arm64
	"$top/tests/vm/userspace" arm64 "$top/out/guest-arm64"
}

# compile COMPILER SOURCE PROGRAM OPTION...: for the guest, by gcc or g++; $libraries: packages of headers that it needs
compile() {
	# shellcheck disable=SC2086 # a list of words
	"aarch64-linux-gnu-$1" "--sysroot=$("$top/tests/vm/sysroot" arm64 ${libraries:-})" -O1 -g -Wall -Wextra -Werror -o "$3" "$2" "${@:4}"
}

# module_guest RELEASE ARCH FOLDER OPTION... -- COMMAND: with the module for that kernel; what the guest leaves in /out comes into
# FOLDER. On arm64 it has one processor: QEMU has one count of instructions for all of them, so that with more each would count
# the others'.
module_guest() {
	local exact=()
	[[ $2 == amd64 ]] || exact=(--exact --smp 1)
	"$top/tests/vm/boot" --release "$1" --arch "$2" "${exact[@]}" --out "$3" --add "$top/out/kernel/$1-$2/coroprof.ko" "${@:4}"
}

# exact_guest FOLDER OPTION... -- COMMAND: arm64, with Debian's 6.1, and user space in /coroprof
exact_guest() {
	local built=$top/out/guest-arm64
	module_guest 6.1 arm64 "$1" --add "$built/bin:/coroprof/bin" --add "$built/lib:/coroprof/lib" "${@:2}"
}
