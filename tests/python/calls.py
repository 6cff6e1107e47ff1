# SPDX-License-Identifier: GPL-2.0
"""calls.py HOW COUNT: calls a function so often, and no more. HOW is who looks at that: coroprof, cprofile, yappi or
nobody."""
import sys


def nothing():
    pass


def calls(count):
    for _ in range(count):
        nothing()


def run(how, count):
    if how == "cprofile":
        import cProfile
        profile = cProfile.Profile()
        profile.enable()
        calls(count)
        profile.disable()
    elif how == "yappi":
        import yappi
        yappi.set_clock_type("wall")
        yappi.start()
        calls(count)
        yappi.stop()
    else:
        if how == "nobody":
            # Python 3.11 has coroprof call a function there.
            sys.setprofile(None)
        calls(count)


run(sys.argv[1], int(sys.argv[2]))
