# SPDX-License-Identifier: GPL-2.0
"""Python that a program begins and ends several times, as the mock of the module is told of it; and one whose sys.monitoring
the program has changed. usage: python-again.py PRELOAD-LIBRARY MOCK PROGRAM LOG, by the Python whose library it is to be."""
import ctypes
import os
import re
import subprocess
import sys

preload, mock, program, log = sys.argv[1:]
library = "libpython%d.%d.so.1.0" % sys.version_info[:2]
version = f"Python {sys.version.split()[0]}"
TIMES = 3
number = 0
bad = 0

TASKS = """
import asyncio
class Pause:
    def __await__(self):
        yield 1
async def inner():
    await asyncio.sleep(0)
async def light():
    for _ in range(3):
        await inner()
async def pending():
    await Pause()
def seen():
    pass
async def main():
    await asyncio.gather(light(), light())
asyncio.run(main())
given_up = pending()
given_up.send(None)
seen()
print("done")
"""

ASKS = """
import ctypes
functions = ctypes.PyDLL(None).coroprof_python_functions_
functions.restype = ctypes.c_char_p
print(functions(b"__main__"))
"""

# What is missing when functions are asked for, and then is there again.
MISSES = """
import ctypes, sys
functions = ctypes.PyDLL(None).coroprof_python_functions_
functions.restype = ctypes.c_char_p
def seen():
    pass
monitoring = sys.monitoring
for name, other in ("DISABLE", None), ("events", None), ("free_tool_id", len), ("get_tool", monitoring.get_events):
    before = getattr(monitoring, name)
    delattr(monitoring, name) if other is None else setattr(monitoring, name, other)
    assert functions(b"__main__") == b"sys.monitoring of this Python is not known", name
    setattr(monitoring, name, before)
assert len("four") == 4
assert functions(b"__main__") is None
seen()
"""

# What is missing when they are asked for no more: nothing of ours is left in the tool.
LEAVES = """
import ctypes, sys
functions = ctypes.PyDLL(None).coroprof_python_functions_
functions.restype = ctypes.c_char_p
def seen():
    pass
assert functions(b"__main__") is None
seen()
monitoring, events = sys.monitoring, sys.monitoring.events
del monitoring.events, monitoring.DISABLE
assert functions(None) is None
seen()
monitoring.use_tool_id(4, "own")
assert monitoring.register_callback(4, events.PY_START, None) is None
"""

HIDDEN = """
import ctypes, sys
functions = ctypes.PyDLL(None).coroprof_python_functions_
functions.restype = ctypes.c_char_p
def seen():
    pass
del sys.modules["sys"]
print(functions(b"__main__"))
seen()
"""


def result(good, name, *remarks):
    global number, bad
    number += 1
    bad += not good
    print("ok" if good else "not ok", number, "-", f"{version}: {name}")
    for remark in () if good else remarks:
        print("#", remark)


def equal(name, found, expected):
    result(found == expected, name, f"got {found}, expected {expected}")


def run(script, told, functions="", times=TIMES):
    """Its exit status and what it prints."""
    environment = os.environ | {"LD_PRELOAD": library}
    if told:
        environment |= {"LD_PRELOAD": f"{mock}:{preload}:{library}", "MOCK_RECORD": "1", "MOCK_LOG": log,
                        "COROPROF_SLOTS": "2048", "COROPROF_FUNCTIONS": functions}
        if functions or script != TASKS:
            environment["MOCK_FINDS_NAMES"] = "1"
    if os.path.exists(log):
        os.unlink(log)
    done = subprocess.run([program, str(times), script], env=environment, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


def count(pattern):
    with open(log, encoding="utf-8", errors="replace") as lines:
        return sum(bool(re.match(pattern, line)) for line in lines)


def calls(*names):
    return [count(f"span .* {name}@") for name in names]


def look(how):
    equal(f"{how}: each task of each time is a coroutine, and what it awaits is none",
          [count(f"switch .* FRESH .* {name}@") for name in ("light", "inner", "pending")], [2 * TIMES, 0, TIMES])
    equal(f"{how}: asyncio tells each time when a task is ready", count("switch .* WOKEN .* light@"), 2 * 4 * TIMES)
    equal(f"{how}: all that were born have ended", count("switch .* END "),
          count(r"switch .* FRESH (?!.*(\(coroprof\)|\(thread))"))


def again():
    plain = run(TASKS, False)
    equal("the program begins and ends it", plain, (7, "done\n" * TIMES))
    for functions in "", "__main__":
        how = "with functions" if functions else "without functions"
        equal(f"{how}: and does what it does without", run(TASKS, True, functions), plain)
        look(how)
        equal(f"{how}: which are told each time, if at all", calls("light", "inner", "seen"),
              [2 * TIMES, 6 * TIMES, TIMES] if functions else [0, 0, 0])
    equal("it asks for functions each time", run(ASKS + TASKS, True), (7, "None\ndone\n" * TIMES))
    look("asked for functions")
    equal("and they are told each time", calls("light", "seen"), [2 * TIMES, TIMES])


def changed():
    equal("a program whose sys.modules has no sys", run(HIDDEN, True, times=1)[0], 7)
    if sys.version_info < (3, 12):
        return
    equal("a program that has changed sys.monitoring is told so", run(MISSES, True), (7, ""))
    equal("and has functions once it is as it was", calls("seen"), [TIMES])
    equal("one that changes it while functions are told finds its tools free later", run(LEAVES, True), (7, ""))
    equal("and they are told until then", calls("seen"), [TIMES])


try:
    ctypes.CDLL(library)
except OSError:
    print(f"ok 1 - {version}: begun and ended several times # SKIP {library} is not installed\n1..1")
    sys.exit()
again()
changed()
print(f"1..{number}")
sys.exit(bool(bad))
