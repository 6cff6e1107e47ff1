#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Coroutines and functions of Python, of each version there is, as the mock of the module is told of them.
# usage: python.sh PRELOAD-LIBRARY MOCK FOLDER
preload=$1 mock=$2 log=$3/python.log
program=$(realpath "$(dirname "$0")/python.py")

cd "$(dirname "$0")" || exit
# shellcheck source=tests/runtimes/mock.sh
. ../../mock.sh

# births FUNCTION, resumes FUNCTION
births() {
	count "^switch .* FRESH .* $1@"
}

resumes() {
	count "^switch .* $1@" | awk '{ print $1 - '"$(births "$1")"' }'
}

# ends: of those that were switched to for the first time, less the adapter's own, and threads'
ends() {
	count '^switch .* END '
}

look() { # VERSION
	equal "$1: each task is a coroutine" "$(births light)" 3
	equal "$1: it goes on each time that what it awaits has come" "$(resumes light)" 9
	equal "$1: whoever made it is its parent" \
		"$(grep -E '^switch .* FRESH .* light@' "$log" | grep -c "parent=$(sed -nE 's/^switch id=([0-9]+) .* FRESH .* main@.*/\1/p' "$log") ")" 3
	equal "$1: it was made ready each time, the first one included" "$(count '^switch .* WOKEN .* light@')" 12
	equal "$1: what it awaits is no coroutine of its own" "$(births inner)" 0
	equal "$1: tasks that are cancelled, fail, or run on a thread or in a child are coroutines" \
		"$(births cancelled) $(births fails) $(births elsewhere)" "2 2 3"
	equal "$1: so is one that the program drives itself, and each that it gives up, closes, and throws into" \
		"$(births driven) $(births pending)" "1 3"
	equal "$1: all that were born have ended" "$(ends)" \
		"$(grep -E '^switch .* FRESH ' "$log" | grep -vcE '\(coroprof\)|\(thread')"
	# The mock keeps 63 characters.
	equal "$1: it is called by its qualified name, file and line" \
		"$(grep -oE 'light@.*' "$log" | sort -u)" \
		"$(echo "light@$program:$(grep -n 'async def light' "$program" | cut -d: -f1)" | cut -c1-63)"
}

# recorded PYTHON PROGRAM...: how it ends and what it prints is as without
recorded() {
	keep "$log.plain" "$@"
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.recorded" "$@"
	cmp -s "$log.plain" "$log.recorded"
	result $? "$name: the same output and exit status when recorded"
}

# has PYTHON MODULE: or says why its tests are left out
has() {
	"$1" -c "import $2" 2>/dev/null && return
	result 0 "$name # SKIP this Python has no $2: install python3-$2"
	return 1
}

# sees PYTHON LOOP HOW READY: the program's own hook; and its tasks are made ready so often. What a loop does may differ from run
# to run, so it may differ twice; what is there each time is of us.
# Where objects are is of nobody: without us they are elsewhere on purpose.
sees() {
	own=$(dirname "$program")/python-seen.py
	for _ in 1 2 3; do
		keep "$log.plain" "$1" -W ignore "$own" "$2" "$3" elsewhere
		rm -f "$log"
		MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.seen" "$1" -W ignore "$own" "$2" "$3"
		diff "$log.plain" "$log.seen" >"$log.differs" && break
		sed 's/^/# /' "$log.differs" | head -n 40
	done
	[ ! -s "$log.differs" ] && grep -q light "$log.seen"
	result $? "$name, $3: a program's own function sees what it sees without"
	equal "$name, $3: and tasks are made ready meanwhile" "$(count '^switch .* WOKEN .*\.light@')" "$4"
}

seen() { # VERSION PYTHON
	for loop in asyncio:12 uvloop:12 trio:6; do
		name="$1, hooks on ${loop%:*}"
		has "$2" "${loop%:*}" || continue
		sees "$2" "${loop%:*}" profile "${loop#*:}"
		sees "$2" "${loop%:*}" trace "${loop#*:}"
		# Since 3.12.
		! "$2" -c 'import sys; sys.monitoring' 2>/dev/null || sees "$2" "${loop%:*}" monitoring "${loop#*:}"
	done
}

