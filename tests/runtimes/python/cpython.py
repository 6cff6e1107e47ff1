# SPDX-License-Identifier: GPL-2.0
"""CPython's own tests with functions told to the mock of the module, and without; and those of a package, PACKAGE/FILE or
PACKAGE for all, with its coroutines or greenlets told. usage: cpython.py FUNCTIONS TEST..."""
import collections
import importlib.util
import os
import subprocess
import sys
import xml.etree.ElementTree

WITH = {
    "LD_PRELOAD": "/coroprof/libmock.so:/coroprof/libcoroprof-preload.so",
    "MOCK_RECORD": "1", "COROPROF_SLOTS": "65536",
}
FUNCTIONS = {"COROPROF_FUNCTIONS": sys.argv[1], "MOCK_FINDS_NAMES": "1"}
TIMEOUT = 3600
# More than that differ for one reason, and none is repeated. One that depends on time is the same once in so many times.
MANY, TIMES = 20, 4
OUTCOMES = ("error", "failure", "skipped")
# Packages whose own tests Debian ships with them, and which files of those are left out: see there.
PACKAGES = {
    # A handshake over a network that loses packets: 13 s without the mock of the module, not ended after 25 s with it.
    "trio": ["test_dtls"],
    # All 12 take 20 s without the mock, and were not through after 200 s with it.
    "greenlet": ["test_leaks"],
}
# Else greenlet repeats each test until no more objects are left over: beside pytest's that does not end in minutes.
ALWAYS = {"GREENLET_SKIP_LEAKCHECKS": "1"}

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
    environment = os.environ | ALWAYS | (WITH if told else {}) | more
    try:
        done = subprocess.run([sys.executable, *arguments], env=environment, stdin=subprocess.DEVNULL, text=True,
                              errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT)
        return done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        return None, ""


def command(module, file, alone):
    """What runs the tests of a module of CPython's, or of a package; alone: those of that name."""
    package, _, part = module.partition("/")
    if package not in PACKAGES:
        return ["-m", "test", f"--junit-xml={file}", *(["-m", alone] if alone else []), module]
    # What is in brackets is one of several that the same function is called with.
    some = [word.partition("[")[0] for word in (part, *(alone or "").split(" ")) if word]
    return ["-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junit-xml={file}",
            *[f"--ignore-glob=*/{left}.py" for left in PACKAGES[package]],
            *(["-k", " and ".join(some)] if some else []), "--pyargs", package]


def name_of(case, module):
    """As it is called in results; of a package with its file, as several have tests of the same name."""
    files = [word for word in (case.get("classname") or "").split(".") if word.startswith("test_")]
    return " ".join([*files, case.get("name")] if module.partition("/")[0] in PACKAGES else [case.get("name")])


def outcomes(module, told, alone=None):
    """Of each test by its name, how it ended, and the exit status; a name may have several ends, one of each subtest."""
    file = "/tmp/results.xml"
    if os.path.exists(file):
        os.unlink(file)
    functions = FUNCTIONS if told and module.partition("/")[0] not in PACKAGES else {}
    status, output = run(command(module, file, alone), told, **functions)
    found = collections.defaultdict(list)
    if os.path.exists(file):
        for case in xml.etree.ElementTree.parse(file).iter("testcase"):
            ends = [child.tag for child in case if child.tag in OUTCOMES]
            found[name_of(case, module)].append(ends[0] if ends else "passed")
    found = {name: sorted(ends) for name, ends in found.items()}
    return found, status, output


def differing(module):
    """The names of tests that end otherwise each time, and what else is to be said."""
    without, status, _ = outcomes(module, False)
    told, told_status, output = outcomes(module, True)
    remarks = [f"{sum(map(len, without.values()))} tests"]
    names = [name for name in {**without, **told} if without.get(name) != told.get(name)]
    # More than that of pytest's means that it has not run them all.
    if module.partition("/")[0] in PACKAGES and status not in (0, 1):
        return [module], remarks + [f"exit status {status} without"]
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
    run(["-c", "def seen(): pass\nseen()"], True, MOCK_LOG=log, COROPROF_FUNCTIONS="__main__", MOCK_FINDS_NAMES="1")
    with open(log, encoding="utf-8") as lines:
        result(any(line.startswith("span ") and " seen@" in line for line in lines), "functions are told")
    for test in sys.argv[2:]:
        module = test if test.partition("/")[0] in PACKAGES else f"test_{test}"
        if module == test or importlib.util.find_spec(f"test.{module}"):
            names, remarks = differing(module)
            result(not names, f"each test of {module} ends as it does without", *remarks,
                   *[f"{name} ends otherwise" for name in names])
    print(f"1..{number}")
    return bool(bad)


sys.exit(main())
