# SPDX-License-Identifier: GPL-2.0
"""Engines that store what is sent, for tests: VictoriaMetrics (trixie's), and others that answer as it does; and what is played to
them."""
import json
import os
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request

OTLP = "/opentelemetry/v1/metrics"
NAMES = ("one", "two", "odd")
DOCS = f"{os.path.dirname(os.path.abspath(__file__))}/../../docs"


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def ask(url, path, **query):
    with urllib.request.urlopen(f"{url}{path}?{urllib.parse.urlencode(query, doseq=True)}", timeout=30) as answer:
        return answer.read()


def answers(url, path):
    """Without a path: takes a connection."""
    try:
        if path:
            ask(url, path)
        else:
            socket.create_connection(("127.0.0.1", int(url.rsplit(":", 1)[1])), 1).close()
        return True
    except OSError:
        return False


def begin(command, ready, same=None):
    """Its process and address, once it answers, on a port that may be taken meanwhile, or @same. @command: of a port"""
    latest = time.monotonic() + 60
    for _ in range(5):
        url = f"http://127.0.0.1:{(port := same or free_port())}"
        engine = subprocess.Popen(command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while engine.poll() is None and time.monotonic() < latest:
            if answers(url, ready):
                return engine, url
            time.sleep(0.1)
        end(engine)
    raise RuntimeError(f"{command(0)[0]} does not run")


def end(*processes):
    for process in processes:
        process.kill()
        process.wait()


def victoria_metrics(programs, folder, *options, same=None):
    """As begin(). @programs: the folder where it is; @same: port of the one whose data it goes on with. What is played is of a time
    that has not come: it does not wait for that."""
    if not same:
        shutil.rmtree(folder, ignore_errors=True)
    return begin(lambda port: [f"{programs}/victoria-metrics", "-storageDataPath", folder, "-httpListenAddr", f"127.0.0.1:{port}",
                               "-retentionPeriod", "1y", "-search.latencyOffset", "0s", *options], "/health", same)


def query(url, text, at=None):
    """Rows of the answer, each (attributes, value as it is written). @at: the time of day of which is asked, or now"""
    when = {} if at is None else {"time": at, "nocache": 1}
    rows = json.loads(ask(url, "/api/v1/query", query=text, **when))["data"]["result"]
    return [(row["metric"], row["value"][1]) for row in rows]


def query_of_docs(heading):
    """In docs/fleet.md, below that heading."""
    with open(f"{DOCS}/fleet.md", encoding="utf-8") as file:
        lines = file.read().split(f"\n## {heading}\n")[1].split("\n## ")[0].splitlines()
    return "\n".join(line for line in lines if line.startswith("    "))


def flush(url):
    """What was sent can be asked for."""
    ask(url, "/internal/force_flush")


def truth_of(text):
    """{label: (slices, ns, counts...)}, of those whose names are sent as they are; what PLAY prints at its end is @text."""
    rows = [line.split() for line in text.splitlines()]
    return {bytes.fromhex(name).decode(): tuple(map(int, sums)) for name, *sums in rows[:len(NAMES)]}


def player(program, url, *options):
    return subprocess.Popen([program, url, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "no_proxy": "*"})


def tap(results):
    """Prints (name, what is wrong), and is the status to exit with."""
    failed = 0
    for i, (name, wrong) in enumerate(results):
        print(f"{'not ok' if wrong else 'ok'} {i + 1} - {name}")
        if wrong:
            failed = 1
            print(f"# {wrong}")
    print(f"1..{len(results)}")
    return failed
