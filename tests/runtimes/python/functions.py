# SPDX-License-Identifier: GPL-2.0
"""Functions whose work and calls are known. It knows nothing of coroprof.

foo: burns a CPU for WAIT, awaits twice for as long, and blocks its thread once for as long. TASKS tasks of each of three
kinds call functions with work of 1, 5 and 20 units TURNS times, and give way in between, so that calls of all are open at
once. One calls itself; into one of its own kind another throws before it begins, and works then; one is a generator, and
who reads it works in between; one fails; one is cancelled; an asynchronous generator; a thread."""
import asyncio
import ctypes
import os
import sys
import threading
import time

TASKS, TURNS, UNIT, WAIT, DEPTH = 3, 4, 50000, 0.02, 5
# Three instructions a turn, an instruction a nanosecond.
BURNS = int(WAIT * 1e9) // 3

spin = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "spin.so")).spin
spin.argtypes = [ctypes.c_ulong]


def burn_cpu():
    spin(BURNS)


async def burn_async_io():
    await asyncio.sleep(WAIT)


def burn_io():
    time.sleep(WAIT)


async def foo():
    burn_cpu()
    await burn_async_io()
    burn_io()
    await burn_async_io()


def one():
    spin(UNIT)


def five():
    spin(5 * UNIT)


async def twenty():
    spin(10 * UNIT)
    await asyncio.sleep(0)
    spin(10 * UNIT)


async def light():
    for _ in range(TURNS):
        one()
        await asyncio.sleep(0)


async def middle():
    for _ in range(TURNS):
        five()
        await asyncio.sleep(0)


async def heavy():
    for _ in range(TURNS):
        await twenty()


def down(n):
    spin(UNIT)
    if n > 1:
        down(n - 1)


def numbers():
    for i in range(TURNS):
        spin(UNIT)
        yield i


def reads():
    for _ in numbers():
        spin(5 * UNIT)


def fails():
    spin(5 * UNIT)
    raise ValueError("failed")


def catches():
    try:
        fails()
    except ValueError as error:
        print(error)


async def cancelled():
    try:
        await asyncio.sleep(1000)
    finally:
        spin(5 * UNIT)


async def again(deeper):
    if deeper:
        try:
            again(deeper - 1).throw(KeyError)
        except KeyError:
            spin(5 * UNIT)


async def pieces():
    for i in range(TURNS):
        spin(UNIT)
        await asyncio.sleep(0)
        yield i


async def gathers():
    async for _ in pieces():
        spin(5 * UNIT)


def threaded():
    one()
    five()


async def main():
    await foo()
    await asyncio.gather(*[kind() for _ in range(TASKS) for kind in (light, middle, heavy)])
    victim = asyncio.create_task(cancelled())
    await asyncio.sleep(0)
    victim.cancel()
    print(await asyncio.gather(victim, return_exceptions=True))
    await gathers()
    await again(0)
    await again(1)


asyncio.run(main())
down(DEPTH)
reads()
catches()
thread = threading.Thread(target=threaded)
thread.start()
thread.join()
print(sys.getprofile())
sys.stdout.flush()
child = os.fork()
if not child:
    one()
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.exit(7)
