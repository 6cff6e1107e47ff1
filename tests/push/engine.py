# SPDX-License-Identifier: GPL-2.0
"""engine.py PLAY ENGINE FOLDER: VictoriaMetrics (trixie's) is sent a recording that is played, Prometheus asks for its metrics, and
both are asked in their language: what they answer is what was recorded, to the unit. Prints TAP."""
import json
import os
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


def begin(command, ready):
    """Its process and address, once it answers, on a port that may be taken meanwhile. @command: of a port"""
    for _ in range(5):
        url = f"http://127.0.0.1:{(port := free_port())}"
        engine = subprocess.Popen(command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while engine.poll() is None:
            try:
                ask(url, ready)
                return engine, url
            except OSError:
                time.sleep(0.1)
    raise RuntimeError(f"{command(0)[0]} does not run")


def begin_engine():
    shutil.rmtree(FOLDER, ignore_errors=True)
    # What is played is of a time that has not come: it does not wait for that.
    return begin(lambda port: [ENGINE, "-storageDataPath", FOLDER, "-httpListenAddr", f"127.0.0.1:{port}", "-retentionPeriod", "1y",
                               "-search.latencyOffset", "0s"], "/health")


def sums(url, at, metric, condition=""):
    ask(url, "/internal/force_flush")
    answer = json.loads(ask(url, "/api/v1/query", time=at, nocache=1,
                            query=f'sum({{__name__="{metric}"{condition}}}) by (coroprof\\.label)'))
    return {row["metric"].get("coroprof.label"): int(row["value"][1]) for row in answer["data"]["result"]}


def truth_of(text):
    """{label: (slices, ns)}, of those whose names are sent as they are."""
    rows = [line.split() for line in text.splitlines()]
    return {bytes.fromhex(name).decode(): (int(slices), int(ns)) for name, slices, ns in rows[:3]}


def play(url):
    done = subprocess.run([PLAY, f"{url}/opentelemetry/v1/metrics"], input=f"tick {SECONDS}\n", capture_output=True, text=True, check=True)
    return truth_of(done.stdout), done.stderr


def value_of(url, at, query):
    return float(json.loads(ask(url, "/api/v1/query", time=at, nocache=1, query=query))["data"]["result"][0]["value"][1])


def play_crowd(url):
    """Series that are sent of a hundred labels of all lengths, and that the engine has."""
    play_it = subprocess.Popen([PLAY, f"{url}/opentelemetry/v1/metrics"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    play_it.stdin.write("crowd 14\ndrain\nseries\n")
    play_it.stdin.flush()
    sent = int(play_it.stdout.readline())
    ask(url, "/internal/force_flush")
    # Of the last request alone: what a label had before it went into 'other' is in the engine, too.
    last = value_of(url, time.time() + 30, 'max(tlast_over_time({__name__="coroprof.recorder.cpu.time"}[1m]))')
    found = value_of(url, last, 'count(last_over_time({__name__=~"coroprof.+"}[500ms]))')
    play_it.communicate()
    return sent, int(found)


def begin_prometheus(target):
    """Until it answers, and has asked."""
    shutil.rmtree(f"{FOLDER}-prometheus", ignore_errors=True)
    os.mkdir(f"{FOLDER}-prometheus")
    with open(f"{FOLDER}-prometheus/prometheus.yml", "w", encoding="ascii") as file:
        file.write(f"""scrape_configs:
- job_name: coroprof
  scrape_interval: 1s
  static_configs:
  - targets: ["127.0.0.1:{target}"]
""")
    return begin(lambda port: ["prometheus", f"--config.file={FOLDER}-prometheus/prometheus.yml", f"--web.listen-address=127.0.0.1:{port}",
                               f"--storage.tsdb.path={FOLDER}-prometheus/data"], "/-/ready")


def by_label(url, query):
    rows = json.loads(ask(url, "/api/v1/query", query=query))["data"]["result"]
    return {row["metric"].get("label"): float(row["value"][1]) for row in rows}


def ask_prometheus():
    """(truth, running ns, slices, held), by label."""
    play_it = subprocess.Popen([PLAY, "-", "metrics"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    port = int(play_it.stdout.readline())
    play_it.stdin.write(f"tick {SECONDS}\n")
    play_it.stdin.flush()
    engine, url = begin_prometheus(port)
    try:
        query = 'sum by (label) (coroprof_coroutine_time_seconds_total{state="running"})'
        end = time.monotonic() + 60
        while round(sum(by_label(url, query).values())) < SECONDS and time.monotonic() < end:
            time.sleep(0.2)
        running = {label: round(value * 10**9) for label, value in by_label(url, query).items()}
        switches = by_label(url, "sum by (label) (coroprof_coroutine_switches_total)")
        held = by_label(url, "sum by (label) (coroprof_coroutine_held_seconds_count)")
        quantile = by_label(url, 'histogram_quantile(0.5, sum by (label, le) (coroprof_coroutine_held_seconds_bucket{label="two"}))')
    finally:
        engine.kill()
        engine.wait()
        out, _ = play_it.communicate()
    return truth_of(out), running, switches, held, quantile


def differing(found, truth, which):
    return {label: (found.get(label), row[which]) for label, row in truth.items() if found.get(label) != row[which]}


def prometheus_results():
    if not shutil.which("prometheus"):
        return [("Prometheus # SKIP there is none here", False)]
    truth, running, switches, held, quantile = ask_prometheus()
    return [
        ("Prometheus has the sum of running time, label by label", differing(running, truth, 1)),
        ("its switches are the slices of the recording", differing(switches, truth, 0)),
        ("each slice is in its histogram", differing(held, truth, 0)),
        ("half of the slices of 5 ms are between 4 and 17 ms", not 0.0042 <= quantile.get("two", 0) <= 0.0168 and quantile),
    ]


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
    engine, url = begin_engine()
    try:
        series = play_crowd(url)
    finally:
        engine.kill()
        engine.wait()
    results = [
        ("an engine takes what is sent without a complaint", said),
        ("its sum of running time is that of the recording, label by label", {k: (running.get(k), v[1]) for k, v in truth.items() if running.get(k) != v[1]}),
        ("and that of all is the whole time", sum(running.values()) != SECONDS * 10**9 and running),
        ("its switches are the slices of the recording", {k: (switches.get(k), v[0]) for k, v in truth.items() if switches.get(k) != v[0]}),
        ("each slice is in its histogram", {k: (held.get(k), v[0]) for k, v in truth.items() if held.get(k) != v[0]}),
        ("it knows that nothing was lost", lost != {None: 0} and lost),
        ("of 100 labels it makes as many series as were counted, 1,500 at most", not 1200 < series[0] == series[1] <= 1500 and series),
        *prometheus_results(),
    ]
    for i, (name, wrong) in enumerate(results):
        print(f"{'not ok' if wrong else 'ok'} {i + 1} - {name}")
        if wrong:
            failed = 1
            print(f"# {wrong}")
    print(f"1..{len(results)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
