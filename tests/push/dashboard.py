# SPDX-License-Identifier: GPL-2.0
"""dashboard.py PLAY PROGRAMS FOLDER: docs/fleet/dashboard.json, which is Grafana's, is whole, and an engine answers each of its
queries, of three machines that are played, one of which is slow. Prints TAP."""
import json
import shutil
import subprocess
import sys
import time

from engines import DOCS, OTLP, ask, end, flush, player, query, query_of_docs, tap, victoria_metrics

PLAY, PROGRAMS, FOLDER = sys.argv[1:]
SECONDS = 120
SLOW = "web-3"
WIDTH = 24
# What Grafana has as units, of those that figures here can have.
UNITS = {"short", "none", "ns", "cps", "percentunit"}
TYPES = {"timeseries", "bargauge", "table", "stat"}
# What is empty here, and why.
EMPTY = {
    ("Held, p99", "B"): "histograms as Prometheus has them: VictoriaMetrics stores buckets, which A asks for",
    ("Ready, p99", "B"): "likewise",
    ("Cost of recording", "B"): "what is played has no programs that it costs anything",
}
CHOICES = {"host": {"web-1", "web-2", SLOW}, "service": {"shop"}, "label": {"one", "two", "odd"}, "standing": {"counted", "at least"}}

with open(f"{DOCS}/fleet/dashboard.json", encoding="utf-8") as file:
    dashboard = json.load(file)
panels = dashboard["panels"]
targets = [(panel, target) for panel in panels for target in panel["targets"]]
variables = dashboard["templating"]["list"]


def name_of(panel, target):
    return f"{panel['title']}, {target['refId']}"


def overlaps():
    taken, wrong = {}, []
    for panel in panels:
        at = panel["gridPos"]
        if at["x"] < 0 or at["w"] < 1 or at["h"] < 1 or at["x"] + at["w"] > WIDTH:
            wrong.append((panel["title"], at))
        for x in range(at["x"], at["x"] + at["w"]):
            for y in range(at["y"], at["y"] + at["h"]):
                if (x, y) in taken:
                    wrong.append((panel["title"], taken[x, y]))
                taken[x, y] = panel["title"]
    return wrong


def twice(values):
    return sorted({value for value in values if values.count(value) > 1})


def of_engine(thing):
    return thing.get("datasource") == {"type": "prometheus", "uid": "${datasource}"}


def unknown_variables():
    """Those that queries use, but nobody can choose; Grafana has some of its own."""
    known = {variable["name"] for variable in variables} | {"__rate_interval"}
    texts = [target["expr"] for _, target in targets] + [variable["definition"] for variable in variables if variable["type"] == "query"]
    used = {word.split('"')[0].split("]")[0] for text in texts for word in text.split("$")[1:]}
    return sorted(used - known)


def differs_from_docs(title, heading):
    (here,) = [filled_in(target["expr"]) for panel, target in targets if panel["title"] == title]
    return "".join(here.split()) != "".join(query_of_docs(heading).split()) and here


def schema_results():
    return [
        ("each panel has an id of its own", twice([panel["id"] for panel in panels])),
        ("each has a title of its own, and says what it shows", twice([panel["title"] for panel in panels]) or
         [panel["id"] for panel in panels if not panel["title"] or not panel["description"]]),
        ("panels are in the grid, and none lies on another", overlaps()),
        ("each has a type and a unit that there is", [(panel["title"], panel["type"], unit) for panel in panels
         if (unit := panel["fieldConfig"]["defaults"].get("unit")) not in UNITS or panel["type"] not in TYPES]),
        ("each asks the engine that is chosen", [panel["title"] for panel in panels if not panel["targets"] or not of_engine(panel)] +
         [name_of(*pair) for pair in targets if not of_engine(pair[1])] +
         [variable["name"] for variable in variables if variable["type"] == "query" and not of_engine(variable)]),
        ("each query of a panel has a letter of its own", [panel["title"] for panel in panels if twice([t["refId"] for t in panel["targets"]])]),
        ("engine, host, service and label can be chosen", {"datasource", "host", "service", "label"} - {v["name"] for v in variables}),
        ("the query for hosts that differ is that of docs/fleet.md", differs_from_docs("Hosts that differ", "Which host differs")),
        ("queries use no variable that there is not", unknown_variables()),
    ]


