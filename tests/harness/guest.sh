# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# For guests that record programs of known work: what the script verify.mjs beside the guest's holds against that. All of it is
# below /out.
set -eu

# shellcheck disable=SC2034 # for who sources this
read=/coroprof/bin/coroprof-read preload=/coroprof/lib/libcoroprof-preload.so
[ -c /dev/coroprof ] || insmod /coroprof.ko

# run NAME COMMAND...: NAME.output is what it prints, with its status, NAME.errors what it complains of
run() {
	name=$1 status=0
	shift
	"$@" >"/out/$name.output" 2>"/out/$name.errors" || status=$?
	echo "status $status" >>"/out/$name.output"
}

# record NAME OPTION... -- COMMAND...: as run, and the page NAME.html
record() {
	name=$1
	shift
	run "$name" "$read" -o "/out/$name.html" "$@"
}

# modes COMMAND...: with each way to switch as its last word, ioctl and then user: without system calls
modes() {
	"$@" ioctl
	echo 1 >/proc/sys/kernel/perf_user_access
	"$@" user
}

# attach NAME OPTION...: records what runs already into the page NAME.html, and goes on once it does. Its process is $reader,
# and gets none of the descriptors from 8 on
attach() {
	attached=$1
	shift
	mkfifo "/tmp/$attached.ready"
	"$read" --ready-fd 9 -o "/out/$attached.html" "$@" >"/out/$attached.errors" 2>&1 8>&- 9>"/tmp/$attached.ready" &
	# shellcheck disable=SC2034 # for who sources this
	reader=$!
	cat "/tmp/$attached.ready" >/dev/null
}

# detached: all that records has ended
detached() {
	while pidof coroprof-read >/dev/null; do sleep 0.1; done
}

# serve NAME COMMAND...: a server answers requests. By the name of NAME-attached it is recorded by attach_to() from its first
# answer on, and has had coroutines by then
serve() {
	name=$1
	shift
	"$@" >"/out/$name.log" 2>&1 &
	served=$!
	until wget -q -O /dev/null http://127.0.0.1:8080/cheap 2>/dev/null; do sleep 0.1; done
	case $name in *-attached) attach_to "$served" ;; esac
	for _ in 1 2 3 4 5; do
		for path in cheap heavy waits; do
			wget -q -O - "http://127.0.0.1:8080/$path"
		done
	done >"/out/$name.output"
	wget -q -O - http://127.0.0.1:8080/quit >>"/out/$name.output"
	wait "$served" && status=0 || status=$?
	echo "status $status" >>"/out/$name.output"
}

# attach_to PID: of the server
attach_to() {
	attach "$name" -p "$1"
}
