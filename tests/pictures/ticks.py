# SPDX-License-Identifier: GPL-2.0
"""Coroutines that each report once in a period, all at the same time: the k-th waits for those before it. With MENDED set each
has a time of its own."""
import asyncio
import os
import time

AGENTS, WORK, PERIOD, PERIODS = 30, 0.002, 0.100, 10

mended = "MENDED" in os.environ


async def report(begin):
    for period in range(PERIODS):
        await asyncio.sleep(begin + period * PERIOD - time.monotonic())
        until = time.monotonic() + WORK
        while time.monotonic() < until:
            pass


async def main():
    begin = time.monotonic() + PERIOD
    await asyncio.gather(*(report(begin + (agent / AGENTS * PERIOD if mended else 0)) for agent in range(AGENTS)))


asyncio.new_event_loop().run_until_complete(main())