def filled_in(text, **chosen):
    """As Grafana does, where all is chosen but what is said."""
    values = {"host": ".*", "service": ".*", "label": ".*", "standing": ".*", "__rate_interval": "1m", **chosen}
    for name, value in values.items():
        text = text.replace(f"${name}", value)
    return text


def play_machines(url):
    machines = [player(PLAY, f"{url}{OTLP}", f"host=web-{i + 1}", "counters") for i in range(3)]
    for i, machine in enumerate(machines):
        pace = "pace 150\n" if f"web-{i + 1}" == SLOW else ""
        # Losses are over a minute before the end: figures after that are counted, whole.
        machine.stdin.write(f"{pace}tick 20\nlose 3\ntick 20\nlose 4\ntick {SECONDS - 40}\ndrain\n")
        machine.stdin.close()
        machine.stdin = None
    return [said for machine in machines for said in [machine.communicate()[1]] if said or machine.returncode]


def choices(url, variable, at):
    """What can be chosen."""
    metric, label = variable["definition"].removeprefix("label_values(").removesuffix(")").rsplit(", ", 1)
    return json.loads(ask(url, f"/api/v1/label/{label}/values", start=at - SECONDS, end=at, **{"match[]": filled_in(metric)}))["data"]


def answers(url, at):
    """{(panel, letter): {attributes: value}}"""
    return {(panel["title"], target["refId"]): {tuple(sorted(attributes.items())): float(value)
            for attributes, value in query(url, filled_in(target["expr"]), at)} for panel, target in targets}


def figures(found, title, letter="A"):
    """By what is shown beside the figure."""
    return {" ".join(value for _, value in attributes): value for attributes, value in found[title, letter].items()}


def engine_results(url):
    said = play_machines(url)
    flush(url)
    # The last second that all have.
    at = min(float(value) for _, value in query(url, "max by (host_name) (timestamp(coroprof_coroutine_switches_total[10m]))",
                                                time.time() + SECONDS))
    found = answers(url, at)
    chosen = {variable["name"]: choices(url, variable, at) for variable in variables if variable["type"] == "query"}
    ipc, slices, differ = (figures(found, title) for title in ("Instructions per cycle", "Slices a second", "Hosts that differ"))
    one = query(url, filled_in(next(t["expr"] for p, t in targets if p["title"] == "Slices a second"), host="web-1", label="two|odd"), at)
    return [
        ("machines that are played send without a complaint", said),
        ("each query has an answer, or a reason why it is empty", sorted(f"{title}, {letter}" for (title, letter), rows in found.items()
         if bool(rows) == ((title, letter) in EMPTY))),
        ("what can be chosen is there", [(name, chosen[name]) for name, values in CHOICES.items() if not values <= set(chosen[name])]),
        ("slices a second are those of the machines", round(slices.get("two", 0), 3) != 60 and slices),
        ("of the host and the labels that are chosen alone", {a["coroprof_label"]: round(float(v), 1) for a, v in one} != {"two": 20, "odd": 0.5} and one),
        ("slices that were lost are those of the machines", (lost := query(url, "sum(coroprof_lost_slices_total)", at)) != [({}, "21")] and lost),
        # Of the slow one a third fewer.
        ("instructions per cycle are those of the machines", round(ipc.get("two", 0), 4) != round(2 * 3 / 3.5, 4) and ipc),
        ("the host that is slow differs, and no other", {name.split()[-1] for name in differ} != {SLOW} and differ),
    ]


def parsed_results():
    """Without data, but by Prometheus itself."""
    if not shutil.which("promtool"):
        return [("Prometheus parses each query # SKIP there is none here", False)]
    rules = [{"record": f"a:{i}", "expr": filled_in(target["expr"])} for i, (_, target) in enumerate(targets)]
    with open(f"{FOLDER}-rules.json", "w", encoding="utf-8") as rules_file:
        json.dump({"groups": [{"name": "dashboard", "rules": rules}]}, rules_file)
    done = subprocess.run(["promtool", "check", "rules", f"{FOLDER}-rules.json"], capture_output=True, text=True, check=False)
    return [("Prometheus parses each query", done.returncode and done.stderr.replace("\n", " "))]


def main():
    engine, url = victoria_metrics(PROGRAMS, FOLDER, "-opentelemetry.usePrometheusNaming")
    try:
        results = schema_results() + engine_results(url) + parsed_results()
    finally:
        end(engine)
    return tap(results)


if __name__ == "__main__":
    sys.exit(main())
