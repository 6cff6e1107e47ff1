# SPDX-License-Identifier: GPL-2.0
"""history.py PLAY MODULES FOLDER [day]: machines that are played send to a receiver here, which writes rows as OpenTelemetry's Collector
does; ClickHouse (npm's chdb, below MODULES) makes of them the history of docs/fleet/clickhouse.sql, whose sums are those of the
recordings. With "day" also: it is asked for a label of 10^4 machines and a day, which takes minutes to write. Prints TAP."""
import datetime
import http.server
import json
import os
import shutil
import subprocess
import sys
import threading

import otlp
from engines import DOCS, NAMES, player, query_of_docs, tap, truth_of

PLAY, MODULES, FOLDER = sys.argv[1:4]
DAY = sys.argv[4:] == ["day"]
MACHINES = 5
# More than two minutes, and machines begin anywhere in one.
SECONDS = 150
SLOW = "web-3"
FIGURES = ("slices", "running_ns", "instructions", "cycles", "cache_misses")


def begin_receiver(rows):
    """It adds what is sent to @rows."""
    lock = threading.Lock()

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_POST(self):
            points = otlp.request(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                rows.extend(row_of(point) for point in points if not point.histogram)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):
            pass

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def row_of(point):
    return {
        "ResourceAttributes": {key: str(value) for key, value in point.resource.items()}, "ServiceName": point.resource["service.name"],
        "MetricName": point.metric, "MetricUnit": point.unit, "Attributes": {key: str(value) for key, value in point.attributes.items()},
        "StartTimeUnix": point.start // 10**9, "TimeUnix": point.time // 10**9, "Value": point.value,
        "AggregationTemporality": point.temporality, "IsMonotonic": point.monotonic,
    }


def play(url):
    """({machine: sums by label}, what they complained of)"""
    machines = {f"web-{i + 1}": player(PLAY, url, "delta", "counters", f"host=web-{i + 1}") for i in range(MACHINES)}
    for name, machine in machines.items():
        machine.stdin.write(f"pace {150 if name == SLOW else 100}\ntick {SECONDS}\ndrain\n")
        machine.stdin.close()
        machine.stdin = None
    ends = {name: machine.communicate() for name, machine in machines.items()}
    return {name: truth_of(out) for name, (out, _) in ends.items()}, [said for _, said in ends.values() if said]


def clickhouse(points, *queries):
    """Of each query (rows, seconds, those of processors)."""
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["node", f"{here}/history/history.mjs", MODULES, f"{FOLDER}/clickhouse", f"{DOCS}/fleet/clickhouse.sql", points, *queries],
                          check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, "TZ": "UTC"})
    return [(answer["rows"], answer["seconds"], answer["busy"]) for answer in map(json.loads, done.stdout.splitlines())]


def docs_query(day, label):
    return query_of_docs("History by host").replace("2026-11-30", day).replace("'query'", f"'{label}'")


def history_results():
    rows = []
    server = begin_receiver(rows)
    truth, said = play(f"http://127.0.0.1:{server.server_address[1]}")
    server.shutdown()
    with open(f"{FOLDER}/points.jsonl", "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    day = datetime.datetime.fromtimestamp(min(row["TimeUnix"] for row in rows), datetime.timezone.utc).strftime("%Y-%m-%d")
    sums = ", ".join(f"toString(sum({figure})) AS {figure}" for figure in FIGURES)
    (found, *_), (minutes, *_), (hosts, *_) = clickhouse(
        f"{FOLDER}/points.jsonl", f"SELECT host, label, {sums} FROM coroprof_minutes GROUP BY host, label",
        "SELECT host, uniqExact(minute) AS minutes FROM coroprof_minutes GROUP BY host", docs_query(day, "two"))
    found = {(row["host"], row["label"]): tuple(int(row[figure]) for figure in FIGURES) for row in found}
    wrong = {(name, label): (found.get((name, label)), truth[name][label]) for name in truth for label in NAMES
             if found.get((name, label)) != truth[name][label]}
    return [
        ("machines send deltas without a complaint", said),
        ("rows of machine and minute add up to the recordings, to the unit", wrong),
        ("each minute has a row of its own", len(minutes) != MACHINES or [row for row in minutes if int(row["minutes"]) not in (3, 4)]),
        ("the query of docs/fleet.md has the machine that is slow first", (hosts[0]["host"], len(hosts)) != (SLOW, MACHINES) and hosts),
    ]


def day_results():
    ask = docs_query("2026-01-01", "query")
    *answers, (size, *_) = clickhouse("-", ask, ask, ask, "SELECT sum(rows) AS n, sum(data_compressed_bytes) / n AS bytes FROM system.parts "
                                     "WHERE active AND table = 'coroprof_minutes'")
    seconds, busy = (sorted(answer[i] for answer in answers)[1] for i in (1, 2))
    print(f"# ran: one label of 10^4 machines and a day is answered in {seconds:.2f} s, {busy:.2f} s of processors (of three); "
          f"{size[0]['bytes']:.1f} bytes a row")
    return [
        ("a day of 10^4 machines is there", int(size[0]["n"]) != 2 * 14400000 and size),
        ("one label of it has an answer", [answer for answer in answers if len(answer[0]) != 10]),
    ]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    return tap(history_results() + (day_results() if DAY else []))


if __name__ == "__main__":
    sys.exit(main())
