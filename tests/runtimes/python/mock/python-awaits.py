# SPDX-License-Identifier: GPL-2.0
"""Tasks that await the same three times, each by other means: one coroutine each, and no more. Then one that makes and wakes
others in a single step. What it prints does not depend on who looks."""
import asyncio
import contextlib
import types

log = []


async def fetch(n):
    await asyncio.sleep(0)
    return n


async def numbers():
    for i in range(3):
        yield await fetch(i)


class Numbers:
    def __init__(self):
        self.next = 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        if self.next == 3:
            raise StopAsyncIteration
        self.next += 1
        return await fetch(self.next - 1)


@types.coroutine
def bridge(n):
    return (yield from fetch(n))


class Awaitable:
    def __init__(self, n):
        self.n = n

    def __await__(self):
        return (yield from fetch(self.n).__await__())


@contextlib.asynccontextmanager
async def resource(n):
    yield await fetch(n)
    await fetch(n)


class Resource:
    async def __aenter__(self):
        return await fetch(1)

    async def __aexit__(self, *error):
        await fetch(1)


async def by_await():
    return sum([await fetch(0), await fetch(1), await fetch(2)])


async def by_async_for():
    return sum([i async for i in Numbers()])


async def by_generator():
    done = 0
    async for i in numbers():
        done += i
    return done


async def by_anext():
    generator = numbers()
    return sum([await anext(generator), await anext(generator), await anext(generator, 0)])


async def by_asend():
    generator = numbers()
    return sum([await generator.asend(None), await generator.__anext__(), await generator.asend(None)])


async def by_comprehension():
    return sum([i async for i in numbers()])


async def by_expression():
    return sum([i async for i in (j async for j in numbers())])


async def by_context():
    async with resource(2) as done:
        return done + await fetch(1)


async def by_exit_stack():
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(resource(2))
        return 2 + await fetch(1)


async def by_object():
    async with Resource() as done:
        return done + await fetch(2)


async def by_types_coroutine():
    return sum([await bridge(0), await bridge(1), await bridge(2)])


async def by_awaitable():
    return sum([await Awaitable(0), await Awaitable(1), await Awaitable(2)])


async def by_aclose():
    generator = numbers()
    done = await anext(generator) + await anext(generator)
    await generator.aclose()
    return done + await fetch(2)


KINDS = [by_await, by_async_for, by_generator, by_anext, by_asend, by_comprehension, by_expression, by_context, by_exit_stack,
         by_object, by_types_coroutine, by_awaitable, by_aclose]


async def waits(future):
    await future


async def made():
    pass


async def one_step(futures, tasks):
    for future in futures:
        future.set_result(None)
    tasks += [asyncio.create_task(made()) for _ in futures]


async def steps():
    futures, tasks = [asyncio.get_running_loop().create_future() for _ in range(20)], []
    waiters = [asyncio.create_task(waits(future)) for future in futures]
    await asyncio.sleep(0)
    await asyncio.create_task(one_step(futures, tasks))
    await asyncio.gather(*waiters, *tasks)
    log.append(len(tasks))


async def main():
    for kind in KINDS:
        log.append((kind.__name__, await asyncio.create_task(kind())))
    await steps()


asyncio.run(main())
for line in log:
    print(line)
