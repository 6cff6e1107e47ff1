# SPDX-License-Identifier: GPL-2.0
"""Tasks of trio whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times, and await others
that sleep in between. One sleeps alone, one waits for another that works. One is cancelled, and works as it cleans up; one
fails; one runs on another thread, and one in a forked child. It knows nothing of coroprof."""
import ctypes
import gc
import os
import sys
import threading

import trio
import trio.testing

COUNT, TURNS, UNIT, NAP = 4, 5, 200000, 0.002

spin = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "spin.so")).spin
spin.argtypes = [ctypes.c_ulong]
done = []


def work(units):
    spin(units * UNIT)


async def nap(result):
    await trio.sleep(NAP)
    return result


async def turns(units):
    for _ in range(TURNS):
        work(units)
        done.append(await nap(units))


async def light():
    await turns(1)


async def middle():
    await turns(5)


async def heavy():
    await turns(20)


async def naps():
    for _ in range(TURNS):
        await trio.sleep(NAP)


async def waits(event):
    await event.wait()


async def cancelled():
    try:
        await trio.sleep(1000)
    finally:
        work(5)


async def fails():
    await trio.lowlevel.checkpoint()
    work(5)
    raise ValueError("failed")


async def threaded():
    work(5)
    await nap(5)


async def forked():
    work(5)
    await nap(5)


async def main():
    async with trio.open_nursery() as nursery:
        nursery.start_soon(naps)
    async with trio.open_nursery() as nursery:
        event = trio.Event()
        nursery.start_soon(waits, event)
        await trio.testing.wait_all_tasks_blocked()
        work(20)
        event.set()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(cancelled)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fails)
    except Exception:
        print("failed")
    async with trio.open_nursery() as nursery:
        for _ in range(COUNT):
            for kind in light, middle, heavy:
                nursery.start_soon(kind)
    print(sum(done))


# Else it would look for garbage, at the expense of whoever runs.
gc.disable()
trio.run(main)
thread = threading.Thread(target=trio.run, args=(threaded,))
thread.start()
thread.join()
sys.stdout.flush()
child = os.fork()
if not child:
    trio.run(forked)
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.exit(7)
