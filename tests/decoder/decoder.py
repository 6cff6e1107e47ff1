# SPDX-License-Identifier: GPL-2.0
"""What a recording adds up to, by a decoder that was written from cprof(5) and uapi/coroprof.h
alone: it shares no code with coroprof-read, and no idea of how that reads a file."""
import ctypes
import struct
import zlib
from collections import defaultdict

M64 = (1 << 64) - 1
ID_THREAD, LABEL_CODE, LABEL_ADAPTER = 1 << 63, 1, 2
SLICE, LOST, SPAN = 1, 2, 3
PROCESS, LABEL, CHANNEL = 16, 18, 19
OFFCPU, FRESH, WOKEN, SCALED = 1, 2, 4, 8
STANDING_SCALED = 2
(KIND, TIME, SLOT, ID, LABEL_AT, DURATION, PREEMPTED, BLOCKED, TIMES, DEPTH, OFF, COUNT) = range(12)
PARENT, TAG, WAKE, WAKER, MISSING, LOST_AT, COLUMNS = range(19, 26)


def unzstd(stored, size):
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    to = ctypes.create_string_buffer(size)
    assert zstd.ZSTD_decompress(to, size, stored, len(stored)) == size
    return to.raw


def payload_sum(stored):
    def add(to, word):
        to = ((to ^ word) * 0x9e3779b97f4a7c15) & M64
        return to ^ to >> 32

    words = struct.unpack(f"<{-(-len(stored) // 32) * 4}Q", stored + bytes(-len(stored) % 32))
    sums, total = [1, 2, 3, 4], len(stored)
    for n, word in enumerate(words):
        sums[n % 4] = add(sums[n % 4], word)
    for one in sums:
        total = add(total, one)
    return total & 0xffffffff


def segments(data):
    magic, endian, version, at, crc = struct.unpack_from("<8sIIII", data)
    assert (magic, endian, version) == (b"\x89CPROF\r\n", 0x01020304, 3) and crc == zlib.crc32(data[:20])
    while at + 48 <= len(data):
        magic, kind, flags, stored, size, check, channel, _, _, _, crc = struct.unpack_from("<IHHIIIIQQII", data, at)
        if magic != 0x47455343:
            break  # what is behind the last segment is the end of an INDEX
        assert crc == zlib.crc32(data[at:at + 44])
        payload = data[at + 48:at + 48 + stored]
        assert check == payload_sum(payload)
        yield kind, channel, flags & 2, unzstd(payload, size) if flags & 1 else payload
        at += 48 + stored + -stored % 8


