#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Requests to servers of Python's frameworks, as the mock of the module is told of them: each has the route as its label.
# usage: python-routes.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/python-routes.log
python=/usr/bin/python3

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# labels: what each coroutine was called at last, but for those of no request, as often as it was
labels() {
	sed -nE 's/^slice id=([0-9]+) (.*)/\1\t\2/p' "$log" | awk -F'\t' '{ last[$1] = $2 } END { for (id in last) print last[id] }' |
		grep -E '^([A-Z]+|\(another method\)) [/(]' | sort | uniq -c
}

# recorded NAME ARGUMENT...: and it is as without
recorded() {
	name=$1
	shift
	keep "$log.plain" "$python" -W ignore python-routes.py "$@"
	rm -f "$log"
	MOCK_RECORD=1 MOCK_SLICES=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.recorded" "$python" -W ignore python-routes.py "$@"
	cmp -s "$log.plain" "$log.recorded" && tail -n 1 "$log.recorded" | grep -qx 'status 0'
	result $? "$name: the same answers, modules and exit status when recorded"
}

# has MODULE...: or says why its tests are left out
has() {
	for module; do
		"$python" -c "import $module" 2>/dev/null && continue
		skip "routes of $1" "this Python has no $module: install python3-$module"
		return 1
	done
}

routes() { # FRAMEWORK MODULE...
	framework=$1
	has "$@" || return
	for loop in asyncio uvloop; do
		[ $loop = asyncio ] || has "$framework" uvloop || continue
		recorded "$framework, $loop" "$framework" $loop
		equal "$framework, $loop: each request is a coroutine that is called by its method and route" "$(labels)" \
			"$("$python" python-routes.py "$framework" sent | sort | uniq -c)"
	done
}

many() {
	has aiohttp || return
	recorded "aiohttp with 1050 routes" aiohttp many
	equal "a thousand routes have labels, and the others one that says so" \
		"$(labels | awk '/another route/ { others = $1 } !/another route/ { n++ } END { print n, others }')" "1000 50"
}

signals() {
	has tornado || return
	equal "what a handler of signals raises while a route is looked for is raised in the program" \
		"$(MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload "$python" -W ignore python-signals.py)" each
}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
	skip "routes of Python's frameworks" "/usr/bin/python3 is before 3.11"
	finish
fi
routes starlette uvicorn
routes fastapi uvicorn
routes django uvicorn
routes aiohttp
routes tornado
many
signals
finish
