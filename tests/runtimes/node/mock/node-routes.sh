#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Requests to servers of frameworks of Node.js, as the mock of the module is told of them: each has its route as its label.
# usage: node-routes.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/node-routes.log
export NODE_PATH="$3/node-routes/node_modules"

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# labels: what each request was called at last, as often as it was
labels() {
	sed -nE 's/^slice id=([0-9]+) (.*)/\1\t\2/p' "$log" | awk -F'\t' '{ last[$1] = $2 } END { for (id in last) print last[id] }' |
		grep -E '^[A-Z]+ /' | sort | uniq -c
}

routes() { # FRAMEWORK
	keep "$log.plain" node node-routes.cjs "$1"
	rm -f "$log"
	MOCK_RECORD=1 MOCK_SLICES=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.recorded" node node-routes.cjs "$1"
	cmp -s "$log.plain" "$log.recorded" && tail -n 1 "$log.recorded" | grep -qx 'status 0'
	result $? "$1: the same answers and exit status when recorded"
	equal "$1: each request is a coroutine that is called by its method and route" "$(labels)" \
		"$(node node-routes.cjs "$1" sent | sort | uniq -c)"
	[ "$1" = fastify ] ||
		equal "$1: so is its first slice, where that has found the route" "$(count '^slice .* GET /users/ann$')" 0
}

if ! node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null; then
	skip "routes of Node.js" "no Node.js, or one before 20"
elif [ ! -e "$NODE_PATH/.done" ]; then
	skip "routes of Node.js" "npm has not installed the frameworks: there is no network"
else
	for framework in express express5 fastify koa; do routes $framework; done
	rm -f "$log"
	MOCK_RECORD=1 MOCK_SLICES=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload node node-routes.cjs express many >"$log.recorded" 2>&1
	equal "a route has its label though a thousand paths were asked for before" "$(labels | grep -cE '(3 GET /late/:id|1017 GET /users/:id)$')" 2
fi
finish
