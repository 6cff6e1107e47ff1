# SPDX-License-Identifier: GPL-2.0
"""A server on aiohttp, as servers are. It knows nothing of coroprof."""
import asyncio
import hashlib

from aiohttp import web


def digest(times):
    data = b""
    for _ in range(times):
        data = hashlib.sha256(data).digest()
    return data.hex()


async def cheap(request):
    return web.Response(text=digest(1) + "\n")


async def heavy(request):
    # A task of its own, as handlers make for what may go on without them.
    return web.Response(text=await asyncio.create_task(hashes(2000)) + "\n")


async def hashes(times):
    return digest(times)


async def waits(request):
    await asyncio.sleep(0.005)
    return web.Response(text="waited\n")


async def ends(request):
    asyncio.get_running_loop().call_later(0.05, over.set)
    return web.Response(text="bye\n")


async def main():
    global over
    over = asyncio.Event()
    app = web.Application()
    for path, handler in ("/cheap", cheap), ("/heavy", heavy), ("/waits", waits), ("/quit", ends):
        app.router.add_get(path, handler)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 8080).start()
    await over.wait()
    await runner.cleanup()


asyncio.run(main())
