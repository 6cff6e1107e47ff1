# SPDX-License-Identifier: GPL-2.0
"""Coroutines of one piece of code that have names of their own, in turn; prints the name of each, as Python says it."""
import asyncio
import types


async def plain():
    await asyncio.sleep(0)


class Name(str):
    """Code of the program runs when it goes, and makes a coroutine of the code whose name is being replaced."""
    left = 20

    def __del__(self):
        if Name.left:
            Name.left -= 1
            coroutine = called(Name("of_one_that_went"))
            coroutine.close()


def copy(name):
    function = types.FunctionType(plain.__code__, globals(), name)
    function.__qualname__ = name
    return function


def called(name):
    coroutine = plain()
    coroutine.__qualname__ = name
    return coroutine


def made():
    first, second = copy("first"), copy("second")
    for i in range(4):
        yield plain()
        yield first()
        yield second()
        yield first()
        yield called("renamed_%d" % i)
        yield called(Name("subclass_%d" % i))
        yield called("plain")
    plain.__qualname__ = "plain_from_here"
    yield plain()
    yield plain()


async def main():
    coroutines = list(made())
    for coroutine in coroutines:
        print(coroutine.__qualname__)
    await asyncio.gather(*coroutines)


asyncio.run(main())
