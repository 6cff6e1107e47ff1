# SPDX-License-Identifier: GPL-2.0
"""Coroutines that add up a square of numbers, row by row and column by column. With MENDED set there is a turned copy of it, of
which the columns are rows. It runs where a simulated PMU counts by hand: each coroutine says how many instructions its additions
would take, and how many lines of a cache they would miss, if no line stayed until the next number of it is read."""
import array
import asyncio
import os

SIZE, TIMES = 256, 20
# Numbers in a line of 64 bytes; instructions for a number; cycles for a miss.
LINE, ADDITION, MISS = 8, 4, 30

mended = "MENDED" in os.environ
square = array.array("q", range(SIZE * SIZE))
turned = array.array("q", [square[row * SIZE + column] for column in range(SIZE) for row in range(SIZE)])
pmu = os.open("/dev/coroprof_simpmu", os.O_WRONLY)


def simulate(misses):
    instructions = SIZE * SIZE * ADDITION
    os.write(pmu, b"instructions %d cycles %d cache-misses %d" % (instructions, instructions + misses * MISS, misses))


async def rows():
    simulate(SIZE * SIZE // LINE)
    return [sum(square[at:at + SIZE]) for at in range(0, SIZE * SIZE, SIZE)]


async def columns():
    simulate(SIZE * SIZE // LINE if mended else SIZE * SIZE)
    if mended:
        return [sum(turned[at:at + SIZE]) for at in range(0, SIZE * SIZE, SIZE)]
    return [sum(square[at::SIZE]) for at in range(SIZE)]


async def main():
    results = []
    for _ in range(TIMES):
        results.append(await asyncio.create_task(rows()))
        results.append(await asyncio.create_task(columns()))
        await asyncio.sleep(0.005)
    print(sum(map(sum, results)))


asyncio.new_event_loop().run_until_complete(main())
