# SPDX-License-Identifier: GPL-2.0
"""Requests to a server of one of the frameworks, python-routes.py FRAMEWORK [uvloop|many]: so many to each route as SENT says. Prints
the answers; with "sent" the label that each request is to have."""
import asyncio
import http.client
import sys
import threading

# Method, path, and how often.
SENT = [
    ("GET", "/users/{}", 7), ("POST", "/users/{}", 3), ("GET", "/users/{}/posts/{}", 5), ("GET", "/plain", 2), ("GET", "/api/items/{}", 4),
    ("GET", "/twice/{}", 2), ("GET", "/again/{}", 3), ("GET", "/fails", 1), ("GET", "/absent/{}", 6),
]
# Any word. Only tornado has a handler answer that whatever parser there is.
BREW = ("BREW", "/plain", 2)
# As the programs below have them.
BRACES = ["/users/{id}", "/users/{id}/posts/{post}", "/plain", "/api/items/{item}", "/twice/{id}", "/again/{id}"]
ROUTES = {
    "starlette": ["/users/{id}", "/users/{id}/posts/{post:int}", *BRACES[2:]], "fastapi": BRACES, "aiohttp": BRACES,
    "django": ["/users/<str:id>", "/users/<str:id>/posts/<int:post>", "/plain", "/api/items/<str:item>", "/twice/<str:id>", "/again/(?P<id>[a-z0-9]+)"],
    "tornado": [r"/users/(?P<id>[^/]+)", r"/users/([^/]+)/posts/(\d+)", "/plain", "/api/items/([a-z0-9]+)", "/twice/(.+)", "/again/(.+)"],
}
# Of one that has more routes than are told apart, each asked for once.
MANY = 1050
framework = sys.argv[1]


def sent():
    """Known without any server."""
    user, post, *others = ROUTES[framework]
    for method, route, times in zip("GET POST GET GET GET GET GET".split(), [user, user, post, *others], [7, 3, 5, 2, 4, 2, 3]):
        print(f"{method} {route}\n" * times, end="")
    print("GET /fails\n" + "GET (no route)\n" * 6 + ("(another method) /plain\n" * 2 if framework == "tornado" else ""), end="")


def ask(port):
    """All of one kind by one connection, so that it is used again."""
    kinds = [("GET", f"/many{i}", 1) for i in range(MANY)] if "many" in sys.argv else SENT + [BREW] * (framework == "tornado")
    for method, path, times in kinds:
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for i in range(times):
            connection.request(method, path.format(f"u{i}", i))
            answer = connection.getresponse()
            print(method, path.format(f"u{i}", i), answer.status, answer.read()[:40].decode())
        connection.close()


async def asked(port):
    await asyncio.get_running_loop().run_in_executor(None, ask, port)


def starlette():
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.middleware.base import BaseHTTPMiddleware
    from starlette.responses import PlainTextResponse
    from starlette.routing import Mount, Route

    async def answers(request):
        await asyncio.sleep(0)
        return PlainTextResponse(str(sorted(request.path_params)))

    async def at_once(request):
        return PlainTextResponse("plain")

    async def fails(request):
        raise LookupError("as it is to")

    async def around(request, call_next):
        return await call_next(request)

    return Starlette(
        routes=[
            Route("/users/{id}", answers, methods=["GET", "POST"]), Route("/users/{id}/posts/{post:int}", answers),
            Route("/plain", at_once), Route("/twice/{id}", at_once), Route("/again/{id}", at_once), Route("/fails", fails),
            Mount("/api", routes=[Route("/items/{item}", answers)])],
        middleware=[Middleware(BaseHTTPMiddleware, dispatch=around)])


