# SPDX-License-Identifier: GPL-2.0
"""engine.py PLAY PROGRAMS FOLDER: VictoriaMetrics (trixie's) is sent a recording that is played, Prometheus asks for its metrics, and
both are asked in their language: what they answer is what was recorded, to the unit. Prints TAP."""
import os
import shutil
import sys
import time

from engines import OTLP, begin, end, flush, player, query, tap, truth_of, victoria_metrics

PLAY, PROGRAMS, FOLDER = sys.argv[1:]
SECONDS = 20


def sums(url, at, metric, condition=""):
    flush(url)
    rows = query(url, f'sum({{__name__="{metric}"{condition}}}) by (coroprof\\.label)', at)
    return {attributes.get("coroprof.label"): int(value) for attributes, value in rows}


def play(url):
    playing = player(PLAY, f"{url}{OTLP}")
    out, said = playing.communicate(f"tick {SECONDS}\ndrain\n")
    assert playing.returncode == 0, said
    return truth_of(out), said


def play_crowd(url):
    """Series that are sent of a hundred labels of all lengths, and that the engine has."""
    playing = player(PLAY, f"{url}{OTLP}")
    playing.stdin.write("crowd 14\ndrain\nseries\n")
    playing.stdin.flush()
    sent = int(playing.stdout.readline())
    flush(url)
    # Of the last request alone: what a label had before it went into 'other' is in the engine, too.
    [(_, last)] = query(url, 'max(tlast_over_time({__name__="coroprof.recorder.cpu.time"}[1m]))', time.time() + 30)
    [(_, found)] = query(url, 'count(last_over_time({__name__=~"coroprof.+"}[500ms]))', float(last))
    playing.communicate()
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


def by_label(url, text):
    return {attributes.get("label"): float(value) for attributes, value in query(url, text)}


def ask_prometheus():
    """(truth, running ns, slices, held), by label."""
    play_it = player(PLAY, "-", "metrics")
    port = int(play_it.stdout.readline())
    play_it.stdin.write(f"tick {SECONDS}\n")
    play_it.stdin.flush()
    engine, url = begin_prometheus(port)
    try:
        time_of = 'sum by (label) (coroprof_coroutine_time_seconds_total{state="running"})'
        latest = time.monotonic() + 60
        while round(sum(by_label(url, time_of).values())) < SECONDS and time.monotonic() < latest:
            time.sleep(0.2)
        running = {label: round(value * 10**9) for label, value in by_label(url, time_of).items()}
        switches = by_label(url, "sum by (label) (coroprof_coroutine_switches_total)")
        held = by_label(url, "sum by (label) (coroprof_coroutine_held_seconds_count)")
        quantile = by_label(url, 'histogram_quantile(0.5, sum by (label, le) (coroprof_coroutine_held_seconds_bucket{label="two"}))')
    finally:
        end(engine)
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
    engine, url = victoria_metrics(PROGRAMS, FOLDER)
    try:
        began = time.time()
        truth, said = play(url)
        at = began + SECONDS + 5
        running = sums(url, at, "coroprof.coroutine.time", ',coroprof\\.state="running"')
        switches = sums(url, at, "coroprof.coroutine.switches")
        held = sums(url, at, "coroprof.coroutine.held_count")
        lost = sums(url, at, "coroprof.push.lost.requests")
    finally:
        end(engine)
    engine, url = victoria_metrics(PROGRAMS, FOLDER)
    try:
        series = play_crowd(url)
    finally:
        end(engine)
    return tap([
        ("an engine takes what is sent without a complaint", said),
        ("its sum of running time is that of the recording, label by label", differing(running, truth, 1)),
        ("and that of all is the whole time", sum(running.values()) != SECONDS * 10**9 and running),
        ("its switches are the slices of the recording", differing(switches, truth, 0)),
        ("each slice is in its histogram", differing(held, truth, 0)),
        ("it knows that nothing was lost", lost != {None: 0} and lost),
        ("of 100 labels it makes as many series as were counted, 1,500 at most", not 1200 < series[0] == series[1] <= 1500 and series),
        *prometheus_results(),
    ])


if __name__ == "__main__":
    sys.exit(main())
