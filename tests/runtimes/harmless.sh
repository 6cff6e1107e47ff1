#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Programs run with the preload library as they do without.
# usage: harmless.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 folder=$3

# shellcheck source=tests/harness/tap.sh
. "$(dirname "$0")/../harness/tap.sh"

# same NAME COMMAND...: the same output and status, without the module and with it. Fails if there is no such command
same() {
	name=$1
	shift
	command -v "$1" >/dev/null || { skip "$name" "not installed"; return 1; }
	"$@" >"$folder/plain" 2>&1 </dev/null
	echo "status $?" >>"$folder/plain"
	LD_PRELOAD=$preload "$@" >"$folder/preloaded" 2>&1 </dev/null
	echo "status $?" >>"$folder/preloaded"
	cmp -s "$folder/plain" "$folder/preloaded"
	result $? "$name, without the module"
	rm -f "$folder/log"
	MOCK_LOG=$folder/log LD_PRELOAD=$mock:$preload "$@" >"$folder/preloaded" 2>&1 </dev/null
	echo "status $?" >>"$folder/preloaded"
	cmp -s "$folder/plain" "$folder/preloaded"
	result $? "$name, with it"
}

# quiet NAME COMMAND...: the same; and it has no coroutines, and makes nothing known
quiet() {
	same "$@" || return
	! grep -q process "$folder/log" 2>/dev/null
	result $? "$1 is not made known"
}

quiet sh sh -c 'echo a | cat; (echo b) & wait; exit 3'
# shellcheck disable=SC2016 # for the inner shell
quiet bash bash -c 'for i in 1 2 3; do echo $(echo $i); done; exec true'
# shellcheck disable=SC2016 # Perl's variables
same perl perl -e 'print join(",", map { $_ * 2 } 1..5), "\n"; if (fork) { wait } else { exit 4 } print $? >> 8'
same python3 python3 -c 'import threading, subprocess, asyncio
threads = [threading.Thread(target=print, args=(i,)) for i in range(1)]
[t.start() for t in threads]; [t.join() for t in threads]
async def f(): await asyncio.sleep(0); return 3
print(asyncio.run(f()), subprocess.run(["echo", "x"], capture_output=True))'
quiet 'python3 without coroutines' python3 -c 'import asyncio, json; print(json.dumps([i for i in range(3)]))'
for lua in lua5.1 lua5.2 lua5.3 lua5.4 luajit texlua; do
	same $lua $lua -e 'local c = coroutine.wrap(function(a) for i = 1, 3 do a = a + coroutine.yield(a) end return a end) print(c(1), c(2), c(3), pcall(error, "e"))'
done
same 'luajit with its own switches' luajit -e 'for i = 1, 1000 do local c = coroutine.create(function() coroutine.yield(i) error("x") end) coroutine.resume(c) coroutine.resume(c) end print(collectgarbage("count") > 0)'
images() {
	# shellcheck disable=SC2016 # for the inner shell
	same qemu-img env IMAGES="$folder/images" sh -c '
	mkdir -p "$IMAGES" && cd "$IMAGES" && seq 300000 >raw &&
	qemu-img convert -f raw -O qcow2 -c raw packed && qemu-img check packed &&
	qemu-img convert -O raw packed back && qemu-img compare raw packed && cksum raw back &&
	qemu-io -c "read 64k 128k" -c "aio_write -P 7 0 1M" -c "aio_read 1M 64k" -c aio_flush packed |
		grep -v ops/sec && qemu-img compare raw packed'
}
if command -v qemu-img >/dev/null; then images; else skip qemu-img "not installed"; fi
quiet 'java without virtual threads' java -Xint -XX:+UseSerialGC -version
same "programs with Boost's coroutines" "$folder/known-boost"
# Debian's redis-server is this program by another name.
same redis-server bash -c 'exec -a redis-server redis-check-rdb --version'
same git git --version

# As the dynamic linker ends a program that needs what is nowhere.
LD_PRELOAD=$preload "$folder/weak" >"$folder/preloaded" 2>&1
status=$?
[ $status = 127 ] && grep -q '^called$' "$folder/preloaded" &&
	grep -q 'weak: symbol lookup error: .*: undefined symbol: lua_closethread$' "$folder/preloaded"
result $? "a function that is nowhere ends the program with a message and 127"

finish
