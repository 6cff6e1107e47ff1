# SPDX-License-Identifier: GPL-2.0
"""Coroutines in all the ways they begin, wait and end, on asyncio's own loop or on uvloop's; what it prints does not depend on
who looks. usage: python.py [uvloop]"""
import asyncio
import gc
import importlib
import os
import sys
import threading

log = []


class Pause:
    def __await__(self):
        yield 1


async def inner(n):
    await asyncio.sleep(0.001)
    return n


async def light(n):
    for _ in range(3):
        n += await inner(1)
    return n


async def cancelled():
    try:
        await asyncio.sleep(10)
    except asyncio.CancelledError:
        log.append("cancelled")
        raise


async def fails():
    await asyncio.sleep(0)
    raise ValueError("failed")


async def driven():
    await Pause()
    log.append("driven")
    return 4


async def enters_itself(own):
    try:
        own[0].send(None)
    except ValueError as error:
        log.append(str(error))


async def generated():
    for i in range(2):
        await asyncio.sleep(0)
        yield i


async def elsewhere():
    await asyncio.sleep(0.001)
    return "elsewhere"


async def pending():
    try:
        await Pause()
    finally:
        log.append("cleaned up")


async def main():
    tasks = [asyncio.create_task(light(i)) for i in range(3)]
    log.append(sum(await asyncio.gather(*tasks)))
    victim = asyncio.create_task(cancelled())
    await asyncio.sleep(0.001)
    victim.cancel()
    log.append(str(await asyncio.gather(victim, fails(), return_exceptions=True)))
    try:
        async with asyncio.timeout(0.002):
            await asyncio.sleep(1)
    except TimeoutError:
        log.append("timeout")
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fails())
            group.create_task(cancelled())
    except* ValueError:
        log.append("group")
    own = []
    own.append(enters_itself(own))
    await own[0]
    async for i in generated():
        log.append(i)
    log.append(await asyncio.to_thread(lambda: asyncio.run(elsewhere())))


def drive(coroutine):
    while True:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value


if sys.argv[1:] == ["uvloop"]:
    importlib.import_module("uvloop").install()
asyncio.run(main())
log.append(drive(driven()))
one = pending()
one.send(None)
del one
gc.collect()
one = pending()
one.send(None)
one.close()
one.close()
one = pending()
one.send(None)
for attempt in (lambda: one.throw(KeyError("thrown")), lambda: one.send(None), lambda: driven().send(3)):
    try:
        attempt()
    except (KeyError, RuntimeError, TypeError) as error:
        log.append(str(error))
thread = threading.Thread(target=lambda: log.append(asyncio.run(elsewhere())))
thread.start()
thread.join()
child = os.fork()
if not child:
    os._exit(len(asyncio.run(elsewhere())))
log.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
for line in log:
    print(line)
sys.exit(9)
