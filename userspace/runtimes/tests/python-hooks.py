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
    tools(sys.monitoring)
    audited(sys.monitoring)
thread = threading.Thread(target=hooked)
thread.start()
thread.join()
hooked()
