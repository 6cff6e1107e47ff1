# SPDX-License-Identifier: GPL-2.0
"""engine.py PLAY ENGINE FOLDER: VictoriaMetrics (trixie's) is sent a recording that is played, and asked in its language: what it
answers is what was recorded, to the unit. Prints TAP."""
import json
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request

PLAY, ENGINE, FOLDER = sys.argv[1:]
SECONDS = 20


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def ask(url, path, **query):
    with urllib.request.urlopen(f"{url}{path}?{urllib.parse.urlencode(query)}", timeout=10) as answer:
        return answer.read()


def begin_engine():
    """Until it answers, on a port that may be taken meanwhile."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for _ in range(5):
        url = f"http://127.0.0.1:{(port := free_port())}"
        # What is played is of a time that has not come: it does not wait for that.
        engine = subprocess.Popen([ENGINE, "-storageDataPath", FOLDER, "-httpListenAddr", f"127.0.0.1:{port}", "-retentionPeriod", "1y",
                                   "-search.latencyOffset", "0s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while engine.poll() is None:
            try:
                ask(url, "/health")
                return engine, url
            except OSError:
                time.sleep(0.1)
    raise RuntimeError("the engine does not run")


def sums(url, at, metric, condition=""):
    ask(url, "/internal/force_flush")
    answer = json.loads(ask(url, "/api/v1/query", time=at, nocache=1,
                            query=f'sum({{__name__="{metric}"{condition}}}) by (coroprof\\.label)'))
    return {row["metric"].get("coroprof.label"): int(row["value"][1]) for row in answer["data"]["result"]}


def play(url):
    """{label: (slices, ns)}, of those whose names are sent as they are."""
    done = subprocess.run([PLAY, f"{url}/opentelemetry/v1/metrics"], input=f"tick {SECONDS}\n", capture_output=True, text=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {bytes.fromhex(name).decode(): (int(slices), int(ns)) for name, slices, ns in rows[:3]}, done.stderr


def main():
    engine, url = begin_engine()
    failed = 0
    try:
        begin = time.time()
        truth, said = play(url)
        at = begin + SECONDS + 5
        running = sums(url, at, "coroprof.coroutine.time", ',coroprof\\.state="running"')
        switches = sums(url, at, "coroprof.coroutine.switches")
        held = sums(url, at, "coroprof.coroutine.held_count")
        lost = sums(url, at, "coroprof.push.lost.requests")
    finally:
        engine.kill()
        engine.wait()
    results = (
        ("an engine takes what is sent without a complaint", said),
        ("its sum of running time is that of the recording, label by label", {k: (running.get(k), v[1]) for k, v in truth.items() if running.get(k) != v[1]}),
        ("and that of all is the whole time", sum(running.values()) != SECONDS * 10**9 and running),
        ("its switches are the slices of the recording", {k: (switches.get(k), v[0]) for k, v in truth.items() if switches.get(k) != v[0]}),
        ("each slice is in its histogram", {k: (held.get(k), v[0]) for k, v in truth.items() if held.get(k) != v[0]}),
        ("it knows that nothing was lost", lost != {None: 0} and lost),
    )
    for i, (name, wrong) in enumerate(results):
        print(f"{'not ok' if wrong else 'ok'} {i + 1} - {name}")
        if wrong:
            failed = 1
            print(f"# {wrong}")
    print(f"1..{len(results)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
