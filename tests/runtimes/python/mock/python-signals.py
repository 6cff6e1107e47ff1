# SPDX-License-Identifier: GPL-2.0
"""A server whose expression of a route takes long, while signals come. Their handler raises where a coroutine has just left the
processor: there is nobody but who looks for the route. Prints whether the program gets each exception."""
import asyncio
import http.client
import logging
import signal

from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

raised = caught = 0


class Raised(Exception):
    pass


def handle(number, frame):
    global raised
    if frame and frame.f_code.co_name == "_run":
        raised += 1
        raise Raised


def failed(loop, context):
    global caught
    caught += isinstance(context.get("exception"), Raised)


class AtOnce(RequestHandler):
    def get(self):
        self.write("plain")


def ask(port):
    for _ in range(4):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("GET", "/slow/" + "a" * 20)
        connection.getresponse().read()
        connection.close()


async def main():
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(failed)
    server = HTTPServer(Application([("/slow/(?:(?:a+)+b|.*)", AtOnce)]))
    sockets = bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
    await loop.run_in_executor(None, ask, sockets[0].getsockname()[1])
    signal.setitimer(signal.ITIMER_REAL, 0)
    server.stop()


logging.disable()
try:
    asyncio.run(main())
except Raised:
    caught += 1
print("each" if raised == caught > 0 else f"{caught} of {raised}")
