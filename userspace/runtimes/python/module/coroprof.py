# SPDX-License-Identifier: LGPL-2.1-or-later
"""Record this program, and say what its coroutines do: see coroprof_python(3).

The library is the one that the process has, from coroprof-read or LD_PRELOAD, or else is loaded here: coroutines are
recorded from then on.
"""
import atexit
import contextlib
import ctypes
import os
import shutil
import subprocess
import tempfile

__all__ = ["count", "dump", "go", "label", "span", "start", "stop", "tag"]

_NAME = "libcoroprof-preload.so"
_THREAD = 0


def _load_preload():
    """Of its adapters only Python's has something to do in a program that runs."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", _NAME)
    before = os.environ.get("COROPROF_RUNTIMES")
    os.environ["COROPROF_RUNTIMES"] = "python" if before is None else before
    try:
        return ctypes.PyDLL(os.environ.get("COROPROF_PRELOAD", path), mode=ctypes.RTLD_GLOBAL)
    finally:
        if before is None:
            del os.environ["COROPROF_RUNTIMES"]


def _load():
    process = ctypes.PyDLL(None)
    return process if hasattr(process, "coroprof_python_functions_") else _load_preload()


# Calls keep the interpreter's lock: they are short, and what they say is of the thread that makes them.
_lib = _load()
_lib.coroprof_new.argtypes = [ctypes.c_uint32, ctypes.c_uint32, ctypes.c_uint64]
_lib.coroprof_count.argtypes = [ctypes.c_uint64]
_lib.coroprof_set_tag.argtypes = [ctypes.c_uint32, ctypes.c_uint64]
_lib.coroprof_label.argtypes = [ctypes.c_char_p]
_lib.coroprof_strerror.restype = ctypes.c_char_p
_lib.coroprof_python_functions_.restype = ctypes.c_char_p
_recording = None


def _number(text):
    return _lib.coroprof_label(os.fsencode(text))


def count(value):
    """The thread has counted so much more, modulo 2^64: a recording with the event program charges the coroutine that runs."""
    _lib.coroprof_count(value)


def tag(number):
    """The coroutine that runs has this number, any of 64 bits. Before it first waits."""
    _lib.coroprof_set_tag(_lib.coroprof_current(), number)


def label(text):
    """The coroutine that runs has this name in place of its function's."""
    _lib.coroprof_set_label(_lib.coroprof_current(), _number(text))


@contextlib.contextmanager
def span(text):
    """What is done in it is a span of that name, of the coroutine that does it."""
    _lib.coroprof_span_begin(_number(text))
    try:
        yield
    finally:
        _lib.coroprof_span_end()


def dump(why):
    """A flight recorder, "coroprof record --keep 60s --dump-on program", is to write what it keeps, for this reason."""
    if hasattr(_lib, "coroprof_dump"):
        _lib.coroprof_dump(ctypes.c_char_p(os.fsencode(why)))


class _Recording:
    """A coroprof-read beside this program, and the file that it writes."""

    def __init__(self, options):
        self.owner = os.getpid()
        self.folder = tempfile.mkdtemp(prefix="coroprof-")
        self.file = os.path.join(self.folder, "coroprof.cprof")
        ready, told = os.pipe()
        try:
            self.reader = subprocess.Popen(
                [_reader(), "-q", "-p", str(self.owner), "--no-inherit", "--ready-fd", str(told), "-o", self.file, *options],
                pass_fds=[told], start_new_session=True)
            os.close(told)
            told = None
            began = os.read(ready, 1)
        except BaseException:
            shutil.rmtree(self.folder)
            raise
        finally:
            os.close(ready)
            if told is not None:
                os.close(told)
        if not began:
            self._end()
        atexit.register(self._give_up)

    def _give_up(self):
        """The program ends, and nobody has called stop(). A forked child has none of this."""
        if self.owner == os.getpid():
            self.reader.kill()
            self.reader.wait()
            shutil.rmtree(self.folder)

    def _end(self):
        shutil.rmtree(self.folder)
        raise RuntimeError(f"coroprof-read ended with {self.reader.wait()}, and has said why")

    def stop(self, output):
        atexit.unregister(self._give_up)
        self.reader.send_signal(2)
        if self.reader.wait():
            self._end()
        try:
            if output.endswith(".cprof"):
                shutil.move(self.file, output)
            else:
                subprocess.run([_reader(), "-q", "-o", output, self.file], check=True)
        finally:
            shutil.rmtree(self.folder)


def _reader():
    return os.environ.get("COROPROF_READ", "coroprof-read")


def _make_known():
    """A process is recorded from its first coroutine on."""
    _lib.coroprof_done(_lib.coroprof_new(0, _THREAD, 0))
    error = _lib.coroprof_status()
    if error:
        raise OSError(-error, _lib.coroprof_strerror(error).decode())


def start(*, events=None, functions=None, options=()):
    """Record, until stop(). events and options are those of coroprof-read; functions: modules whose functions are told."""
    global _recording
    if _recording and _recording.owner == os.getpid():
        raise RuntimeError("coroprof records already: stop() ends that")
    _make_known()
    why = _lib.coroprof_python_functions_(os.fsencode(functions)) if functions else None
    if why:
        raise RuntimeError(f"functions are not recorded: {why.decode()}")
    try:
        _recording = _Recording([*(["-e", events] if events else []), *options])
    except BaseException:
        _lib.coroprof_python_functions_(None)
        raise


def stop(output="coroprof.html"):
    """End it, and write what was recorded: the name says in which form, as of coroprof-read -o."""
    global _recording
    if not _recording or _recording.owner != os.getpid():
        raise RuntimeError("coroprof records nothing: start() begins that")
    recording, _recording = _recording, None
    _lib.coroprof_python_functions_(None)
    recording.stop(output)


def go(function, *arguments, output="coroprof.html", events=None, functions=None, options=(), **names):
    """What the function returns; recorded."""
    start(events=events, functions=functions, options=options)
    try:
        return function(*arguments, **names)
    finally:
        stop(output)
