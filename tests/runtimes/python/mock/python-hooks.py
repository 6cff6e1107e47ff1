# SPDX-License-Identifier: GPL-2.0
"""What a program's own profile function, trace function and tools of sys.monitoring see, beside functions that are told."""
import sys
import threading


def seen():
    len(())


def told(kind):
    return lambda frame, event, arg: print(kind, event, frame.f_code.co_name, getattr(arg, "__name__", arg))


def hooked():
    sys.setprofile(told("profile"))
    seen()
    sys.setprofile(None)
    sys.settrace(told("trace"))
    sys.setprofile(told("profile"))
    seen()
    sys.setprofile(None)
    sys.settrace(None)


def own():
    pass


def kept(monitoring):
    """A tool's function may be there before it is used, and code that is switched off for it stays so."""
    start = monitoring.events.PY_START

    def starts(code, _):
        if code is own.__code__:
            print("starts")
        return monitoring.DISABLE

    for tool in (4, 3):
        monitoring.register_callback(tool, start, starts)
        monitoring.use_tool_id(tool, "own")
        monitoring.set_events(tool, start)
        own()
        for name in (5, 3, 2):
            print(monitoring.get_tool(name), monitoring._all_events())
            own()
    for tool in (4, 3):
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
        print(monitoring.register_callback(tool, start, None) is starts)


def kept_all(monitoring):
    """So may its functions for events that ours does not have, and each is what it was."""
    def named(name):
        def function(*_):
            pass
        function.__name__ = name
        return function

    events = vars(monitoring.events)
    order = sorted(events, key=events.get)
    order.remove("NO_EVENTS")
    # Since 3.14 BRANCH registers two others, of which a program may replace one.
    for tool in range(6):
        for name in sorted(order, key=lambda name: name != "BRANCH"):
            if name != "BRANCH_RIGHT":
                monitoring.register_callback(tool, events[name], named(name) if name != "BRANCH_LEFT" else None)
    for tool in range(6):
        monitoring.use_tool_id(tool, "own")
        for name in order:
            before = monitoring.register_callback(tool, events[name], None)
            print(tool, name, getattr(before, "__name__", type(before).__name__))
        monitoring.free_tool_id(tool)


class Number:
    """What stands for the number of a tool may have code of its own."""
    def __init__(self, number):
        self.number = number

    def __index__(self):
        print("asked for", self.number)
        if isinstance(self.number, int):
            print("finds", sys.monitoring.get_tool(self.number))
        return self.number


def numbers(monitoring):
    calls = [(monitoring.use_tool_id, "own"), (monitoring.set_events, 0), (monitoring.get_events,), (monitoring.get_tool,),
             (monitoring.register_callback, monitoring.events.LINE, None), (monitoring.register_callback, Number(2), None),
             (monitoring.get_local_events, own.__code__), (monitoring.set_local_events, own.__code__, Number(0)),
             (monitoring.free_tool_id,), (monitoring.use_tool_id,), (monitoring.use_tool_id, "own", "more")]
    if hasattr(monitoring, "clear_tool_id"):
        calls.append((monitoring.clear_tool_id,))
    for tool in (Number(4), Number(3), Number(True), Number("four"), "four", Number(1 << 40), 1 << 80, 6, -1, None):
        for function, *more in calls:
            try:
                print(function.__name__, function(tool, *more))
            except Exception as error:
                print(function.__name__, repr(error))
    print([monitoring.get_tool(tool) for tool in range(6)], monitoring._all_events())


def audited(monitoring):
    """What looks at the tools while ours changes."""
    sys.addaudithook(lambda event, _: event == "sys.monitoring.register_callback" and monitoring.get_tool(4))
    print(monitoring.get_tool(4))


def tools(monitoring):
    print([monitoring.get_tool(tool) for tool in range(6)], monitoring._all_events())
    for tool in range(6):
        print(monitoring.get_events(tool), monitoring.register_callback(tool, monitoring.events.LINE, None))
        monitoring.use_tool_id(tool, "own")
        # It is told as long as there is a tool that the program does not use.
        seen()
    for tool in (4, 2):
        try:
            monitoring.use_tool_id(tool, "again")
        except ValueError as error:
            print(error)
        monitoring.free_tool_id(tool)
        seen()
    try:
        monitoring.set_events(4, 1)
    except ValueError as error:
        print(error)
    print([monitoring.get_tool(tool) for tool in range(6)], monitoring._all_events())


print(sys.getprofile())
if hasattr(sys, "monitoring"):
    kept(sys.monitoring)
    kept_all(sys.monitoring)
    numbers(sys.monitoring)
    tools(sys.monitoring)
    audited(sys.monitoring)
thread = threading.Thread(target=hooked)
thread.start()
thread.join()
hooked()
