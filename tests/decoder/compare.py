# SPDX-License-Identifier: GPL-2.0
"""compare.py READER RECORDING...: sums of each recording by the decoder, against the tables of coroprof-read;
and that these recordings tell a decoder from one that does not know a sentence of cprof(5)."""
import functools
import inspect
import json
import os
import struct
import subprocess
import sys

import decoder
import unread
from decoder import ID_THREAD, Recording

# What coroprof-read ends with if a recording is cut, or damaged.
NOT_WHOLE = 3
TIMES = ("slices", "running", "preempted", "blocked", "idle")


def differences(what, ours, theirs):
    for key in sorted(set(ours) | set(theirs), key=str):
        if ours.get(key) != theirs.get(key):
            yield f"{what} {key}: the decoder has {ours.get(key)}, coroprof-read {theirs.get(key)}"


def figures(row, names):
    found = {name: int(row[name] or 0) for name in (*TIMES, *(f"{name}_counted" for name in names))}
    return {name: value for name, value in found.items() if value}


def plain(sums):
    return {key: {name: value for name, value in row.items() if value} for key, row in sums.items()}


def rows_of(table):
    """Columns of JSON as rows, with the numbers that ids are; those of 2^63 and more are hexadecimal."""
    columns = {name: [value if value is None or table["about"][name]["kind"] != "id" else int(value, 0) for value in values]
               for name, values in table["columns"].items() if name in table["about"]}
    return [{name: values[i] for name, values in columns.items()} for i in range(table["rows"])]


@functools.cache
def tables_of(reader, path):
    told = subprocess.run([reader, "--format", "json", path], capture_output=True, check=False)
    if told.returncode not in (0, NOT_WHOLE):
        raise ChildProcessError(f"coroprof-read: status {told.returncode}: {told.stderr.decode()}")
    return {name: rows_of(table) for name, table in json.loads(told.stdout)["tables"].items()}


def compare(tables, recording):
    """Where they differ, in words."""
    names = [row["name"] for row in tables["counters"] if row["in_session"] == "yes"]
    yield from differences("counter", dict.fromkeys(recording.names.values(), True), dict.fromkeys(names, True))
    pids = [row["pid"] for row in tables["processes"]]

    def label(row):
        number = row["address"]
        if row["kind"] in ("none", "thread") and row["name"].startswith("("):
            return pids[row["process"]], None, None
        return pids[row["process"]], row["object"] if number is not None else row["name"], number and int(number)

    labels = [label(row) for row in tables["labels"]]
    yield from differences("label", plain(recording.sums(
        lambda slice: (*recording.label(slice), bool(slice["id"] & ID_THREAD)))),
        {(*key, row["kind"] == "thread"): figures(row, names) for key, row in zip(labels, tables["labels"])})
    yield from differences("coroutine", plain(recording.sums(lambda slice: (recording.pids[slice["process"]], slice["id"]))),
                           {(pids[row["process"]], int(row["id"])): figures(row, names) for row in tables["coroutines"]})
    yield from differences("thread", plain(recording.sums(lambda slice: slice["channel"])),
                           {int(row["number"]): figures(row, names) for row in tables["threads"] if row["slices"]})
    yield from differences("wake", recording.wakes(), {
        (labels[row["waker"]] if row["waker"] is not None else None, labels[row["woken"]]): row["count"] for row in tables["wakes"]})
    yield from differences("span", recording.spans(), {
        (pids[row["process"]], row["object"] if row.get("address") is not None else row["name"],
         row.get("address") and int(row["address"])): row["calls"] for row in tables.get("spans", []) if row["calls"]})
    if not sum(1 for _ in recording.slices()):
        yield "it has no slices"


def misread(tables, recording, path):
    """Whether a decoder has other sums, or none: what it takes for a record, or a number, may be anything."""
    try:
        return next(compare(tables, recording(path)), None)
    except (ArithmeticError, AssertionError, LookupError, MemoryError, ValueError, struct.error) as error:
        return repr(error)


reader, *paths = sys.argv[1:]
failed, done = 0, 0
print(f"1..{len(paths) + len(unread.SENTENCES)}")
for path in paths:
    found = list(compare(tables_of(reader, path), Recording(path)))
    done, failed = done + 1, failed | bool(found)
    print(f"{'not ' if found else ''}ok {done} - {os.path.basename(path)}: a decoder written from cprof(5) has the sums of coroprof-read")
    for line in found[:10]:
        print(f"# {line}")
for sentence, unknowing in unread.without(inspect.getsource(decoder)):
    found = next((path for path in paths if misread(tables_of(reader, path), unknowing, path)), None)
    done, failed = done + 1, failed | (not found)
    print(f"{'' if found else 'not '}ok {done} - without \"{sentence}\" a decoder reads {os.path.basename(found or 'all')} "
          f"{'wrongly' if found else 'rightly'}")
sys.exit(failed)
