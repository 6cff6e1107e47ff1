# SPDX-License-Identifier: GPL-2.0
"""Workers wait for jobs. Each job wakes all of them, and one finds it. With MENDED set it wakes one. Prints how many of them woke
and found nothing."""
import asyncio
import collections
import os
import time

WORKERS, JOBS, EVERY, WORK = 20, 100, 0.004, 0.0002

mended = "MENDED" in os.environ
jobs = collections.deque()
needless = 0


async def worker(come):
    global needless
    while True:
        async with come:
            while not jobs:
                await come.wait()
                needless += not jobs
            job = jobs.popleft()
        if job is None:
            return
        until = time.monotonic() + WORK
        while time.monotonic() < until:
            pass


async def producer(come):
    for job in range(JOBS):
        await asyncio.sleep(EVERY)
        async with come:
            jobs.append(job)
            come.notify(1 if mended else WORKERS)
    await asyncio.sleep(EVERY)
    async with come:
        jobs.extend([None] * WORKERS)
        come.notify_all()


async def main():
    come = asyncio.Condition()
    await asyncio.gather(*(asyncio.create_task(worker(come)) for _ in range(WORKERS)), asyncio.create_task(producer(come)))
    print(needless)


asyncio.new_event_loop().run_until_complete(main())