# awaits VERSION PYTHON
awaits() {
	name=$1
	program=$(dirname "$program")/python-awaits.py
	recorded "$2" "$program"
	equal "$name: whatever a task awaits by, it is one coroutine, which goes on three times" \
		"$(sed -nE 's/^switch .* (by_[a-z_]*)@.*/\1/p' "$log" | sort | uniq -c | awk '{ print $1 }' | sort | uniq -c | awk '{ print $1, $2 }')" "13 4"
	equal "$name: what they await by is none" \
		"$(grep -E '^switch .* FRESH ' "$log" | grep -cE ' (fetch|numbers|bridge|resource|Numbers|Resource|[^ ]*<locals>)')" 0
	equal "$name: a step that wakes 20 others and makes 20 is one slice" "$(births one_step) $(resumes one_step)" "1 0"
	equal "$name: all of those were made ready in it" \
		"$(births waits) $(resumes waits) $(births made) $(count '^switch .* WOKEN .* (waits|made)@')" "20 20 20 60"
	program=$(dirname "$program")/python.py
}

# names VERSION PYTHON: each coroutine has its own, though code keeps the last label that it had
names() {
	name="$1, names"
	recorded "$2" "$(dirname "$program")/python-names.py"
	equal "$name: each coroutine is called as Python calls it, in the order in which they begin" \
		"$(sed -nE 's/^switch .* FRESH .* ([a-z_0-9]+)@.*/\1/p' "$log" | grep -v '^main$' | tr '\n' ' ')" \
		"$(tr '\n' ' ' <"$log.plain" | sed 's/status .*//')"
}

uvloop() { # VERSION PYTHON
	name="$1, uvloop"
	has "$2" uvloop || return
	recorded "$2" -W ignore "$program" uvloop
	look "$name"
	# A child of fork() tells it again.
	equal "$name: it is told who says when they are ready" \
		"$(grep -oE '^label .* (asyncio|uvloop)$' "$log" | grep -oE '[a-z]+$' | sort -u)" uvloop
}

trio() { # VERSION PYTHON
	name="$1, trio"
	has "$2" trio || return
	recorded "$2" -W ignore "$(dirname "$program")/python-trio.py"
	equal "$name: each task is a coroutine, and what it awaits is none" "$(births light) $(births waits) $(births inner)" "3 2 0"
	equal "$name: so is one that sleeps, is cancelled, fails, or runs on a thread" \
		"$(births sleeps) $(births cancelled) $(births fails) $(births elsewhere)" "1 1 1 1"
	equal "$name: it goes on each time that what it awaits has come" "$(resumes light) $(resumes waits)" "9 2"
	equal "$name: and was made ready each time, the first one included" \
		"$(count '^switch .* WOKEN .* light@') $(count '^switch .* WOKEN .* waits@')" "12 4"
	equal "$name: whoever started it is its parent" \
		"$(grep -E '^switch .* FRESH .* light@' "$log" | grep -c "parent=$(sed -nE 's/^switch id=([0-9]+) .* FRESH .* main@.*/\1/p' "$log") ")" 3
	equal "$name: all that were born have ended" "$(ends)" \
		"$(grep -E '^switch .* FRESH ' "$log" | grep -vcE '\(coroprof\)|\(thread')"
	equal "$name: it is told who says when they are ready" "$(count '^label .* trio$')" 1
}

# By sys.remote_exec(), which there is since 3.14. The module is beside the library.
attach() { # VERSION PYTHON
	name="$1, attached to by sys.remote_exec()"
	"$2" -c 'import sys; sys.remote_exec' 2>/dev/null || return
	rm -f "$log"
	equal "$name: the program ends as it would" \
		"$("$2" "$(dirname "$program")/python-attach.py" "$(dirname "$preload")/python" "$mock" "$log")" "status 9"
	equal "$name: from then on its tasks are coroutines, and it is told when they are ready" \
		"$(births light) $(resumes light) $(count '^switch .* WOKEN .* light@')" "2 6 8"
	equal "$name: so is the one that was there before, which made them" \
		"$(grep -E '^switch .* FRESH .* light@' "$log" | grep -c "parent=$(sed -nE 's/^switch id=([0-9]+) .* FRESH .* main@.*/\1/p' "$log") ")" 2
}

