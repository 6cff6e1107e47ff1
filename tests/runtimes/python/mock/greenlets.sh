#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Greenlets of Python, and gevent's, as the mock of the module is told of them.
# usage: greenlets.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/greenlets.log
program=$(realpath "$(dirname "$0")/greenlets.py")
python=/usr/bin/python3

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

births() {
	count "^switch .* FRESH .* $1@"
}

# born FUNCTION: the number of the first
born() {
	sed -nE "s/^switch id=([0-9]+) .* FRESH .* $1@.*/\1/p" "$log" | head -n 1
}

$python -c 'import sys, gevent; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
	skip greenlets "no gevent for a Python of 3.11 or later"
	finish
}
$python "$program" >"$log.plain" 2>&1
status=$?
rm -f "$log"
MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload $python "$program" >"$log.recorded" 2>&1
equal 'the same exit status when recorded' $? $status
cmp -s "$log.plain" "$log.recorded"
result $? 'and the same output'
equal 'each greenlet that runs is a coroutine' "$(births outer) $(births light)" '1 6'
equal 'so is one whose class has what it runs' "$(births Own.run)" 1
equal 'what a thread begins with is none, also where one was before: but for one that had nothing to run at first' \
	"$(births returns) $(count '^switch .* FRESH .* greenlet$')" '5 1'
equal 'one that was thrown into before it began is none' "$(births cleans_up)" 2
equal 'whoever made it is its parent' "$(count "^switch .* parent=$(born outer) FRESH .* light@")" 1
equal 'one that fails has ended when the other goes on' \
	"$(grep -v '(coroprof)' "$log" | grep -E -A1 '^switch .* FRESH .* fails@' | grep -c ' END ')" 1
equal 'one that is given up goes on, to clean up' "$(count "^switch id=$(born cleans_up) .* cleans_up@")" 2
equal 'all have ended, but one that nobody goes on with, and the hub of gevent' "$(count '^switch .* END ')" \
	"$(($(grep -E '^switch .* FRESH ' "$log" | grep -vcE '\(coroprof\)|\(thread') - 2))"
equal "gevent's are called by what they were given to run" "$(births sleeps) $(births Called.__call__) $(births waits)" '2 1 1'
equal 'and are ready when spawned' "$(count '^switch .* FRESH WOKEN .* sleeps@')" 2
equal 'one that gives way is ready' "$(count '^switch .* READY ')" 1
equal 'it is called by its qualified name, file and line' "$(grep -oE ' light@.*' "$log" | sort -u)" \
	" $(echo "light@$program:$(grep -n 'def light' "$program" | cut -d: -f1)" | cut -c1-63)"

# One that begins after Python has given up its modules.
late='
import codecs, os, greenlet
def late(first, write):
    class Late:
        def __call__(self, name):
            pass
        def __del__(self):
            first.switch()
            write(1, b"late\n")
    return Late()
codecs.register(late(greenlet.greenlet(lambda: None), os.write))
'
MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.late" $python -c "$late"
equal 'one may begin when Python ends' "$(tr '\n' ' ' <"$log.late")" 'late status 0 '
finish
