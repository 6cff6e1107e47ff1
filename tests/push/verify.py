# SPDX-License-Identifier: GPL-2.0
"""verify.py READER FOLDER: what the receiver of tests/push/guest was sent, against the recordings of the same time. Prints TAP, whose
first results are those that the guest has printed."""
import glob
import json
import subprocess
import sys

import otlp

READER, FOLDER = sys.argv[1:]
failed = 0
with open(f"{FOLDER}/output.log", encoding="utf-8", errors="replace") as log:
    number = sum(line.startswith(("ok ", "not ok ")) for line in log)


def check(name, wrong):
    global number, failed
    number += 1
    print(f"{'not ok' if wrong else 'ok'} {number} - {name}")
    if wrong:
        failed = 1
        print(f"# {wrong}")


def requests_of(name):
    files = sorted(glob.glob(f"{FOLDER}/{name}/*.gz"), key=lambda path: int(path.rsplit("/", 1)[1][:-3]))
    found = []
    for path in files:
        with open(path, "rb") as file:
            found.append(otlp.request(file.read()))
    return found


def labels_of(name):
    """{label: {figure: value}}, by the recording."""
    text = subprocess.run([READER, "--format", "json", f"{FOLDER}/{name}.cprof"], check=True, capture_output=True, text=True).stdout
    table = json.loads(text)["tables"]["labels"]
    columns = table["columns"]
    found = {}
    for i in range(table["rows"]):
        row = {figure: int(columns[figure][i] or 0) for figure in ("slices", "running", "preempted", "blocked", "idle", "instructions")}
        label = found.setdefault(columns["name"][i], dict.fromkeys(row, 0))
        for figure, value in row.items():
            label[figure] += value
    return found


def sums_of(requests):
    found = {}
    states = {state: otlp.total(requests, "coroprof.coroutine.time", coroprof_state=state)
              for state in ("running", "preempted", "blocked", "idle")}
    for figure, by_label in {**states, "slices": otlp.total(requests, "coroprof.coroutine.switches"),
                             "instructions": otlp.total(requests, "coroprof.counter.instructions")}.items():
        for label, value in by_label.items():
            if label is not None:
                found.setdefault(label, {})[figure] = value
    return found


def differences(sent, recorded):
    wrong = []
    for label in sorted(set(sent) | set(recorded)):
        for figure in ("slices", "running", "preempted", "blocked", "idle", "instructions"):
            pair = sent.get(label, {}).get(figure, 0), recorded.get(label, {}).get(figure, 0)
            if pair[0] != pair[1]:
                wrong.append(f"{label} {figure}: sent {pair[0]}, recorded {pair[1]}")
    return "; ".join(wrong)


def counted(requests, metric):
    return sum(otlp.total(requests, metric).values())


def lengths(requests, recorded):
    """Each slice of a label is in its histogram of how long it held its thread, once."""
    held = otlp.total([[p._replace(value=p.histogram["count"]) for p in r if p.histogram] for r in requests], "coroprof.coroutine.held")
    wrong = [f"{label}: {held.get(label)} of {row['slices']}" for label, row in recorded.items()
             if not label.startswith("(") and held.get(label) != row["slices"]]
    return "; ".join(wrong)


def main():
    for name, least in (("delta", 4), ("cumulative", 3), ("totals", 4), ("down", 5), ("full", 6), ("agent", 2)):
        requests, recorded = requests_of(name), labels_of(name)
        check(f"{name}: it was sent again and again", len(requests) < least and f"{len(requests)} requests")
        check(f"{name}: sums are those of the recording, label by label", differences(sums_of(requests), recorded))
        known = {"query", "render"} - set(sums_of(requests))
        check(f"{name}: labels have their names", known)
        check(f"{name}: nothing was lost", sum(counted(requests, f"coroprof.push.{metric}") for metric in
                                              ("lost.requests", "lost.points", "rejected.points", "skipped.time")))
        costs = {p.attributes["coroprof.standing"] for r in requests for p in r if p.metric == "coroprof.overhead.time"}
        check(f"{name}: it is known what it costs, at least", not costs or costs - {"at least", "counted"})
        if name not in ("totals", "agent"):
            check(f"{name}: each slice is in a histogram", lengths(requests, recorded))
    both = labels_of("gone")
    for label, row in labels_of("next").items():
        for figure, value in row.items():
            both.setdefault(label, dict.fromkeys(row, 0))[figure] += value
    sent = {}
    for pid in sorted({p.resource["process.pid"] for r in requests_of("next") for p in r if p.resource["service.name"] == "shop"}):
        own = [[p for p in r if p.resource.get("process.pid") == pid] for r in requests_of("next")]
        for label, row in sums_of(own).items():
            for figure, value in row.items():
                sent.setdefault(label, {}).setdefault(figure, 0)
                sent[label][figure] += value
    check("what one has left is sent by the next: sums are those of both", differences(sent, both))
    print(f"1..{number}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
