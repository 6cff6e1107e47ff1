# SPDX-License-Identifier: GPL-2.0
"""calls.py HOW: calls a function few times, and many, in a span each. HOW is who looks at that: coroprof, cprofile, yappi or
nobody."""
import cProfile
import sys

import yappi

import coroprof

FEW, MANY = 1000, 5000


def nothing():
    pass


def calls(count):
    for _ in range(count):
        nothing()


def run(how, count):
    if how == "cprofile":
        cProfile.Profile().runcall(calls, count)
    elif how == "yappi":
        with yappi.run():
            calls(count)
    else:
        calls(count)


how = sys.argv[1]
# Nothing else makes the program known to the kernel, without the adapter.
coroprof._make_known()
for name, count in (("first", FEW), ("few", FEW), ("many", MANY)):
    with coroprof.span(name):
        run(how, count)
