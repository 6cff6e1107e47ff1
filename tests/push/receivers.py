# SPDX-License-Identifier: GPL-2.0
"""receivers.py PLAY READER FOLDER: what comes of --push with each kind of receiver, which is one of Python's. PLAY plays a
recording whose sums are known; requests are decoded by otlp.py. Prints TAP."""
import contextlib
import decimal
import gzip
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

import otlp

PLAY, READER, FOLDER = sys.argv[1:4]
ONLY = sys.argv[4] if len(sys.argv) > 4 else None
SECOND = 1000000000
LABELS = ["one", "two", "odd", "\\x1b[2J\\x01\\x0a", "bad \ufffd\ufffd"]

tests = []


def test(function):
    tests.append(function)
    return function


class Receiver:
    """Answers the n-th request with answer(n): a status, or (status, headers, body), or a function of the handler."""

    def __init__(self, answer=lambda n: 200, port=0, tls=None, token=None):
        self.answer, self.token = answer, token
        self.requests, self.asked, self.times, self.paths = [], 0, [], []
        self.over = threading.Event()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.take(self, body)

            do_PUT = do_POST

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *_):
                pass

        self.server = Server(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def take(self, handler, body):
        n, self.asked = self.asked, self.asked + 1
        self.times.append(time.monotonic())
        self.paths.append(handler.path)
        self.check(handler)
        answer = self.answer(n)
        if self.token and handler.headers["Authorization"] != f"Bearer {self.token}":
            answer = 401
        if callable(answer):
            answer(self, handler)
            return
        status, headers, text = answer if isinstance(answer, tuple) else (answer, {}, b"")
        if 200 <= status < 300 and not text.startswith(b"<html>"):
            self.requests.append(body)
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def check(self, handler):
        assert handler.command == "POST" and handler.headers["Content-Type"] == "application/x-protobuf"
        assert handler.headers["Content-Encoding"] == "gzip"

    def decoded(self):
        return [otlp.request(body) for body in self.requests]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()


class Play:
    def __init__(self, url, *options, env=None):
        self.process = subprocess.Popen([PLAY, url, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, cwd=FOLDER, env={**os.environ, "no_proxy": "*", **(env or {})})

    def order(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def until_done(self):
        """What was ordered so far."""
        self.order("say")
        assert self.process.stdout.readline() == "so far\n"

    def end(self):
        """(slices, ns) by label, as it is sent; and what was said."""
        out, said = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, said
        truth = {}
        for i, line in enumerate(out.splitlines()):
            name, slices, ns = line.split()
            if i < len(LABELS):
                name = LABELS[i]
            else:
                name = bytes.fromhex(name).decode()
            truth[name] = (int(slices), int(ns))
        return truth, said

    def kill(self):
        self.process.kill()
        self.process.communicate()


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.01)


def by_label(requests, metric, **wanted):
    """None: outside coroutines. The longest name is cut, and is known by its begin."""
    found = otlp.total(requests, metric, **wanted)
    return {("n" * 254 if label and label.startswith("nnn") else label): value for label, value in found.items()}


def lost(requests, metric):
    return sum(otlp.total(requests, f"coroprof.push.{metric}").values())


def same_sums(requests, truth):
    running = by_label(requests, "coroprof.coroutine.time", coroprof_state="running")
    switches = by_label(requests, "coroprof.coroutine.switches")
    for label, (slices, ns) in truth.items():
        assert running[label] == ns, (label, running[label], ns)
        assert switches[label] == slices, (label, switches[label], slices)
    return True


# ---------------------------------------------------------------- all is well


@test
def sums_that_are_received_are_those_of_the_recording():
    with Receiver() as receiver:
        play = Play(receiver.url, "delta")
        play.order("tick 23")
        truth, said = play.end()
        requests = receiver.decoded()
    assert len(requests) == 23 and not said, (len(requests), said)
    assert same_sums(requests, truth)
    assert not lost(requests, "lost.requests") and not lost(requests, "skipped.time")
    held = {}
    for p in [p for r in requests for p in r if p.metric == "coroprof.coroutine.held"]:
        label = p.attributes["coroprof.label"]
        h = held.setdefault(label, {"count": 0, "sum": 0, "counts": {}})
        h["count"] += p.histogram["count"]
        h["sum"] += p.histogram["sum"]
        assert p.histogram["scale"] == 0 and p.temporality == otlp.DELTA
        for i, n in enumerate(p.histogram["counts"]):
            h["counts"][p.histogram["offset"] + i] = h["counts"].get(p.histogram["offset"] + i, 0) + n
    # 5 ms are between 2^22 and 2^23 ns.
    assert held["two"]["counts"] == {22: truth["two"][0]}, held["two"]
    for label in ("one", "two", "odd"):
        assert (held[label]["count"], held[label]["sum"]) == truth[label], (label, held[label], truth[label])


@test
def each_point_has_its_attributes():
    with Receiver() as receiver:
        play = Play(receiver.url, "delta")
        play.order("tick 2")
        play.end()
        requests = receiver.decoded()
    for p in [p for r in requests for p in r]:
        assert p.resource["host.name"] == socket.gethostname() and p.resource["os.type"] == "linux"
        assert p.resource["service.name"] in ("coroprof", "shop")
        assert p.resource["process.pid"] == 4711 or p.resource["service.name"] == "coroprof"
        assert "coroprof.standing" in p.attributes and p.temporality == otlp.DELTA and p.start < p.time
        assert p.monotonic or p.histogram
    names = {p.metric for r in requests for p in r}
    assert {"coroprof.coroutine.time", "coroprof.coroutine.switches", "coroprof.coroutine.held", "coroprof.recorder.cpu.time",
            "coroprof.push.lost.requests"} <= names, names
    # Nobody has measured what it costs to be played: that is no 0.
    assert "coroprof.overhead.time" not in names, names
    ends = sorted({p.time for r in requests for p in r if p.resource["service.name"] == "shop"})
    starts = sorted({p.start for r in requests for p in r if p.resource["service.name"] == "shop"})
    assert len(ends) == 2 and starts[1] == ends[0], (starts, ends)


@test
def cumulative_sums_grow_to_those_of_the_recording():
    with Receiver() as receiver:
        play = Play(receiver.url)
        play.order("tick 9")
        truth, _ = play.end()
        requests = receiver.decoded()
    assert same_sums(requests, truth)
    before, starts = {}, {}
    for p in [p for r in requests for p in r]:
        key = (p.metric, tuple(sorted(p.attributes.items())), p.resource.get("process.pid"))
        assert p.value >= before.get(key, 0) and p.temporality == otlp.CUMULATIVE
        assert starts.setdefault(key, p.start) == p.start
        before[key] = p.value


def series_of(request):
    """As an engine counts them that makes one of each bucket, of the sum, and of how many there are."""
    return sum(1 if p.histogram is None else 2 + (p.histogram["zero"] > 0) + sum(n > 0 for n in p.histogram["counts"]) for p in request)


@test
def a_host_is_at_most_1500_series():
    for temporality in ([], ["delta"]):
        with Receiver() as receiver:
            play = Play(receiver.url, "metrics", *temporality)
            port = int(play.process.stdout.readline())
            play.order("crowd 14")
            play.order("drain")
            play.order("series")
            counted = int(play.process.stdout.readline())
            until(lambda: shown(parsed(scrape(port)[2]), "coroprof_coroutine_time_seconds_total", state="running")["two"] == decimal.Decimal("1.4"))
            metrics = parsed(scrape(port)[2])
            play.end()
            requests = receiver.decoded()
        assert len(requests) == 14 and 1200 < counted <= 1500, (len(requests), counted)
        most = max(series_of(request) for request in requests)
        assert most <= 1500, most
        if not temporality:
            assert series_of(requests[-1]) == counted, (series_of(requests[-1]), counted)
        assert 1200 < sum(len(rows) for rows in metrics.values()) <= 1500, sum(len(rows) for rows in metrics.values())
        running = otlp.total(requests, "coroprof.coroutine.time", coroprof_state="running")
        # Of sums since the begin those that a label had before it went into 'other' are in no later request.
        assert not temporality or sum(running.values()) == 14 * SECOND, running


@test
def labels_that_are_kept_back_are_in_no_request():
    for options, kept in ((["labels=two"], ["two"]), (["most=2"], ["two"]), (["most=0"], []), (["labels=hash"], None)):
        with Receiver() as receiver:
            play = Play(receiver.url, "delta", *options)
            play.order("tick 5")
            truth, _ = play.end()
            requests = receiver.decoded()
            raw = b"".join(gzip.decompress(body) for body in receiver.requests)
        running = otlp.total(requests, "coroprof.coroutine.time", coroprof_state="running")
        inside = {label: ns for label, ns in running.items() if label}
        thread = [label for label in inside if label not in truth and label != "other" and not options[0].startswith("labels=hash")]
        for name in LABELS:
            if kept is None or name not in kept:
                assert name.encode() not in raw, (options, name)
        assert b"nnnnnnnn" not in raw
        # What runs outside coroutines may be by name, or in 'other', or hashed: all of it is the whole time.
        assert sum(running.values()) == 5 * SECOND, (options, running, thread)
        for name in kept or []:
            assert running[name] == truth[name][1]
        if kept is None:
            assert sorted(ns for label, (_, ns) in truth.items()) == sorted(inside.values())[:len(truth)] or len(inside) >= len(truth)
            assert all(len(label) == 16 and not label.strip("0123456789abcdef") for label in inside), inside


# ------------------------------------------------------ receivers that are not well


@test
def one_that_is_down_and_comes_back_misses_nothing():
    for options in ([], ["queue=down"]):
        shutil.rmtree(f"{FOLDER}/down", ignore_errors=True)
        with Receiver(lambda n: 503 if n < 6 else 200) as receiver:
            play = Play(receiver.url, "delta", *options)
            play.order("tick 30")
            until(lambda: len(receiver.requests) == 30)
            truth, said = play.end()
            requests = receiver.decoded()
        assert same_sums(requests, truth) and not lost(requests, "lost.requests")
        assert said.count("answers 503") == 1 and "takes what is sent again" in said, said
        if options:
            assert os.listdir(f"{FOLDER}/down") == []


@test
def one_that_is_not_there_yet_misses_nothing():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    play = Play(f"http://127.0.0.1:{port}", "delta")
    play.order("tick 12")
    time.sleep(0.3)
    with Receiver(port=port) as receiver:
        until(lambda: len(receiver.requests) == 12)
        truth, said = play.end()
        requests = receiver.decoded()
    assert same_sums(requests, truth) and "Couldn't connect" in said, said


def points_of(ticks):
    with Receiver() as receiver:
        play = Play(receiver.url, "delta")
        play.order(f"tick {ticks}")
        play.end()
        requests = receiver.decoded()
    return sum(len(r) for r in requests), otlp.total(requests, "coroprof.coroutine.time", coroprof_state="running")


@test
def loss_beyond_the_queue_is_counted_exactly():
    every, running = points_of(41)
    for options in ([], ["queue=small"]):
        shutil.rmtree(f"{FOLDER}/small", ignore_errors=True)
        up = threading.Event()
        with Receiver(lambda n: 200 if up.is_set() else 503) as receiver:
            play = Play(receiver.url, "delta", "bytes=12000", *options)
            play.order("tick 40")
            play.until_done()
            up.set()
            play.order("drain")
            play.order("tick 1")
            _, said = play.end()
            requests = receiver.decoded()
        gone = lost(requests, "lost.requests")
        assert f"play: --push: {gone} requests with {lost(requests, 'lost.points')} data points were not delivered" in said, said
        assert gone > 10 and len(requests) + gone == 41, (len(requests), gone)
        assert sum(len(r) for r in requests) + lost(requests, "lost.points") == every, (every, lost(requests, "lost.points"))
        got = otlp.total(requests, "coroprof.coroutine.time", coroprof_state="running")
        assert got["two"] == running["two"] - gone * 100000000, (got, gone)


@test
def requests_that_are_refused_are_counted_and_do_not_hold_up_others():
    for status in (400, 413, 500):
        with Receiver(lambda n: status if n % 3 == 1 and n < 9 else 200) as receiver:
            play = Play(receiver.url, "delta")
            play.order("tick 12")
            until(lambda: receiver.asked == 12)
            play.order("tick 1")
            _, said = play.end()
            requests = receiver.decoded()
        assert lost(requests, "lost.requests") == 3 and len(requests) == 13 - 3, (status, lost(requests, "lost.requests"), len(requests))
        assert said.count(f"answers {status}") == 1, said
        got = otlp.total(requests, "coroprof.coroutine.time", coroprof_state="running")
        assert got["two"] == (13 - 3) * 100000000, got


@test
def points_that_are_rejected_are_counted_and_told_once():
    partial = bytes([0x0A, 0x08, 0x08, 0x07, 0x12, 0x04]) + b"late"
    with Receiver(lambda n: (200, {"Content-Type": "application/x-protobuf"}, partial) if n in (1, 3) else 200) as receiver:
        play = Play(receiver.url, "delta")
        play.order("tick 8")
        until(lambda: receiver.asked == 8)
        play.order("tick 1")
        _, said = play.end()
        requests = receiver.decoded()
    assert lost(requests, "rejected.points") == 14, lost(requests, "rejected.points")
    assert said.count("has rejected 7 data points: late") == 1, said


@test
def retry_after_is_obeyed():
    with Receiver(lambda n: (429, {"Retry-After": "2"}, b"") if n == 0 else 200) as receiver:
        play = Play(receiver.url, "delta")
        play.order("tick 5")
        until(lambda: len(receiver.requests) == 5)
        truth, _ = play.end()
        requests = receiver.decoded()
    assert receiver.times[1] - receiver.times[0] >= 2, receiver.times
    assert same_sums(requests, truth)


@test
def attempts_become_fewer():
    with Receiver(lambda n: 503 if n < 7 else 200) as receiver:
        play = Play(receiver.url, "delta")
        play.order("tick 1")
        until(lambda: receiver.requests)
        play.end()
    gaps = [b - a for a, b in zip(receiver.times, receiver.times[1:])]
    # From 20 ms to 100, of which at least a half.
    assert all(gap >= least for gap, least in zip(gaps, (0.010, 0.020, 0.040, 0.050, 0.050, 0.050))), gaps


@test
def one_that_never_answers_is_tried_again():
    def never(receiver, _):
        receiver.over.wait(30)

    with Receiver(lambda n: never if n < 2 else 200) as receiver:
        play = Play(receiver.url, "delta", "timeout=300")
        play.order("tick 5")
        until(lambda: len(receiver.requests) == 5)
        truth, said = play.end()
        requests = receiver.decoded()
    assert same_sums(requests, truth) and "timed out" in said, said


@test
def one_that_never_answers_does_not_hold_up_the_end_for_long():
    def never(receiver, _):
        receiver.over.wait(60)

    with Receiver(lambda n: never) as receiver:
        play = Play(receiver.url, "delta")
        play.order("tick 5")
        until(lambda: receiver.asked)
        begin = time.monotonic()
        _, said = play.end()
        took = time.monotonic() - begin
    assert took < 60 and "the last 5 requests" in said, (took, said)


@test
def what_is_no_receiver_loses_nothing():
    def garbage(_, handler):
        handler.wfile.write(b"SSH-2.0-OpenSSH_9.2\r\n" + bytes(range(256)))
        handler.close_connection = True

    def endless(receiver, handler):
        handler.send_response(200)
        handler.end_headers()
        with contextlib.suppress(OSError):
            while not receiver.over.is_set():
                handler.wfile.write(bytes(1000))
        handler.close_connection = True

    answers = (garbage, endless, (200, {"Content-Type": "text/html"}, b"<html>log in</html>"), 404, 403, (302, {"Location": "/"}, b""), 200)
    with Receiver(lambda n: answers[min(n, 6)]) as receiver:
        play = Play(receiver.url, "delta")
        play.order("tick 4")
        until(lambda: len(receiver.requests) == 4)
        truth, said = play.end()
        requests = receiver.decoded()
    assert same_sums(requests, truth) and not lost(requests, "lost.requests")
    assert said.count("has to be mended") == 1 and said.count("\n") == 2, said


@test
def a_token_that_is_renewed_is_taken():
    with open(f"{FOLDER}/token", "w", encoding="ascii") as file:
        file.write("old\n")
    with Receiver(token="new") as receiver:
        play = Play(receiver.url, "delta", "token=token")
        play.order("tick 3")
        until(lambda: receiver.asked >= 2)
        with open(f"{FOLDER}/token", "w", encoding="ascii") as file:
            file.write("new\n")
        until(lambda: len(receiver.requests) == 3)
        truth, said = play.end()
        requests = receiver.decoded()
    assert same_sums(requests, truth) and said.count("answers 401") == 1, said


# ------------------------------------------------------------- the queue on disk


@test
def what_was_not_delivered_is_sent_by_the_next_one():
    shutil.rmtree(f"{FOLDER}/queue", ignore_errors=True)
    with Receiver(lambda n: 503) as receiver:
        play = Play(receiver.url, "delta", "queue=queue")
        play.order("tick 7")
        first, said = play.end()
    assert "7 requests that were not delivered are in queue" in said, said
    with Receiver() as receiver:
        play = Play(receiver.url, "delta", "queue=queue")
        play.order("tick 3")
        second, _ = play.end()
        requests = receiver.decoded()
    assert same_sums(requests, {label: (first[label][0] + second[label][0], first[label][1] + second[label][1]) for label in first})
    assert os.listdir(f"{FOLDER}/queue") == []


@test
def a_process_that_is_killed_leaves_what_it_had_in_the_queue():
    shutil.rmtree(f"{FOLDER}/queue", ignore_errors=True)
    with Receiver(lambda n: 503) as receiver:
        play = Play(receiver.url, "delta", "queue=queue")
        play.order("tick 10")
        until(lambda: os.path.isdir(f"{FOLDER}/queue") and len([f for f in os.listdir(f"{FOLDER}/queue") if f.endswith(".otlp")]) == 10)
        play.kill()
    with Receiver() as receiver:
        play = Play(receiver.url, "delta", "queue=queue")
        until(lambda: len(receiver.requests) == 10)
        play.end()
        requests = receiver.decoded()
    got = by_label(requests, "coroprof.coroutine.time", coroprof_state="running")
    assert got["two"] == 10 * 100000000 and got["odd"] == 5 * 1000000, got


# ------------------------------------------------------------------------- TLS


def certificates():
    """Of an authority, and by it of 127.0.0.1, of another host, and of a client."""
    folder = f"{FOLDER}/tls"
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)

    def run(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

    run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=authority", "-days", "2")
    for name, host in (("here", "IP:127.0.0.1"), ("other", "DNS:other.example"), ("client", "DNS:client")):
        run("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        with open(f"{folder}/{name}.ext", "w", encoding="ascii") as file:
            file.write(f"subjectAltName={host}\n")
        run("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out", f"{name}.pem",
            "-days", "2", "-extfile", f"{name}.ext")
        with open(f"{folder}/{name}.both", "w", encoding="ascii") as both:
            for part in ("pem", "key"):
                with open(f"{folder}/{name}.{part}", encoding="ascii") as file:
                    both.write(file.read())
    return folder


def server_tls(folder, name, client=False):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(f"{folder}/{name}.pem", f"{folder}/{name}.key")
    if client:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(f"{folder}/ca.pem")
    return context


@test
def a_certificate_that_does_not_match_gets_nothing():
    folder = certificates()
    for name, options in (("other", [f"ca={folder}/ca.pem"]), ("here", []), ("here", [f"ca={folder}/other.pem"])):
        with Receiver(tls=server_tls(folder, name)) as receiver:
            play = Play(receiver.url, "delta", "queue=tls-queue", *options)
            play.order("tick 2")
            play.order("wait 200")
            _, said = play.end()
            assert not receiver.asked, (name, options)
        assert "has to be mended" in said and "ertificate" in said, said
        shutil.rmtree(f"{FOLDER}/tls-queue")
    with Receiver(tls=server_tls(folder, "here")) as receiver:
        play = Play(receiver.url, "delta", f"ca={folder}/ca.pem")
        play.order("tick 2")
        truth, said = play.end()
        assert same_sums(receiver.decoded(), truth) and not said, said


@test
def a_client_certificate_is_shown():
    folder = f"{FOLDER}/tls"
    with Receiver(tls=server_tls(folder, "here", client=True)) as receiver:
        play = Play(receiver.url, "delta", f"ca={folder}/ca.pem")
        play.order("tick 2")
        play.order("wait 200")
        _, said = play.end()
        assert not receiver.asked and said, said
        play = Play(receiver.url, "delta", f"ca={folder}/ca.pem", f"cert={folder}/client.both")
        play.order("tick 2")
        truth, said = play.end()
        assert same_sums(receiver.decoded(), truth) and not said, said


@test
def a_proxy_of_the_environment_is_asked():
    with Receiver() as receiver:
        play = Play("http://otel.example:4318", "delta", env={"http_proxy": receiver.url, "no_proxy": ""})
        play.order("tick 2")
        truth, _ = play.end()
        assert same_sums(receiver.decoded(), truth)
        assert set(receiver.paths) == {"http://otel.example:4318/v1/metrics"}, receiver.paths


# -------------------------------------------------------------- --metrics-listen


def scrape(port, path="/metrics", method="GET", **headers):
    """(status, type, text)"""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={name.capitalize(): value for name, value in headers.items()})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.getheader("Content-Type"), text


def parsed(text):
    """{name: {labels: value}}, of the text of OpenMetrics, whose rules are asserted."""
    found, seen, family = {}, set(), None
    lines = text.split("\n")
    assert lines[-2:] == ["# EOF", ""], lines[-3:]
    for line in lines[:-2]:
        if line.startswith("# TYPE "):
            family, kind = line.split(" ")[2:]
            assert family not in seen and kind in ("counter", "histogram")
            seen.add(family)
            continue
        if line.startswith("#"):
            assert line.split(" ")[2] == family, line
            continue
        name, rest = line.split("{", 1)
        assert name.startswith(f"{family}_"), line
        labels = re.findall(r'([a-z]+)="((?:[^"\\]|\\.)*)"', rest.rsplit("} ", 1)[0])
        key = tuple((label, value.replace('\\"', '"').replace("\\\\", "\\")) for label, value in labels)
        rows = found.setdefault(name, {})
        assert key not in rows, f"twice: {line}"
        rows[key] = decimal.Decimal(rest.rsplit("} ", 1)[1])
    return found


def shown(metrics, name, **wanted):
    """{label: value}"""
    result = {}
    for key, value in metrics.get(name, {}).items():
        labels = dict(key)
        if all(labels.get(label) == text for label, text in wanted.items()):
            label = labels.get("label")
            label = "n" * 254 if label and label.startswith("nnn") else label
            result[label] = result.get(label, 0) + value
    return result


@test
def metrics_are_the_sums_of_the_recording():
    with Receiver(lambda n: 503 if n < 3 else 400 if n == 5 else 200) as receiver:
        play = Play(receiver.url, "delta", "metrics", "bytes=12000")
        port = int(play.process.stdout.readline())
        assert scrape(port)[0] == 503
        play.order("tick 23")
        play.order("drain")
        play.order("tick 1")
        play.until_done()
        until(lambda: shown(parsed(scrape(port)[2]), "coroprof_coroutine_time_seconds_total", state="running")["two"] == decimal.Decimal("2.4"))
        status, kind, text = scrape(port)
        truth, said = play.end()
    assert status == 200 and kind == "application/openmetrics-text; version=1.0.0; charset=utf-8", (status, kind)
    metrics = parsed(text)
    running = shown(metrics, "coroprof_coroutine_time_seconds_total", state="running")
    held, total = shown(metrics, "coroprof_coroutine_held_seconds_count"), shown(metrics, "coroprof_coroutine_held_seconds_sum")
    for label, (slices, ns) in truth.items():
        assert running[label] * SECOND == ns == total[label] * SECOND, (label, running[label], ns)
        assert shown(metrics, "coroprof_coroutine_switches_total")[label] == slices == held[label], label
    assert sum(running.values()) == 24, running
    # 5 ms are above 2^22 - 1 ns, and not above 2^24 - 1.
    buckets = {bound: shown(metrics, "coroprof_coroutine_held_seconds_bucket", le=bound)["two"] for bound in ("0.004194303", "0.016777215", "+Inf")}
    assert buckets == {"0.004194303": 0, "0.016777215": truth["two"][0], "+Inf": truth["two"][0]}, buckets
    gone = re.search(r"play: --push: (\d+) requests", said)
    assert shown(metrics, "coroprof_push_lost_requests_total")[None] == int(gone[1]) >= 1, (said, text)
    if shutil.which("promtool"):
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        assert "error while linting" not in done.stderr and "parse error" not in done.stderr, done


@test
def metrics_are_shown_without_anything_being_sent():
    play = Play("-", "metrics", "labels=two")
    port = int(play.process.stdout.readline())
    play.order("tick 3")
    until(lambda: scrape(port)[0] == 200)
    until(lambda: shown(parsed(scrape(port)[2]), "coroprof_coroutine_switches_total", label="two") == {"two": 60})
    metrics = parsed(scrape(port)[2])
    assert set(shown(metrics, "coroprof_coroutine_switches_total")) == {"two", "other"} and "coroprof_push_lost_requests_total" not in metrics
    _, said = play.end()
    assert not said, said


@test
def metrics_are_for_this_machine_and_who_has_the_token():
    with open(f"{FOLDER}/secret", "w", encoding="ascii") as file:
        file.write("open-sesame\n")
    play = Play("-", "metrics", "secret=secret")
    port = int(play.process.stdout.readline())
    play.order("tick 1")
    until(lambda: scrape(port, authorization="Bearer open-sesame")[0] == 200)
    for wrong in ("", "Bearer", "Bearer open", "Bearer open-sesamE", "Bearer open-sesame2", "Basic open-sesame"):
        status, _, text = scrape(port, authorization=wrong)
        assert status == 401 and "coroprof_" not in text, (wrong, status)
    assert scrape(port)[0] == 401
    right = {"authorization": "Bearer open-sesame"}
    assert scrape(port, path="/", **right)[0] == 404 and scrape(port, path="/metrics/..", **right)[0] == 404
    assert scrape(port, method="POST", **right)[0] == 405
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil:80"):
        assert scrape(port, host=host, **right)[0] == 421, host
    assert scrape(port, host="localhost", **right)[0] == 200
    play.end()


# ------------------------------------------------------------------ --push-dumps


class DumpReceiver(Receiver):
    """Of dumps: @method, and as they are."""

    def __init__(self, method, *rest, **named):
        self.method = method
        super().__init__(*rest, **named)

    def check(self, handler):
        assert handler.command == self.method and handler.headers["Content-Type"] == "application/octet-stream"
        assert handler.headers["Content-Encoding"] is None


def pprof_totals(body):
    """{label: running ns} of a profile, by the .proto file of pprof."""
    profile = list(otlp.fields(gzip.decompress(body)))
    strings = [value.decode() for number, value in profile if number == 6]
    types = [strings[otlp.one(value, 1)] for number, value in profile if number == 1]
    running, found = types.index("running"), {}
    for number, sample in profile:
        if number != 2:
            continue
        values = otlp.packed(otlp.one(sample, 2))
        labels = {strings[otlp.one(label, 1)]: strings[otlp.one(label, 2, 0)] for label in otlp.every(sample, 3)}
        if "label" in labels:
            found[labels["label"]] = found.get(labels["label"], 0) + values[running]
    return found


def labels_of(path):
    """{label: running ns} of a recording, by coroprof-read."""
    text = subprocess.run([READER, "--format", "json", path], check=True, capture_output=True, text=True, cwd=FOLDER).stdout
    table = json.loads(text)["tables"]["labels"]["columns"]
    return dict(zip(table["name"], (int(ns) for ns in table["running"])))


def play_dump(*options, ticks=5):
    play = Play("-", *options)
    play.order(f"tick {ticks}")
    play.order("dump")
    return play, play.process.stdout.readline().strip()


@test
def a_dump_is_sent_to_pyroscope():
    with DumpReceiver("POST") as receiver:
        play, file = play_dump(f"dumps=pyroscope+{receiver.url}")
        truth, said = play.end()
        assert not said, said
        (body,), (path,) = receiver.requests, receiver.paths
    where, query = path.split("?")
    query = urllib.parse.parse_qs(query)
    assert where == "/ingest" and query["format"] == ["pprof"], path
    assert query["name"] == [f"shop{{host={socket.gethostname()}}}"], query
    assert abs(int(query["from"][0]) - time.time()) < 60 and 5 <= int(query["until"][0]) - int(query["from"][0]) <= 6, query
    sent, recorded = pprof_totals(body), labels_of(file)
    for label in ("one", "two", "odd"):
        assert sent[label] == truth[label][1] == recorded[label], (label, sent, truth, recorded)


@test
def a_dump_is_put_as_it_is():
    with DumpReceiver("PUT") as receiver:
        play, file = play_dump(f"dumps=put+{receiver.url}/dumps/")
        truth, said = play.end()
        assert not said, said
        (body,), (path,) = receiver.requests, receiver.paths
    assert re.fullmatch(rf"/dumps/{re.escape(socket.gethostname())}-played-\d+-\d{{8}}T\d{{6}}Z-[0-9a-f]{{8}}\.cprof", path), path
    with open(f"{FOLDER}/{file}", "rb") as written:
        assert written.read() == body
    with open(f"{FOLDER}/received.cprof", "wb") as received:
        received.write(body)
    recorded = labels_of("received.cprof")
    for label in ("one", "two", "odd"):
        assert recorded[label] == truth[label][1], (label, recorded, truth)


@test
def dumps_wait_for_their_receiver_and_survive_a_restart():
    shutil.rmtree(f"{FOLDER}/dump-queue", ignore_errors=True)
    with DumpReceiver("PUT", lambda n: 500) as receiver:
        play, first = play_dump(f"dumps=put+{receiver.url}/dumps/", "queue=dump-queue")
        until(lambda: receiver.asked >= 2)
        play.kill()
    with DumpReceiver("PUT", lambda n: (503, 403, 200)[min(n, 2)]) as receiver:
        play, second = play_dump(f"dumps=put+{receiver.url}/dumps/", "queue=dump-queue")
        until(lambda: len(receiver.requests) == 2)
        _, said = play.end()
        for body, file in zip(receiver.requests, (first, second)):
            with open(f"{FOLDER}/{file}", "rb") as written:
                assert written.read() == body
    assert "answers 503" in said and "answers 403" in said and "takes what is sent again" in said, said
    assert os.listdir(f"{FOLDER}/dump-queue/dumps") == []


@test
def a_dump_that_is_refused_is_reported_and_stays():
    for status in (400, 413):
        with DumpReceiver("PUT", lambda n: (status, {}, b"no room") if n == 0 else 200) as receiver:
            play, first = play_dump(f"dumps=put+{receiver.url}/dumps/")
            play.order("dump")
            play.process.stdout.readline()
            _, said = play.end()
            assert len(receiver.requests) == 1, receiver.asked
        assert f"--push-dumps: {receiver.url} answers {status}: no room. This dump is not sent again" in said, said
        assert "its file stays" in said and os.path.exists(f"{FOLDER}/{first}"), said
    with DumpReceiver("PUT") as receiver:
        play, first = play_dump(f"dumps=put+{receiver.url}/dumps/", "bytes=1000")
        _, said = play.end()
        assert not receiver.asked and "the oldest dumps are given up, as the queue in memory is full" in said, said


@test
def sums_and_dumps_go_to_their_own_receivers():
    with Receiver(token="sums") as sums_to, DumpReceiver("POST", token="dumps") as dumps_to:
        for name in ("sums", "dumps"):
            with open(f"{FOLDER}/token-{name}", "w", encoding="ascii") as file:
                file.write(name)
        play = Play(sums_to.url, "delta", "token=token-sums", f"dumps=pyroscope+{dumps_to.url}", "dumps-token=token-dumps")
        play.order("tick 3")
        play.order("dump")
        play.process.stdout.readline()
        truth, said = play.end()
        assert not said and len(dumps_to.requests) == 1 and same_sums(sums_to.decoded(), truth), said


@test
def an_address_that_is_signed_is_in_no_message_and_may_be_renewed():
    folder = f"{FOLDER}/tls" if os.path.isdir(f"{FOLDER}/tls") else certificates()
    refusal = b"<?xml version='1.0'?><Error><Code>ExpiredToken</Code><Message>m</Message><CanonicalRequest>X-Amz-Signature=5ec4e7</CanonicalRequest></Error>"
    with DumpReceiver("PUT", lambda n: (403, {"Content-Type": "application/xml"}, refusal) if n < 2 else 200, tls=server_tls(folder, "here")) as receiver:
        def sign(signature):
            with open(f"{FOLDER}/signed.new", "w", encoding="ascii") as file:
                file.write(f"put+{receiver.url}/bucket/key.cprof?X-Amz-Signature={signature}&X-Amz-Credential=AKIA5ec4e7\n")
            os.replace(f"{FOLDER}/signed.new", f"{FOLDER}/signed")

        sign("5ec4e7old")
        play, file = play_dump("dumps-file=signed", f"ca={folder}/ca.pem")
        until(lambda: receiver.asked >= 1)
        with open(f"/proc/{play.process.pid}/cmdline", encoding="ascii") as line:
            assert "5ec4e7" not in line.read()
        sign("5ec4e7new")
        until(lambda: receiver.requests)
        _, said = play.end()
    assert receiver.paths[0] == "/bucket/key.cprof?X-Amz-Signature=5ec4e7old&X-Amz-Credential=AKIA5ec4e7", receiver.paths
    assert receiver.paths[-1] == "/bucket/key.cprof?X-Amz-Signature=5ec4e7new&X-Amz-Credential=AKIA5ec4e7", receiver.paths
    assert "answers 403: ExpiredToken." in said and "5ec4e7" not in said and "bucket" not in said, said
    with open(f"{FOLDER}/{file}", "rb") as written:
        assert written.read() == receiver.requests[0]


# ------------------------------------------------------------------ --push-check


def push_check(*options):
    return subprocess.run([READER, "--push-check", *options], capture_output=True, text=True, check=False, cwd=FOLDER,
                          env={**os.environ, "no_proxy": "*"})


@test
def push_check_says_whether_it_is_taken():
    with Receiver() as receiver:
        done = push_check("--push", receiver.url)
        assert done.returncode == 0 and f"taken by {receiver.url}" in done.stdout and not done.stderr, done
        (sent,) = receiver.decoded()
        assert {p.resource["service.name"] for p in sent} == {"coroprof"}, sent
    for status in (400, 401, 503):
        with Receiver(lambda n: status) as receiver:
            done = push_check("--push", receiver.url)
            assert done.returncode == 125 and f"answers {status}" in done.stderr, done
    partial = bytes([0x0A, 0x08, 0x08, 0x01, 0x12, 0x04]) + b"none"
    with Receiver(lambda n: (200, {}, partial)) as receiver:
        done = push_check("--push", receiver.url)
        assert done.returncode == 125 and "has rejected 1 data points: none" in done.stderr, done
    done = push_check("--push", "http://127.0.0.1:1")
    assert done.returncode == 125 and "Couldn't connect" in done.stderr, done


@test
def without_libcurl_it_says_what_to_install():
    os.makedirs(f"{FOLDER}/libraries", exist_ok=True)
    for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
        with open(f"{FOLDER}/libraries/{name}", "w", encoding="ascii"):
            pass
    done = subprocess.run([READER, "--push-check", "--push", "http://127.0.0.1:1"], capture_output=True, text=True, check=False,
                          env={**os.environ, "LD_LIBRARY_PATH": f"{FOLDER}/libraries"})
    assert done.returncode == 125 and "nothing can be sent without libcurl" in done.stderr and "sudo apt install libcurl4" in done.stderr, done


@test
def push_check_shows_what_would_be_sent_of_a_recording():
    with Receiver() as receiver:
        done = push_check("--push", receiver.url, "--push-max-labels", "3", "server.cprof")
        assert done.returncode == 0 and "label: other" in done.stdout and done.stdout.count("label: ") == 4, done
        (sent,) = receiver.decoded()
        assert not [p for p in sent if "coroprof.label" in p.attributes], sent
        names = push_check("--push", receiver.url, "--push-labels", "hash", "server.cprof").stdout
        assert "handle" not in names and "label: " in names, names


# ------------------------------------------------------- --push of recordings


def push(*options):
    return subprocess.run([READER, "--push", *options], capture_output=True, text=True, check=False, cwd=FOLDER,
                          env={**os.environ, "no_proxy": "*"})


@test
def recordings_are_sent_by_their_own_times_and_add_up_to_them():
    play, dump = play_dump(ticks=7)
    play.end()
    recorded = {name: labels_of(name) for name in ("server.cprof", dump)}
    for options in (["--push-temporality", "delta"], []):
        with Receiver(lambda n: 503 if n == 0 else 200) as receiver:
            done = push(receiver.url, *options, "--push-max-labels", "1000", "server.cprof", dump)
            assert done.returncode == 0, done
            requests = receiver.decoded()
        assert len(requests) == (2 if options else 4), len(requests)
        for i, name in enumerate(("server.cprof", dump)):
            of = [r for r in requests if any(p.resource["service.name"] == ("server" if i == 0 else "shop") for p in r)]
            running = otlp.total(of[-1:], "coroprof.coroutine.time", coroprof_state="running")
            # A name that is too long is cut.
            sent, wanted = ({label[:100]: ns for label, ns in found.items() if ns} for found in (running, recorded[name]))
            assert sent == wanted and len(sent) > 5, (sent, wanted)
            spans = {(p.start, p.time) for p in of[-1]}
            assert len(spans) == 1, spans
            (start, end), = spans
            assert f"{name}: " in done.stdout and time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(start // SECOND)) in done.stdout, done
            if not options:
                # As of their begin all of the same series are there, and 0.
                keys = [{(p.metric, tuple(sorted(p.resource.items())), tuple(sorted(p.attributes.items()))) for p in r} for r in of]
                assert len(of) == 2 and keys[0] == keys[1], len(of)
                assert all(not p.value and (p.start, p.time) == (start, start + 1) for p in of[0]), of[0]
                assert not [p for p in of[0] if p.histogram and (p.histogram["count"] or p.histogram["counts"])]
        hosts = {p.resource["host.name"] for r in requests for p in r}
        assert socket.gethostname() not in hosts or len(hosts) > 1, hosts


@test
def recordings_that_are_not_taken_are_reported():
    for name in ("second", "third"):
        shutil.copy(f"{FOLDER}/server.cprof", f"{FOLDER}/{name}.cprof")
    for answer, said in ((400, "answers 400"), (404, "answers 404"),
                         ((200, {}, bytes([0x0A, 0x08, 0x08, 0x05, 0x12, 0x04]) + b"late"), "5 of its data points were rejected")):
        with Receiver(lambda n: 200 if n < 1 else answer) as receiver:
            done = push(receiver.url, "--push-temporality", "delta", "server.cprof", "second.cprof", "third.cprof")
            assert done.returncode == 125 and said in done.stderr and "1 of 3 recordings were sent" in done.stderr, done
            assert done.stdout.count("taken by") == 1 and receiver.asked == 2, done
    with open(f"{FOLDER}/server.cprof", "rb") as whole, open(f"{FOLDER}/torn.cprof", "wb") as torn:
        torn.write(whole.read()[:-5000])
    with Receiver() as receiver:
        done = push(receiver.url, "torn.cprof")
        assert done.returncode == 3 and "torn.cprof could not be read in full" in done.stderr and "taken by" in done.stdout, done


def main():
    failed = 0
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    print(f"1..{len(tests)}")
    for i, function in enumerate(tests):
        if ONLY and ONLY not in function.__name__:
            continue
        name = function.__name__.replace("_", " ")
        begin = time.monotonic()
        try:
            function()
            print(f"ok {i + 1} - {name} # {time.monotonic() - begin:.1f} s", flush=True)
        except Exception as error:  # pylint: disable=broad-except
            failed = 1
            print(f"not ok {i + 1} - {name}\n# {type(error).__name__}: {str(error)[:2000]}", flush=True)
            with contextlib.suppress(Exception):
                line = error.__traceback__
                while line.tb_next:
                    line = line.tb_next
                print(f"# line {line.tb_lineno}", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
