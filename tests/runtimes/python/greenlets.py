# SPDX-License-Identifier: GPL-2.0
"""Greenlets whose work is known, of greenlet itself, of gevent or of eventlet: COUNT of three kinds that run loops of 1, 5
and 20 units, TURNS times, and give way in between. One sleeps alone, one waits for another that works. One is killed and
one given up, and both work as they clean up; one fails; one runs on another thread, one in a forked child. It knows
nothing of coroprof."""
import ctypes
import gc
import os
import sys
import threading

import greenlet

COUNT, TURNS, UNIT, NAP = 4, 5, 50000, 0.002

spin = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "spin.so")).spin
spin.argtypes = [ctypes.c_ulong]


def work(units):
    spin(units * UNIT)


class Plain:
    """Greenlets by themselves: the program goes round those that have not ended."""

    spawn = greenlet.greenlet

    def nap(self):
        greenlet.getcurrent().parent.switch()

    def joinall(self, spawned):
        while spawned:
            for one in spawned:
                one.switch()
            spawned = [one for one in spawned if not one.dead]

    def kill(self, one):
        one.switch()
        one.throw()


class Gevent:
    def __init__(self):
        import gevent
        import gevent.event
        self.spawn, self.joinall, self.Event = gevent.spawn, gevent.joinall, gevent.event.Event
        self.nap = lambda: gevent.sleep(NAP)
        self.give_way = lambda: gevent.sleep(0)
        self.fork = gevent.fork

    def kill(self, one):
        self.give_way()
        one.kill()


class Eventlet:
    def __init__(self):
        import eventlet
        import eventlet.event
        self.spawn = eventlet.spawn
        self.nap = lambda: eventlet.sleep(NAP)
        self.give_way = lambda: eventlet.sleep(0)

        class Event(eventlet.event.Event):
            set = eventlet.event.Event.send

        self.Event = Event

    def joinall(self, spawned):
        for one in spawned:
            try:
                one.wait()
            except ValueError:
                pass

    def kill(self, one):
        self.give_way()
        one.kill()
        self.give_way()


def turns(units):
    for _ in range(TURNS):
        work(units)
        layer.nap()
    done.append(units)


def light():
    turns(1)


def middle():
    turns(5)


def heavy():
    turns(20)


def naps():
    for _ in range(TURNS):
        layer.nap()


def polite():
    for _ in range(TURNS):
        work(1)
        layer.give_way()


def waits():
    event.wait()


def sets():
    work(20)
    event.set()


def cleans_up():
    try:
        layer.nap()
    finally:
        work(5)


def killed():
    cleans_up()


def given_up():
    cleans_up()


def fails():
    work(5)
    raise ValueError("failed")


def threaded():
    work(5)
    layer.nap()


def forked():
    work(5)
    layer.nap()


def join(function):
    layer.joinall([layer.spawn(function)])


# Else it would look for garbage, at the expense of whoever runs.
gc.disable()
layer = {"greenlet": Plain, "gevent": Gevent, "eventlet": Eventlet}[sys.argv[1]]()
done = []
layer.joinall([layer.spawn(kind) for _ in range(COUNT) for kind in (light, middle, heavy)])
print(sum(done))
if not isinstance(layer, Plain):
    join(naps)
    join(polite)
    event = layer.Event()
    waiter = layer.spawn(waits)
    layer.give_way()
    layer.joinall([layer.spawn(sets), waiter])
layer.kill(layer.spawn(killed))
if isinstance(layer, Plain):
    one = layer.spawn(given_up)
    one.switch()
    del one
try:
    join(fails)
except ValueError as error:
    print(error)
thread = threading.Thread(target=join, args=(threaded,))
thread.start()
thread.join()
sys.stdout.flush()
child = getattr(layer, "fork", os.fork)()
if not child:
    join(forked)
    os._exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
sys.exit(7)