# calls FUNCTION, begun and ended
calls() {
	count "^span .* $1@"
}

functions() { # VERSION
	equal "$1, functions: the same exit status" $? "$status"
	cmp -s "$log.plain" "$log.functions"
	result $? "$1, functions: and the same output"
	equal "$1, functions: a coroutine's function is one call, however often it awaits" "$(calls light) $(calls inner)" "3 9"
	equal "$1, functions: so is one that fails, is cancelled, is closed, or runs elsewhere" \
		"$(calls fails) $(calls cancelled) $(calls pending) $(calls elsewhere)" "2 2 3 3"
	equal "$1, functions: a generator is called each time it goes on" "$(calls generated)" 5
	equal "$1, functions: what is not asked for is not told" "$(count '^span .* .*@.*/lib/')" 0
	equal "$1, functions: coroutines are as without" "$(births light) $(births inner)" "3 0"
}

# hooks VERSION PYTHON: what a program hooks itself, it is told as without
hooks() {
	hooked=$(dirname "$program")/python-hooks.py
	keep "$log.plain" "$2" "$hooked"
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log COROPROF_FUNCTIONS=__main__ MOCK_FINDS_NAMES=1 LD_PRELOAD=$mock:$preload keep "$log.hooked" "$2" "$hooked"
	cmp -s "$log.plain" "$log.hooked"
	result $? "$1, functions: a program's own hooks see what they see without"
	! grep -q ' is already in use' "$log.plain" ||
		equal "$1, functions: they are told while the program leaves a tool" "$(calls seen)" 11
}

# As the module coroprof asks for it, in a child of fork() too: there nobody has stopped what the parent started.
twice='
import ctypes
functions = ctypes.PyDLL(None).coroprof_python_functions_
functions.restype = ctypes.c_char_p
def seen(deeper):
    if deeper:
        seen(deeper - 1)
for _ in range(2):
    assert functions(b"__main__") is None
seen(2)
functions(None)
seen(2)
'

# What is thrown into a coroutine that has not begun ends no call of the same function.
thrown='
import ctypes
functions = ctypes.PyDLL(None).coroprof_python_functions_
functions.restype = ctypes.c_char_p
async def again(deeper):
    if deeper:
        try:
            again(deeper - 1).throw(KeyError)
        except KeyError:
            within()
def within():
    pass
assert functions(b"__main__") is None
for deeper in 0, 1:
    try:
        again(deeper).send(None)
    except StopIteration:
        pass
functions(None)
'

# Recorded or not, what there is in a loop's type, and in that of what it keeps its tasks in, is Python's own.
left='
import asyncio, collections, ctypes, importlib.util
from asyncio.base_events import BaseEventLoop
record = ctypes.CDLL(None).mock_record
async def light():
    for _ in range(2):
        await asyncio.sleep(0)
async def tasks():
    await asyncio.create_task(light())
loops = [(BaseEventLoop, "_call_soon", lambda: asyncio.run(tasks())), (collections.deque, "append", lambda: None)]
if importlib.util.find_spec("uvloop"):
    import uvloop
    def run():
        loop = uvloop.new_event_loop()
        loop.run_until_complete(tasks())
        loop.close()
    loops += [(uvloop.Loop, "call_soon", run), (uvloop.loop.Loop, "call_soon", run)]
if importlib.util.find_spec("trio"):
    import trio
    from trio._core._run import Runner
    async def main():
        await trio.sleep(0)
    loops.append((Runner, "reschedule", lambda: trio.run(main)))
before = [vars(loop).get(name) for loop, name, run in loops]
for on in 1, 0, 1, 0:
    record(on)
    for loop, name, run in loops:
        run()
    assert all(vars(loop).get(name) is one for (loop, name, run), one in zip(loops, before)), on
