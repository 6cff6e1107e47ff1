# SPDX-License-Identifier: GPL-2.0
"""Greenlets in all the ways they begin, switch and end; what it prints does not depend on who looks."""
import asyncio
import functools
import gc
import os
import sys
import threading

import gevent
import gevent.event
import greenlet
from greenlet import getcurrent

log = []


def light(n):
    for i in range(3):
        n += getcurrent().parent.switch(i) or 0
    return n


def outer():
    inner = greenlet.greenlet(light)
    log.append(inner.switch(1))
    getcurrent().parent.switch("between")
    log.append(inner.switch(2))
    return "outer"


def fails():
    raise ValueError("failed")


def cleans_up():
    try:
        getcurrent().parent.switch()
    finally:
        log.append("cleaned up")


class Own(greenlet.greenlet):
    @property
    def __name__(self):
        raise SystemExit("asked for its name")

    def run(self, value):
        return self.parent.switch(value)


def attempt(function, *args):
    try:
        log.append(str(function(*args)))
    except Exception as error:
        log.append(repr(error)[:40])


def kills():
    attempt(greenlet.greenlet(fails).switch)
    one = greenlet.greenlet(cleans_up)
    one.switch()
    del one
    gc.collect()
    one = greenlet.greenlet(cleans_up)
    one.switch()
    attempt(one.throw, KeyError("thrown"))
    attempt(one.switch)
    attempt(greenlet.greenlet(cleans_up).throw, greenlet.GreenletExit)


def late():
    one = greenlet.greenlet()
    attempt(one.switch)
    one.run = light
    attempt(one.switch, 1)


def threads():
    one = greenlet.greenlet(light)
    one.switch(1)
    for target in (lambda: attempt(greenlet.greenlet(light).switch, 7), lambda: attempt(one.switch)):
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        one.switch(1)
        os._exit(one.switch(2))
    log.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def returns(n):
    getcurrent().parent.switch(n)


def own_thread():
    one = greenlet.greenlet(returns)
    log.append([one.switch(10), one.switch()])


def after_others():
    """What a thread begins with is made where greenlets were before."""
    many = [greenlet.greenlet(returns) for _ in range(500)]
    del many
    gc.collect()
    for _ in range(5):
        thread = threading.Thread(target=own_thread)
        thread.start()
        thread.join()


async def task():
    await asyncio.sleep(0)
    one = greenlet.greenlet(light)
    return one.switch(1) + one.switch(1)


class Called:
    def __call__(self):
        gevent.sleep(0)


def sleeps():
    for _ in range(3):
        gevent.sleep(0.001)


def waits(event):
    event.wait()


def in_gevent():
    event = gevent.event.Event()
    spawned = [gevent.spawn(f) for f in (sleeps, Called(), functools.partial(waits, event), event.set)]
    gevent.joinall(spawned)
    victim = gevent.spawn(sleeps)
    gevent.sleep(0)
    victim.kill()
    try:
        with gevent.Timeout(0.001):
            gevent.sleep(1)
    except gevent.Timeout:
        log.append("timeout")


one = greenlet.greenlet(outer)
for _ in range(3):
    attempt(one.switch, *([5] if _ == 2 else []))
kills()
late()
own = Own()
log.append([own.switch(3), own.switch(4)])
threads()
after_others()
log.append(asyncio.run(task()))
events = []
greenlet.settrace(lambda event, args: events.append(event))
greenlet.greenlet(light).switch(1)
log.append([events, greenlet.settrace(None) is not None])
in_gevent()
for line in log:
    print(line)
sys.exit(9)
