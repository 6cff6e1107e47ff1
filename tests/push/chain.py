# SPDX-License-Identifier: GPL-2.0
"""chain.py PLAY PROGRAMS FOLDER: machines that are played send by TLS and with a token to vmauth, which passes it to vmagent, whose
queue on disk is before VictoriaMetrics. While they send, the engine ends, the agent is begun anew, and the engine is there again
later; or the engine is killed. Prints TAP."""
import os
import shutil
import signal
import subprocess
import sys
import time

from engines import OTLP, ask, begin, end, flush, player, query, tap, truth_of, victoria_metrics

PLAY, PROGRAMS, FOLDER = sys.argv[1:]
MACHINES = 4
# Requests of each machine, so far from each other.
REQUESTS = 80
WAIT_MS = 100
TOKEN = "a-token-of-40-letters-and-it-is-no-secret"
METRIC = "coroprof_coroutine_time_nanoseconds_total"
SUM = f'sum by (host_name, coroprof_label) ({METRIC}{{coroprof_state="running",MACHINES}})'
COUNT = f'count_over_time({METRIC}{{coroprof_state="running",coroprof_label=~"one|two",MACHINES}}[1h])'


def port_of(url):
    return int(url.rsplit(":", 1)[1])


def write(name, text):
    with open(f"{FOLDER}/{name}", "w", encoding="ascii") as file:
        file.write(text)
    return f"{FOLDER}/{name}"


def certificate():
    """Of 127.0.0.1, signed by itself; its key is beside it."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", "/CN=vmauth", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{FOLDER}/key.pem",
                    "-out", f"{FOLDER}/cert.pem"], check=True, capture_output=True)
    return f"{FOLDER}/cert.pem"


class Chain:
    def __init__(self):
        self.engine, self.engine_url = victoria_metrics(PROGRAMS, f"{FOLDER}/engine")
        self.agent, self.agent_url = self.begin_agent()
        users = write("auth.yml", f"""users:
- bearer_token: {TOKEN}
  url_map:
  - src_paths: ["{OTLP}"]
    url_prefix: {self.agent_url}
