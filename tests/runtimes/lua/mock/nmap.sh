#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# nmap runs all scripts through one function: each coroutine is to have the name of its script. Nothing but this
# machine's loopback is asked.
# usage: nmap.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 folder=$3
scripts=$(dirname "$0")/nmap

# shellcheck source=tests/harness/tap.sh
. "$(dirname "$0")/../../../harness/tap.sh"

if ! command -v nmap >/dev/null; then
	skip nmap "nmap is not installed"
	finish
fi

# What the scripts say; the rest of the output has times in it.
scan() {
	(cd "$scripts" && nmap -Pn -n -sT -p 1 --script ./alpha.nse,./beta.nse 127.0.0.1) 2>&1 </dev/null |
		grep -E '^\|' | sort
}

# seen LABEL WHAT
seen() {
	grep -q "^switch .*FRESH.* $1\$" "$folder/nmap.log"
	result $? "$2"
}

scan >"$folder/nmap.plain"
grep -q "alpha's worker" "$folder/nmap.plain" && grep -q 'beta: beta' "$folder/nmap.plain"
result $? "nmap runs the scripts"
rm -f "$folder/nmap.log"
MOCK_RECORD=1 MOCK_LOG=$folder/nmap.log LD_PRELOAD=$mock:$preload scan >"$folder/nmap.recorded"
cmp -s "$folder/nmap.plain" "$folder/nmap.recorded"
result $? "nmap's scripts say the same when recorded"
seen 'alpha@.*nse_main\.lua:[0-9]*' "the coroutine of one script has its name"
seen 'beta@.*nse_main\.lua:[0-9]*' "that of another has its own"
seen 'alpha@.*alpha\.nse:18' "a thread that a script starts has the script's name"
finish
