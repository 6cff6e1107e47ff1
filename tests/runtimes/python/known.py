# SPDX-License-Identifier: GPL-2.0
"""Coroutines whose work is known: COUNT of three kinds that run loops of 1, 5 and 20 units, TURNS times, and await
others that sleep in between. Each BY does the same work in what it awaits, by other means. One makes and wakes WOKEN others
in a single step. One sleeps alone, one waits for another that works. One is cancelled and one given up, and
both work as they clean up; one fails; one is driven by a loop of the program's own, and one by asyncio on another
thread; one runs in a forked child. With "uvloop", asyncio's loops are uvloop's. It knows nothing of coroprof."""
import asyncio
import contextlib
import ctypes
import os
import sys
import threading
import types

COUNT, TURNS, UNIT, NAP, WOKEN = 4, 5, 200000, 0.002, 20

spin = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "spin.so")).spin
spin.argtypes = [ctypes.c_ulong]


def work(units):
    spin(units * UNIT)


async def nap(result):
    await asyncio.sleep(NAP)
    return result


async def turns(units):
    done = 0
    for _ in range(TURNS):
        work(units)
        done += await nap(units)
    return done


async def light():
    return await turns(1)


async def middle():
    return await turns(5)


async def heavy():
    return await turns(20)


async def naps():
    for _ in range(TURNS):
        await asyncio.sleep(NAP)


async def waits(future):
    return await future


async def cancelled():
    try:
        await asyncio.sleep(1000)
    finally:
        work(5)


async def fails():
    await asyncio.sleep(0)
    work(5)
    raise ValueError("failed")


async def threaded():
    work(5)
    return await nap(5)


async def forked():
    work(5)
    return await nap(5)


class Pause:
    def __await__(self):
        yield


async def driven():
    for _ in range(TURNS):
        work(1)
        await Pause()
    return TURNS


async def given_up():
    try:
        await Pause()
    finally:
        work(5)


async def piece(units):
    work(units)
    return await nap(units)


async def pieces():
    for _ in range(TURNS):
        yield await piece(5)


@contextlib.asynccontextmanager
async def resource():
    yield await piece(2)
    await piece(2)


@types.coroutine
def bridge(units):
    return (yield from piece(units))


async def by_await():
    return sum([await piece(5) for _ in range(TURNS)])


async def by_async_for():
    done = 0
    async for units in pieces():
        done += units
    return done


async def by_anext():
    generator = pieces()
    return sum([await anext(generator) for _ in range(TURNS)])


async def by_comprehension():
    return sum([units async for units in pieces()])


async def by_context():
    for _ in range(TURNS):
        async with resource():
            work(1)
    return 5 * TURNS


async def by_types_coroutine():
    return sum([await bridge(5) for _ in range(TURNS)])


BY = by_await, by_async_for, by_anext, by_comprehension, by_context, by_types_coroutine


async def woken(future):
    await future


async def made():
    pass


async def wakes(futures, tasks):
    work(20)
    for future in futures:
        future.set_result(None)
    tasks += [asyncio.create_task(made()) for _ in range(WOKEN)]
    work(20)


async def step():
    futures, tasks = [asyncio.get_running_loop().create_future() for _ in range(WOKEN)], []
    tasks += [asyncio.create_task(woken(future)) for future in futures]
    await asyncio.sleep(0)
    await asyncio.create_task(wakes(futures, tasks))
    await asyncio.gather(*tasks)


async def main():
    await asyncio.create_task(naps())
    future = asyncio.get_running_loop().create_future()
    waiter = asyncio.create_task(waits(future))
    await asyncio.sleep(0)
    work(20)
    future.set_result("waited")
    print(await waiter)
    victim = asyncio.create_task(cancelled())
    await asyncio.sleep(0)
    victim.cancel()
    print(await asyncio.gather(victim, fails(), return_exceptions=True))
    tasks = [asyncio.create_task(kind()) for _ in range(COUNT) for kind in (light, middle, heavy)]
    print(sum(await asyncio.gather(*tasks)))
    print(await asyncio.gather(*[asyncio.create_task(kind()) for kind in BY]))
    await step()


def drive(coroutine):
    while True:
        try:
            coroutine.send(None)
        except StopIteration as stop:
            return stop.value


if "uvloop" in sys.argv:
    import uvloop
    asyncio.set_event_loop_policy(uvloop.EventLoopPolicy())
asyncio.run(main())
print(drive(driven()))
last = given_up()
last.send(None)
del last
thread = threading.Thread(target=lambda: print(asyncio.run(threaded())))
thread.start()
thread.join()
sys.stdout.flush()
child = os.fork()
if not child:
    os._exit(asyncio.run(forked()))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.exit(7)