def fastapi():
    from fastapi import APIRouter, FastAPI

    app, items = FastAPI(), APIRouter(prefix="/api")

    @app.post("/users/{id}")
    @app.get("/users/{id}")
    async def user(id: str):
        return id

    @app.get("/users/{id}/posts/{post}")
    async def post(id: str, post: int):
        await asyncio.sleep(0)
        return post

    @app.get("/plain")
    def plain():
        return "of a thread"

    @items.get("/items/{item}")
    async def item(item: str):
        return item

    @app.get("/fails")
    async def fails():
        raise LookupError("as it is to")

    @app.get("/twice/{id}")
    @app.get("/again/{id}")
    async def twice(id: str):
        return id

    app.include_router(items)
    return app


def django():
    import django
    from django.conf import settings
    from django.core.asgi import get_asgi_application
    from django.http import HttpResponse
    from django.urls import include, path, re_path

    async def answers(request, **parts):
        await asyncio.sleep(0)
        return HttpResponse(str(sorted(parts)))

    def at_once(request, **parts):
        return HttpResponse("of a thread")

    async def fails(request):
        raise LookupError("as it is to")

    settings.configure(ROOT_URLCONF=__name__, SECRET_KEY="known", ALLOWED_HOSTS=["*"], LOGGING_CONFIG=None)
    globals()["urlpatterns"] = [
        path("users/<str:id>", answers), path("users/<str:id>/posts/<int:post>", answers), path("plain", at_once),
        path("twice/<str:id>", answers), re_path("^again/(?P<id>[a-z0-9]+)$", answers), path("fails", fails),
        path("api/", include([path("items/<str:item>", answers)]))]
    django.setup()
    return get_asgi_application()


async def serve_asgi(app):
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="critical", lifespan="off", loop="none"))
    serving = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    await asked(server.servers[0].sockets[0].getsockname()[1])
    server.should_exit = True
    await serving


async def serve_aiohttp():
    from aiohttp import web

    async def answers(request):
        await asyncio.sleep(0)
        return web.Response(text=str(sorted(request.match_info)))

    async def at_once(request):
        return web.Response(text="plain")

    async def fails(request):
        raise LookupError("as it is to")

    app, api = web.Application(), web.Application()
    app.router.add_get("/users/{id}", answers)
    app.router.add_post("/users/{id}", answers)
    app.router.add_get(r"/users/{id}/posts/{post:\d+}", at_once)
    for path in "/plain", "/twice/{id}", "/again/{id}":
        app.router.add_get(path, at_once)
    app.router.add_get("/fails", fails)
    for i in range(MANY):
        app.router.add_get(f"/many{i}", at_once)
    api.router.add_get("/items/{item}", answers)
    app.add_subapp("/api", api)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    await asked(runner.addresses[0][1])
    await runner.cleanup()


async def serve_tornado():
    import logging

    from tornado.httpserver import HTTPServer
    from tornado.netutil import bind_sockets
    from tornado.web import Application, RequestHandler

    class Answers(RequestHandler):
        async def get(self, *parts, **named):
            await asyncio.sleep(0)
            self.write(str(parts))

        post = get

    class AtOnce(RequestHandler):
        def get(self, *parts):
            self.write("plain")

    class Fails(RequestHandler):
        def get(self):
            raise LookupError("as it is to")

    logging.disable()
    server = HTTPServer(Application([
        (r"/users/(?P<id>[^/]+)", Answers), (r"/users/([^/]+)/posts/(\d+)", Answers), ("/plain", AtOnce),
        (r"^/twice/(.+)$", AtOnce), (r"/again/(.+)", AtOnce), ("/fails", Fails), (r"/api/items/([a-z0-9]+)", Answers)]))
    sockets = bind_sockets(0, "127.0.0.1")
    server.add_sockets(sockets)
    await asked(sockets[0].getsockname()[1])
    server.stop()


def main():
    if framework == "aiohttp":
        return serve_aiohttp()
    if framework == "tornado":
        return serve_tornado()
    return serve_asgi({"starlette": starlette, "fastapi": fastapi, "django": django}[framework]())


if "sent" in sys.argv:
    sent()
    sys.exit()
if "uvloop" in sys.argv:
    import uvloop
    uvloop.install()
asyncio.run(main())
print(sorted(sys.modules))