class Column:
    """Numbers of one column, in order."""

    def __init__(self, data):
        self.data, self.at, self.waiting = data, 0, []

    def next(self):
        if not self.data:
            return 0
        if not self.waiting:
            self.waiting = self.group()[::-1]
        return self.waiting.pop()

    def take(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "little")

    def group(self):
        width, nr, exceptions, more = (self.take(1) for _ in range(4))
        base = self.take(8) if more & 128 else 0
        lanes = [0] * 4
        for vector in range(((nr + 3) // 4 * width + 31) // 32):
            for lane in range(4):
                lanes[lane] |= self.take(4) << 32 * vector
        numbers = [lanes[n % 4] >> n // 4 * width & (1 << width) - 1 for n in range(nr)]
        for n in [self.take(1) for _ in range(exceptions)]:
            numbers[n] += self.take(more & 127) << width
        return [(n + base) & M64 for n in numbers]


def by_column(data):
    records, nr_kinds, nr_labels, counters, nr_columns = struct.unpack_from("<IIIHH", data)
    assert nr_columns == COLUMNS
    sizes, at = struct.unpack_from(f"<{COLUMNS}I", data, 16), 16 + 4 * COLUMNS
    kinds = [struct.unpack_from("<4H", data, at + 8 * n) for n in range(nr_kinds)]
    at += 8 * nr_kinds
    labels = [struct.unpack_from(f"<{1 + counters}I", data, at + 4 * (1 + counters) * n) for n in range(nr_labels)]
    at += 4 * (1 + counters) * nr_labels
    columns = []
    for size in sizes:
        columns.append(Column(data[at:at + size]))
        at += size
    follows, ids, label_of = defaultdict(int), defaultdict(int), defaultdict(int)
    take = lambda column: columns[column].next()
    turned = lambda column: (lambda v: v >> 1 | (v & 1) << 63)(take(column))
    time = slot = slice_time = waker = 0
    for _ in range(records):
        kind, stored, flags, standing = kinds[take(KIND)]
        time = (time + take(TIME)) & M64
        if kind == LOST:
            yield dict(type=LOST, time=time, spans=take(LOST_AT), lost=take(LOST_AT))
            continue
        if stored & 1:
            follows[slot % 1024] = take(SLOT)
        slot = follows[slot % 1024]
        place = slot % 1024
        if stored & 2:
            ids[place] = turned(ID)
        label = take(LABEL_AT) if stored & 2 or kind == SPAN else label_of[place]
        duration = take(DURATION) if stored & 4 else (time - slice_time) & M64
        running, off, woken = duration, (0, 0), None
        if kind == SPAN:
            take(DEPTH)
            running = (duration - take(OFF)) & M64
        else:
            label_of[place], slice_time = label, time
            if flags & OFFCPU:
                off = (take(PREEMPTED) if stored & 16 else 0, take(BLOCKED) if stored & 32 else 0)
                if stored & 64:
                    take(TIMES), take(TIMES)
                running -= sum(off)
        count, source = [], running
        for n, rate in enumerate(labels[label][1:]):
            stored_count = take(COUNT + n)
            difference = -(stored_count >> 1) - 1 if stored_count & 1 else stored_count >> 1
            count.append((((source & 0xffffffff) * rate >> 20) + difference) & M64)
            source = count[0]
        if kind == SLICE and flags & FRESH:
            take(PARENT), take(TAG)
        if kind == SLICE and flags & WOKEN:
            woken_at = (time - duration - take(WAKE)) & M64
            waker = turned(WAKER) if stored & 8 else waker
            woken = (woken_at, waker)
        scaled = flags & (SCALED if kind == SLICE else 1)
        missing = [take(MISSING) for _ in range(counters)] if scaled else [0] * counters
        yield dict(type=kind, time=time, duration=duration, id=ids[place], label=labels[label][0], running=running,
                   off=off, count=count, missing=missing, standing=standing, woken=woken, flags=flags)


def as_in_ring(data, counters):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        assert size >= 8
        if kind == LOST:
            spans, time, lost = struct.unpack_from("<IQQ", data, at + 4)
            yield dict(type=LOST, time=time, spans=spans, lost=lost)
        elif kind in (SLICE, SPAN):
            time, duration, ident, label, flags, standing = struct.unpack_from("<QQQIHH", data, at + 8)
            begin = at + (40 if kind == SLICE else 56)
            count = list(struct.unpack_from(f"<{counters}Q", data, begin))
            begin += 8 * counters
            off, woken, missing, running = (0, 0), None, [0] * counters, duration
            if kind == SPAN:
                running, = struct.unpack_from("<Q", data, at + 40)
            elif flags & OFFCPU:
                off = struct.unpack_from("<QQ", data, begin)
                begin, running = begin + 24, duration - sum(off)
            if kind == SLICE and flags & FRESH:
                begin += 16
            if kind == SLICE and flags & WOKEN:
                woken = struct.unpack_from("<QQ", data, begin)
                begin += 16
            if flags & (SCALED if kind == SLICE else 1):
                missing = list(struct.unpack_from(f"<{counters}Q", data, begin))
            yield dict(type=kind, time=time, duration=duration, id=ident, label=label, running=running, off=off,
                       count=count, missing=missing, standing=standing, woken=woken, flags=flags)
        at += size


def stream(data):
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<HH", data, at)
        yield kind, data[at:at + size]
        at += size


class Recording:
    """Processes, labels and channels of a file, and all records of its rings, in order of time."""

    def __init__(self, path):
        with open(path, "rb") as file:
            parts = list(segments(file.read()))
        self.pids, self.labels, self.channels, self.records, self.names = {}, {}, {}, [], {}
        for payload in (part[3] for part in parts if part[0] == 2):
            while payload:
                name = payload[32:].split(b"\0")[0]
                self.names[struct.unpack_from("<IIQQQ", payload)] = name.decode()
                payload = payload[32 + (len(name) // 8 + 1) * 8:]
        for kind, record in (one for part in parts if part[0] == 3 for one in stream(part[3])):
            if kind == PROCESS:
                process, _, pid = struct.unpack_from("<IQi", record, 4)
                self.pids[process] = pid
            elif kind == LABEL:
                process, number, flags, value, size = struct.unpack_from("<IIIQI", record, 4)
                text = record[32:32 + size].split(b"\0")[0].decode()
                if not flags & LABEL_ADAPTER:
                    self.labels[process, number] = (text, value if flags & LABEL_CODE else None)
            elif kind == CHANNEL:
                channel, _, process, _, nr = struct.unpack_from("<IQIiI", record, 4)
                counters = [struct.unpack_from("<IIQQQ", record, 64 + 40 * n) for n in range(nr)]
                self.channels[channel] = (process, counters)
        for kind, channel, columns, payload in parts:
            if kind == 4:
                process, counters = self.channels[channel]
                for record in by_column(payload) if columns else as_in_ring(payload, len(counters)):
                    self.records.append({**record, "channel": channel, "process": process, "counters": counters})
        self.records.sort(key=lambda record: record["time"])

    def label(self, record):
        """Text, and address of code; of number 0, None."""
        text, address = self.labels.get((record["process"], record["label"]), (None, None))
        return self.pids[record["process"]], text, address

    def slices(self):
        return (record for record in self.records if record["type"] == SLICE)

    def sums(self, whose):
        """By what @whose says of a slice: slices, times, and what each counter counted."""
        found = defaultdict(lambda: defaultdict(int))
        for record in self.slices():
            to = found[whose(record)]
            to["slices"] += 1
            to["running"] += record["running"]
            to["preempted"] += record["off"][0]
            to["idle" if record["id"] & ID_THREAD else "blocked"] += record["off"][1]
            for n, counter in enumerate(record["counters"]):
                if record["standing"] >> 2 * n & 3 >= STANDING_SCALED and counter in self.names:
                    to[self.names[counter] + "_counted"] += record["count"][n]
        return found

    def spans(self):
        """How often a span of each label ended."""
        found = defaultdict(int)
        for record in self.records:
            if record["type"] == SPAN:
                found[self.label(record)] += 1
        return found

    def wakes(self):
        """How often coroutines of one label made those of another one ready: the last label known, or the first to come."""
        first, last, found = {}, {}, defaultdict(int)
        for record in self.slices():
            first.setdefault((record["process"], record["id"]), self.label(record))
        for record in self.slices():
            last[record["process"], record["id"]] = self.label(record)
            if record["woken"] and record["woken"][0] and not record["id"] & ID_THREAD:
                waker = record["process"], record["woken"][1]
                found[last.get(waker, first.get(waker)), self.label(record)] += 1
        return found
