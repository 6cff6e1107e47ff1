# SPDX-License-Identifier: GPL-2.0
"""A program that records itself, in two parts, each a file of its own: nobody has prepared it. In the first, tasks have
tags, 0 among them, and are told apart by them; what is not in a part is not in its file."""
import asyncio
import ctypes
import os
import sys
import threading

import coroprof

UNIT = 50000
folder = sys.argv[1]

spin = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "spin.so")).spin
spin.argtypes = [ctypes.c_ulong]


def work(units):
    spin(units * UNIT)


async def tagged(number):
    coroprof.tag(number)
    for _ in range(4):
        work(number + 1)
        await asyncio.sleep(0)


async def named(number):
    coroprof.label(f"request {number}")
    with coroprof.span("parse"):
        work(1)
        await asyncio.sleep(0)
        work(number)


async def main():
    await asyncio.gather(*[tagged(number) for number in range(3)], *[named(n) for n in (1, 2)])
    return "went"


def outside():
    work(50)


def run():
    return asyncio.run(main())


print(coroprof.go(run, output=folder + "/go.html"))
outside()
coroprof.start(functions="__main__", events="instructions,task-clock")
thread = threading.Thread(target=work, args=(3,))
thread.start()
thread.join()
work(5)
coroprof.stop(folder + "/part.html")
work(7)
for call in (coroprof.stop, lambda: coroprof.start(options=["--no-such"])):
    try:
        call()
    except RuntimeError as error:
        print(error)
# Nobody calls stop() any more.
coroprof.start()
sys.exit(7)