'

# What a program puts there itself, while recorded or not, stays there.
wrapped='
import asyncio, ctypes
from asyncio.base_events import BaseEventLoop
record = ctypes.CDLL(None).mock_record
async def light():
    await asyncio.sleep(0)
def wrap():
    before = BaseEventLoop._call_soon
    def own(*args, **names):
        nonlocal calls
        calls += 1
        return before(*args, **names)
    calls = 0
    BaseEventLoop._call_soon = own
    return lambda: calls, own
record(1)
asyncio.run(light())
counts = []
for on in 0, 1, 0, 1:
    calls, own = wrap()
    counts.append(calls)
    for now in on, 1 - on, on:
        record(now)
        before = [calls() for calls in counts]
        asyncio.run(light())
        assert BaseEventLoop._call_soon is own, (on, now)
        assert all(calls() > one for calls, one in zip(counts, before)), (on, now)
'

# A coroutine that begins after Python has given up its modules.
late='
import codecs, os
async def light():
    pass
def late(coroutine, write, stop):
    class Late:
        def __call__(self, name):
            pass
        def __del__(self):
            try:
                coroutine.send(None)
            except stop:
                write(1, b"late\n")
    return Late()
codecs.register(late(light(), os.write, StopIteration))
'

# runs COMMAND: the interpreter, if there is one
runs() {
	[ -z "$1" ] || "$1" -c 'import sys; print(sys.executable)' 2>/dev/null
}

all() { # PYTHON
	python=$1
	version=$("$python" -V)
	# Whether one says that a process with threads forks depends on the time it takes.
	"$python" -W ignore "$program" >"$log.plain" 2>&1
	status=$?
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload "$python" -W ignore "$program" >"$log.recorded" 2>&1
	equal "$version: the same exit status when recorded" $? $status
	cmp -s "$log.plain" "$log.recorded"
	result $? "$version: and the same output"
	look "$version"
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log COROPROF_FUNCTIONS=__main__ MOCK_FINDS_NAMES=1 LD_PRELOAD=$mock:$preload \
		"$python" -W ignore "$program" >"$log.functions" 2>&1
	functions "$version"
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log MOCK_FINDS_NAMES=1 LD_PRELOAD=$mock:$preload "$python" -c "$twice"
	equal "$version, functions: asked for twice" $? 0
	equal "$version, functions: and each call is one, until they are asked for no more" "$(calls seen)" 3
	rm -f "$log"
	MOCK_RECORD=1 MOCK_LOG=$log MOCK_FINDS_NAMES=1 LD_PRELOAD=$mock:$preload "$python" -c "$thrown"
	equal "$version, functions: a coroutine is thrown into before it begins" $? 0
	equal "$version, functions: and that ends no call of the same function" \
		"$(grep -oE '^span .* (again|within)@' "$log" | sed 's/.* //' | tr -d '\n')" again@within@again@
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.left" "$python" -c "$left"
	equal "$version: nothing of ours is put into a loop's type, recorded or not" "$(cat "$log.left")" "status 0"
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.wrapped" "$python" -c "$wrapped"
	equal "$version: what a program puts into a loop's type itself stays there" "$(cat "$log.wrapped")" "status 0"
	MOCK_RECORD=1 MOCK_LOG=$log LD_PRELOAD=$mock:$preload keep "$log.late" "$python" -c "$late"
	equal "$version: a coroutine may begin when Python ends" "$(tr '\n' ' ' <"$log.late")" "late status 0 "
	awaits "$version" "$python"
	names "$version" "$python"
	hooks "$version" "$python"
	seen "$version" "$python"
	uvloop "$version" "$python"
	trio "$version" "$python"
	attach "$version" "$python"
}

usual=$(runs /usr/bin/python3)
release=$([ -z "$usual" ] || "$usual" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
case $release in
3.1[1-9]) all "$usual" ;;
*) result 0 "Python # SKIP /usr/bin/python3 is ${release:-not there}: 3.11 or later is needed" ;;
esac
finish