""")
        self.certificate = certificate()
        self.auth, url = begin(lambda port: [
            f"{PROGRAMS}/vmauth", "-auth.config", users, "-httpListenAddr", f"127.0.0.1:{port}",
            "-tls", "-tlsCertFile", self.certificate, "-tlsKeyFile", f"{FOLDER}/key.pem"], None)
        self.url = url.replace("http:", "https:")
        self.token = write("token", TOKEN + "\n")

    def end(self):
        end(self.auth, self.agent, self.engine)

    def machine(self, name, *options, ca=True, token=None):
        options = [*options, f"host={name}", f"token={token or self.token}", *([f"ca={self.certificate}"] if ca else [])]
        return player(PLAY, f"{self.url}{OTLP}", *options)

    def begin_agent(self, same=None):
        # One block after the other: what waits is in the queue, not in the hands of many that try.
        return begin(lambda port: [
            f"{PROGRAMS}/vmagent", "-httpListenAddr", f"127.0.0.1:{port}", "-opentelemetry.usePrometheusNaming",
            "-remoteWrite.url", f"{self.engine_url}/api/v1/write", "-remoteWrite.tmpDataPath", f"{FOLDER}/queue",
            "-remoteWrite.queues", "1", "-remoteWrite.maxDiskUsagePerURL", "1GB", "-remoteWrite.retryMaxTime", "1s"], "/health", same)

    def stop_engine(self, how):
        self.engine.send_signal(how)
        self.engine.wait()

    def restart_engine(self):
        self.engine, _ = victoria_metrics(PROGRAMS, f"{FOLDER}/engine", same=port_of(self.engine_url))

    def restart_agent(self):
        """Bytes of its queue that are on disk."""
        self.agent.terminate()
        self.agent.wait()
        self.agent, _ = self.begin_agent(port_of(self.agent_url))
        lines = ask(self.agent_url, "/metrics").decode().splitlines()
        return sum(int(line.split()[-1]) for line in lines if line.startswith("vm_persistentqueue_bytes_pending"))


def send_while_the_engine_is_away(chain, prefix, how, meanwhile):
    """(truth by machine, what they complained of, what meanwhile() says)"""
    machines = {f"{prefix}-{i}": chain.machine(f"{prefix}-{i}") for i in range(MACHINES)}
    for machine in machines.values():
        machine.stdin.write(f"tick 1\nwait {WAIT_MS}\n" * REQUESTS + "drain\n")
        machine.stdin.close()
        machine.stdin = None
    time.sleep(REQUESTS * WAIT_MS / 4000)
    chain.stop_engine(how)
    time.sleep(REQUESTS * WAIT_MS / 4000)
    said, over = meanwhile(), [name for name, machine in machines.items() if machine.poll() is not None]
    chain.restart_engine()
    ends = {name: machine.communicate() for name, machine in machines.items()}
    return {name: truth_of(out) for name, (out, _) in ends.items()}, [text for _, text in ends.values() if text] + over, said


def by_machine(chain, text, prefix):
    """{(machine, label): value}, once that has been delivered."""
    flush(chain.engine_url)
    rows = query(chain.engine_url, text.replace("MACHINES", f'host_name=~"{prefix}.*",coroprof_standing="counted"'), time.time() + 2 * REQUESTS)
    return {(attributes["host_name"], attributes["coroprof_label"]): int(value) for attributes, value in rows}


def differing(chain, text, prefix, wanted):
    """Of {(machine, label): value}, within a minute."""
    latest = time.monotonic() + 60
    while True:
        found = by_machine(chain, text, prefix)
        wrong = {key: (found.get(key), value) for key, value in wanted.items() if found.get(key) != value}
        if not wrong or time.monotonic() > latest:
            return wrong
        time.sleep(0.5)


def running(truth):
    return {(name, label): ns for name, by_label in truth.items() for label, (_, ns) in by_label.items()}


def refused(chain):
    """{machine: what it complained of}"""
    machines = {"wrong-token": chain.machine("wrong-token", token=write("wrong", "another\n")), "no-ca": chain.machine("no-ca", ca=False)}
    return {name: machine.communicate("tick 1\nwait 500\n")[1] for name, machine in machines.items()}


def hosts(chain):
    rows = query(chain.engine_url, f"count by (host_name) (last_over_time({METRIC}[1h]))", time.time() + 2 * REQUESTS)
    return {attributes["host_name"] for attributes, _ in rows}


def results(chain):
    said = refused(chain)
    ends, complaints, on_disk = send_while_the_engine_is_away(chain, "ends", signal.SIGTERM, chain.restart_agent)
    each = {(name, label): REQUESTS for name in ends for label in ("one", "two")}
    found = [
        ("who has another token gets nothing through, and is answered why", "401" not in said["wrong-token"] and said),
        ("nor who does not know the certificate", "certificate" not in said["no-ca"] and said),
        ("what the engine has not taken is on disk, when the agent begins anew", not on_disk and "nothing is"),
        ("no machine loses anything by that", [text for text in complaints if "lost" in text or "takes what is sent again" not in text]),
        ("each request is in the engine, once, when that is back", differing(chain, COUNT, "ends", each)),
        ("its sums are those of the recordings, to the unit", differing(chain, SUM, "ends", running(ends))),
    ]
    killed, complaints, _ = send_while_the_engine_is_away(chain, "killed", signal.SIGKILL, lambda: None)
    return found + [
        ("an engine that is killed holds up no machine", complaints),
        ("nor does a sum lack anything, to the unit", differing(chain, SUM, "killed", running(killed))),
        ("nothing is there of other machines", hosts(chain) - set(ends) - set(killed)),
    ]


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.makedirs(FOLDER)
    chain = Chain()
    try:
        return tap(results(chain))
    finally:
        chain.end()


if __name__ == "__main__":
    sys.exit(main())
