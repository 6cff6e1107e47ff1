# SPDX-License-Identifier: GPL-2.0
"""Tasks of trio in all the ways they begin, wait and end; what it prints does not depend on who looks."""
import sys

import trio

log = []


async def inner(n):
    await trio.sleep(0)
    return n


async def light(n):
    for _ in range(3):
        n += await inner(1)
    log.append(n)


async def waits(event, n):
    await event.wait()
    log.append(f"waited {n}")


async def sets(event):
    await trio.sleep(0)
    event.set()


async def sleeps():
    await trio.sleep(0.001)
    log.append("slept")


async def cancelled():
    try:
        await trio.sleep_forever()
    except trio.Cancelled:
        log.append("cancelled")
        raise


async def fails():
    await trio.sleep(0)
    raise ValueError("failed")


async def on_thread():
    log.append(await trio.to_thread.run_sync(lambda: trio.run(elsewhere)))


async def elsewhere():
    await trio.sleep(0.001)
    return "elsewhere"


class Told(trio.abc.Instrument):
    """The program's own instrument, which is told of the program's tasks as without ours."""
    def __init__(self):
        self.seen = []

    def task_scheduled(self, task):
        self.seen.append(task.name.rpartition(".")[2])


async def main():
    async with trio.open_nursery() as nursery:
        for i in range(3):
            nursery.start_soon(light, i)
    event = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(waits, event, 1)
        nursery.start_soon(waits, event, 2)
        nursery.start_soon(sets, event)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(sleeps)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(cancelled)
        await trio.sleep(0)
        nursery.cancel_scope.cancel()
    await on_thread()
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(fails)
    except BaseException as error:
        log.append(type(error).__name__)
    try:
        trio.lowlevel.reschedule("no task")
    except RuntimeError as error:
        log.append(str(error))


told = Told()
trio.run(main, instruments=[told])
# Whichever of those that are ready at once goes on first is trio's to choose.
for line in sorted(map(str, log)):
    print(line)
print(sorted(told.seen).count("light"), sorted(told.seen).count("waits"))
sys.exit(9)
