# SPDX-License-Identifier: GPL-2.0
"""CPython's own tests with functions told to the mock of the module, and without. usage: cpython.py FUNCTIONS TEST..."""
import collections
import importlib.util
import os
import subprocess
import sys
import xml.etree.ElementTree

WITH = {
    "LD_PRELOAD": "/coroprof/libmock.so:/coroprof/libcoroprof-preload.so",
    "MOCK_RECORD": "1", "COROPROF_SLOTS": "65536", "COROPROF_FUNCTIONS": sys.argv[1],
}
TIMEOUT = 3600
# More than that differ for one reason, and none is repeated. One that depends on time is the same once in so many times.
MANY, TIMES = 20, 4
OUTCOMES = ("error", "failure", "skipped")

version = f"Python {sys.version.split()[0]}"
number = 0
bad = 0


def result(good, name, *remarks):
    global number, bad
    number += 1
    bad += not good
    print("ok" if good else "not ok", number, "-", f"{version}: {name}")
    for remark in remarks:
        print("#", remark)
    sys.stdout.flush()


def run(arguments, told, **more):
    """Its output and exit status; None for one that does not end."""
    environment = os.environ | (WITH if told else {}) | more
    try:
        done = subprocess.run([sys.executable, *arguments], env=environment, stdin=subprocess.DEVNULL, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, ""


def outcomes(module, told, alone=None):
    """Of each test by its name, how it ended, and the exit status; a name may have several ends, one of each subtest."""
    file = "/tmp/results.xml"
    if os.path.exists(file):
        os.unlink(file)
    status, output = run(["-m", "test", f"--junit-xml={file}", *(["-m", alone] if alone else []), module], told)
    found = collections.defaultdict(list)
    if os.path.exists(file):
        for case in xml.etree.ElementTree.parse(file).iter("testcase"):
            ends = [child.tag for child in case if child.tag in OUTCOMES]
            found[case.get("name")].append(ends[0] if ends else "passed")
    found = {name: sorted(ends) for name, ends in found.items()}
    return found, status, output


def differing(module):
    """The names of tests that end otherwise each time, and what else is to be said."""
    without, status, _ = outcomes(module, False)
    told, told_status, output = outcomes(module, True)
    remarks = [f"{sum(map(len, without.values()))} tests"]
    names = [name for name in {**without, **told} if without.get(name) != told.get(name)]
    if not without or not told or len(names) > MANY or (status != told_status and not names):
        return names or [module], remarks + [f"exit status {told_status}, without {status}"] + output.splitlines()[-20:]
    for name in list(names):
        for _ in range(TIMES - 1):
            alone = outcomes(module, False, name)[0]
            if alone and alone == outcomes(module, True, name)[0]:
                remarks.append(f"{name} ended otherwise once, and the same when it was repeated")
                names.remove(name)
                break
    return names, remarks


def main():
    log = "/tmp/log"
    run(["-c", "def seen(): pass\nseen()"], True, MOCK_LOG=log, COROPROF_FUNCTIONS="__main__")
    with open(log, encoding="utf-8") as lines:
        result(any(line.startswith("span ") and " seen@" in line for line in lines), "functions are told")
    for test in sys.argv[2:]:
        module = f"test_{test}"
        if importlib.util.find_spec(f"test.{module}"):
            names, remarks = differing(module)
            result(not names, f"each test of {module} ends as it does without", *remarks,
                   *[f"{name} ends otherwise" for name in names])
    print(f"1..{number}")
    return bool(bad)


sys.exit(main())
