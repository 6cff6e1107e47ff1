# SPDX-License-Identifier: GPL-2.0
"""fleet.py PLAY PROGRAMS FOLDER: 50 machines, each of them the sender of --push and what is played to it, send to VictoriaMetrics, and
what that answers is the sum of their recordings, to the unit. Then one of them, chosen by chance, gets slower, and the query of
docs/fleet.md finds it. FOLDER/verdict.json has what was recorded, answered and found; the status is not 0 if that is not right."""
import json
import random
import sys
import time

from engines import NAMES, OTLP, ask, end, flush, player, query, query_of_docs, truth_of, victoria_metrics

PLAY, PROGRAMS, FOLDER = sys.argv[1:]
MACHINES = 50
# Of which each is a request of each machine: before one gets slower, and after that.
SECONDS = 60
SLOWER = 1.4
TIME = 'coroprof_coroutine_time_nanoseconds_total{coroprof_state="running"}'
FIGURES = {
    "slices": "coroprof_coroutine_switches_total",
    "running ns": TIME,
    "instructions": "coroprof_counter_instructions_total",
    "cycles": "coroprof_counter_cycles_total",
    "cache misses": "coroprof_counter_cache_misses_total",
}


def step(text):
    print(f"demo: {text}", flush=True)


class Machine:
    """@pace: percent of the usual length of slices. Machines are not alike."""

    def __init__(self, number, url):
        self.name, self.pace = f"web-{number:02}", 95 + number * 7 % 11
        self.process = player(PLAY, f"{url}{OTLP}", f"host={self.name}", "counters")

    def begin_minute(self):
        self.process.stdin.write(f"pace {self.pace}\ntick {SECONDS}\ndrain\nsay\n")
        self.process.stdin.flush()

    def end_minute(self):
        if self.process.stdout.readline() != "so far\n":
            raise RuntimeError(f"{self.name} has ended: {self.process.communicate()[1]}")

    def end(self):
        """(sums by label, what it complained of)"""
        out, said = self.process.communicate()
        return truth_of(out), said


def play_minute(machines):
    for machine in machines:
        machine.begin_minute()
    for machine in machines:
        machine.end_minute()


def last_second(url):
    """That all machines have."""
    rows = query(url, "max by (host_name) (timestamp(coroprof_coroutine_switches_total[10m]))", time.time() + 2 * SECONDS)
    if len(rows) != MACHINES:
        raise RuntimeError(f"the engine knows {len(rows)} machines")
    return min(float(value) for _, value in rows)


def differing(url):
    """{machine: by so much its labels differ}, of those that do, by the query of the docs."""
    flush(url)
    found = {}
    for attributes, value in query(url, query_of_docs("Which host differs"), last_second(url)):
        found.setdefault(attributes["host_name"], {})[attributes["coroprof_label"]] = round(float(value), 2)
    return found


def answers(url):
    """{figure: {label: of all machines}}, and {machine: running ns}, of all labels."""
    at = time.time() + 3 * SECONDS
    sums = {figure: {attributes["coroprof_label"]: int(value) for attributes, value in query(url, f"sum by (coroprof_label) ({metric})", at)
                     if attributes["coroprof_label"] in NAMES} for figure, metric in FIGURES.items()}
    whole = {attributes["host_name"]: int(value) for attributes, value in query(url, f"sum by (host_name) ({TIME})", at)}
    return sums, whole


def samples_a_second(url):
    """That a core of the engine would take, by what it used for those that it has."""
    figures = {}
    for line in ask(url, "/metrics").decode().splitlines():
        name, _, value = line.rpartition(" ")
        figures[name] = float(value)
    return figures['vm_rows_inserted_total{type="opentelemetry"}'] / figures["process_cpu_seconds_total"]


def play(url):
    machines = [Machine(number, url) for number in range(1, MACHINES + 1)]
    slow = random.choice(machines)
    try:
        step(f"{MACHINES} machines record for {SECONDS} s each, as fast as they can send it")
        play_minute(machines)
        before = differing(url)
        slow.pace = round(slow.pace * SLOWER)
        step("one of them gets slower by 40 %, and all record for as long again")
        play_minute(machines)
        after = differing(url)
        ends = [machine.end() for machine in machines]
        step(f"one core of the engine takes {samples_a_second(url):,.0f} samples a second")
    finally:
        end(*(machine.process for machine in machines))
    flush(url)
    sums, whole = answers(url)
    recorded = {figure: {label: sum(truth[label][i] for truth, _ in ends) for label in NAMES} for i, figure in enumerate(FIGURES)}
    return {
        "recorded": recorded, "answered": sums,
        "recorded_ns": {machine.name: 2 * SECONDS * 10**9 for machine in machines}, "answered_ns": whole,
        "slower": slow.name, "differed_before": before, "differ": after,
        "complaints": [said for _, said in ends if said],
    }


def named(found):
    return ", ".join(f"{machine}, {len(by)} labels of which are longer by up to {100 * max(by.values()) - 100:.0f} %"
                     for machine, by in found.items()) or "no machine"


def judge(verdict):
    """What is wrong."""
    wrong = []
    for figure, recorded in verdict["recorded"].items():
        step(f"{figure}: recorded {sum(recorded.values())}, answered {sum(verdict['answered'][figure].values())}")
        if recorded != verdict["answered"][figure]:
            wrong.append(f"{figure}: {verdict['answered'][figure]} is not the sum of the recordings, {recorded}")
    if verdict["recorded_ns"] != verdict["answered_ns"]:
        wrong.append(f"machines lack time, or have too much: {verdict['answered_ns']}")
    step(f"the query of docs/fleet.md found before: {named(verdict['differed_before'])}; and then: {named(verdict['differ'])}")
    if verdict["differed_before"]:
        wrong.append("it has found machines when none was slower")
    if set(verdict["differ"]) != {verdict["slower"]}:
        wrong.append(f"it was to find {verdict['slower']}, and no other")
    return wrong + verdict["complaints"]


def main():
    began = time.monotonic()
    engine, url = victoria_metrics(PROGRAMS, f"{FOLDER}/engine", "-opentelemetry.usePrometheusNaming", "-memory.allowedBytes=256MB")
    try:
        verdict = play(url)
    finally:
        end(engine)
    verdict["wrong"] = judge(verdict)
    with open(f"{FOLDER}/verdict.json", "w", encoding="utf-8") as file:
        json.dump(verdict, file, indent="\t")
    for line in verdict["wrong"]:
        print(f"demo: wrong: {line}", file=sys.stderr)
    if not verdict["wrong"]:
        step(f"{verdict['slower']} is slower, and the query names it alone; after {time.monotonic() - began:.0f} s")
    return 1 if verdict["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
