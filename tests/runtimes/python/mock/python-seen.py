# SPDX-License-Identifier: GPL-2.0
"""What a program's own profile function, trace function and tool of sys.monitoring see of loops whose tasks are made ready.
With "elsewhere", all objects have other addresses than without.
usage: python-seen.py asyncio|uvloop|trio HOW [elsewhere]"""
import gc
import sys

elsewhere = [[bytearray(size) for size in range(i)] + [object() for _ in range(3 * i)] for i in range(len(sys.argv[3:]) * 9)]


def asyncio_tasks():
    import asyncio

    async def light():
        for _ in range(2):
            await asyncio.sleep(0)

    async def main():
        await asyncio.gather(light(), light())
        # As a program of its own may.
        asyncio.get_running_loop().call_soon(len, ())
        await asyncio.sleep(0)

    return lambda: asyncio.run(main())


def uvloop_tasks():
    import uvloop
    uvloop.install()
    return asyncio_tasks()


def trio_tasks():
    import random
    import trio

    async def light():
        for _ in range(2):
            await trio.lowlevel.checkpoint()

    async def main():
        async with trio.open_nursery() as nursery:
            nursery.start_soon(light)

    # trio throws dice.
    return lambda: (random.seed(1), setattr(trio._core._run, "_r", random.Random(1)), trio.run(main))


seen = []


def what(value):
    return getattr(value, "__qualname__", None) or type(value).__qualname__


def look(frame, event, arg):
    if event == "call" or event.startswith("c_") or event == "return":
        seen.append((event, frame.f_code.co_qualname, frame.f_back and frame.f_back.f_code.co_qualname,
                     what(arg) if event.startswith("c_") else None))
    return look


def profile(run):
    sys.setprofile(look)
    run()
    sys.setprofile(None)


def trace(run):
    sys.settrace(look)
    run()
    sys.settrace(None)


def monitoring(run):
    tool, events = 2, sys.monitoring.events
    sys.monitoring.use_tool_id(tool, "own")
    for name in "PY_START", "PY_RETURN", "PY_RESUME", "PY_YIELD", "CALL", "C_RETURN", "C_RAISE":
        def told(code, *args, name=name):
            seen.append((name, code.co_qualname, args[0], *(what(arg) for arg in args[1:])))
        sys.monitoring.register_callback(tool, getattr(events, name), told)
    sys.monitoring.set_events(tool, events.PY_START | events.PY_RETURN | events.PY_RESUME | events.PY_YIELD | events.CALL)
    run()
    sys.monitoring.set_events(tool, 0)
    sys.monitoring.free_tool_id(tool)


loop, how = sys.argv[1:3]
once = globals()[loop + "_tasks"]()
# What is imported or cached the first time.
once()
# Garbage may have functions called when it is collected, at any time.
gc.collect()
gc.disable()
globals()[how](globals()[loop + "_tasks"]())
# trio walks sets of its objects, which are ordered by address.
for line in sorted(seen, key=str) if loop == "trio" else seen:
    print(*line)
