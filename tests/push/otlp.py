# SPDX-License-Identifier: GPL-2.0
"""Decodes requests of OTLP: written from the .proto files of OpenTelemetry alone."""
import gzip
import struct
from collections import namedtuple

# A data point: what of, whose, and how much. histogram: None, or a dict.
Point = namedtuple("Point", "metric resource attributes start time value temporality monotonic histogram unit")
DELTA, CUMULATIVE = 1, 2


def fields(data):
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                assert value < 1 << 64
                return value

    while at < len(data):
        key = varint()
        number, kind = key >> 3, key & 7
        assert number
        if kind == 0:
            yield number, varint()
        elif kind == 1:
            yield number, data[at:at + 8]
            at += 8
        elif kind == 2:
            size = varint()
            assert at + size <= len(data)
            yield number, data[at:at + size]
            at += size
        else:
            raise ValueError(f"wire type {kind}")


def every(data, number):
    return [value for n, value in fields(data) if n == number]


def one(data, number, default=None):
    found = every(data, number)
    assert len(found) <= 1, (number, found)
    return found[0] if found else default


def text(data):
    return data.decode("utf-8")


def any_value(data):
    (number, value), = fields(data)
    return {1: lambda: text(value), 2: lambda: bool(value), 3: lambda: value, 4: lambda: struct.unpack("<d", value)[0]}[number]()


def attributes(values):
    pairs = [(text(one(value, 1)), any_value(one(value, 2))) for value in values]
    assert len(dict(pairs)) == len(pairs), pairs
    return dict(pairs)


def fixed(data):
    return 0 if data is None else struct.unpack("<Q", data)[0]


def real(data):
    return None if data is None else struct.unpack("<d", data)[0]


def packed(data):
    data, numbers = data or b"", []
    value = shift = 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    return numbers


def zigzag(value):
    return (value >> 1) ^ -(value & 1)


def number_point(data):
    whole = one(data, 6)
    value = real(one(data, 4)) if whole is None else struct.unpack("<q", whole)[0]
    return attributes(every(data, 7)), fixed(one(data, 2)), fixed(one(data, 3)), value, None


def histogram_point(data):
    positive = one(data, 8, b"")
    histogram = {
        "count": fixed(one(data, 4)), "sum": real(one(data, 5)), "scale": zigzag(one(data, 6, 0)), "zero": fixed(one(data, 7)),
        "offset": zigzag(one(positive, 1, 0)), "counts": packed(one(positive, 2)),
        "min": real(one(data, 12)), "max": real(one(data, 13)),
    }
    assert histogram["zero"] + sum(histogram["counts"]) == histogram["count"], histogram
    return attributes(every(data, 1)), fixed(one(data, 2)), fixed(one(data, 3)), histogram["sum"], histogram


def metric_points(metric, resource):
    name, unit = text(one(metric, 1)), text(one(metric, 3, b""))
    data, decode = one(metric, 7), number_point
    if data is None:
        data, decode = one(metric, 10), histogram_point
    for point in every(data, 1):
        own, start, time, value, histogram = decode(point)
        yield Point(name, resource, own, start, time, value, one(data, 2), bool(one(data, 3, 0)), histogram, unit)


def points(body):
    found = []
    for resource_metrics in every(body, 1):
        resource = attributes(every(one(resource_metrics, 1), 1))
        for scope_metrics in every(resource_metrics, 2):
            assert text(one(one(scope_metrics, 1), 1)) == "coroprof"
            for metric in every(scope_metrics, 2):
                found.extend(metric_points(metric, resource))
    keys = [(p.metric, tuple(sorted(p.resource.items())), tuple(sorted(p.attributes.items()))) for p in found]
    assert len(set(keys)) == len(keys), "a series has two points"
    return found


def request(body):
    return points(gzip.decompress(body))


def total(requests, metric, **wanted):
    """The sum of all values of a metric, by what its attributes are; of cumulative ones those of the last request."""
    result = {}
    for found in requests:
        for p in found:
            own = {key.replace(".", "_"): value for key, value in p.attributes.items()}
            if p.metric != metric or any(own.get(key) != value for key, value in wanted.items()):
                continue
            label = p.attributes.get("coroprof.label")
            key = (label, p.attributes["coroprof.standing"], p.resource.get("process.pid"))
            if p.temporality == CUMULATIVE:
                result[key] = p.value
            else:
                result[key] = result.get(key, 0) + p.value
    by_label = {}
    for (label, _, _), value in result.items():
        by_label[label] = by_label.get(label, 0) + value
    return by_label
