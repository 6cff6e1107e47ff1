#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Requests to Node.js, as the mock of the module is told of them: the program of tests/node.
# usage: node.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/node.log spin=$3/spin.node
here=$(realpath "$(dirname "$0")")
tests=$(realpath "$here/../../../tests/node")

# shellcheck source-path=SCRIPTDIR source=results.sh
. "$(dirname "$0")/results.sh"

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

# Not all have it, nor by the same name.
restricted() {
	for option in --permission --experimental-permission; do
		if node $option --allow-fs-read='*' -e 0 >"$log.model" 2>&1; then break; fi
		option=
	done
	if [ -z "$option" ]; then
		result 0 "under the permission model it runs # SKIP this Node.js has none"
		return
	fi
	echo 'console.log("ran")' >"$log.cjs"
	equal "under the permission model it runs" "$(LD_PRELOAD=$mock:$preload node "$option" \
		--allow-fs-read="$log.cjs" "$log.cjs" 2>"$log.model")" ran
	equal "also where NODE_OPTIONS asks for it" "$(NODE_OPTIONS="$option --allow-fs-read=$log.cjs" LD_PRELOAD=$mock:$preload \
		node "$log.cjs" 2>"$log.model")" ran
}

if ! command -v node >/dev/null || ! node -e 'process.exit(parseInt(process.versions.node) < 18 ? 1 : 0)'; then
	echo "ok 1 - node # SKIP no Node.js, or one before 18"
	echo "1..1"
	exit
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
echo "1..$n"
