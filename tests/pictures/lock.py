# SPDX-License-Identifier: GPL-2.0
"""A thread makes backups, and holds a lock meanwhile. Coroutines that take the lock block the thread of the event loop, and with
it all other coroutines. With MENDED set another thread waits for the lock. Prints how long they waited in all, in nanoseconds."""
import asyncio
import os
import threading
import time

SAVES, EVERY, HOLD, FREE, WORK = 20, 0.025, 0.020, 0.010, 0.0005

mended = "MENDED" in os.environ
lock = threading.Lock()
over = threading.Event()
waits = []


def backup():
    while not over.wait(FREE):
        with lock:
            time.sleep(HOLD)


async def save():
    since = time.monotonic_ns()
    if mended:
        await asyncio.to_thread(lock.acquire)
    else:
        lock.acquire()
    waits.append(time.monotonic_ns() - since)
    lock.release()


async def answer():
    while not over.is_set():
        await asyncio.sleep(0.004)
        until = time.monotonic() + WORK
        while time.monotonic() < until:
            pass


async def main():
    threading.Thread(target=backup).start()
    answers = asyncio.create_task(answer())
    saves = []
    for _ in range(SAVES):
        await asyncio.sleep(EVERY)
        saves.append(asyncio.create_task(save()))
    await asyncio.gather(*saves)
    over.set()
    await answers
    print(sum(waits))


asyncio.new_event_loop().run_until_complete(main())
