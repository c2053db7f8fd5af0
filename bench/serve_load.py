#!/usr/bin/env python3
"""Load on `dikast serve`: server on one core, generator on the other; the same load on laya.serve beside it.

    bench/serve_load.py --build build --out bench/results/DATE-serve-load.json [--laya-python PYTHON]

Runs, all on loopback: closed loops of 1 to 256 connections; a storm of 256 that ask again at once when refused;
then rounds of the packed forward pass without HTTP, a closed loop of 16 and open loops of two and four times the
best throughput, whose ratios are taken within a round. With --laya-python (an environment that has the package
laya with its server) the closed loops alternate with the official server on the same weights, expanded to F16.
"""
import argparse
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLOSED = [1, 4, 16, 64, 256]
SERVER_CORE, GENERATOR_CORE = "0", "1"


def say(text):
    print(text, file=sys.stderr, flush=True)


def pinned(core, *command):
    return ["taskset", "-c", core, *map(str, command)]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_up(url, seconds=120):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            return urllib.request.urlopen(url, timeout=2).read()
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"{url} did not answer within {seconds} s")


def start_dikast(build, work):
    port = free_port()
    command = pinned(SERVER_CORE, build / "dikast", "serve", "--port", port, "--threads", 1, "--alias", "mini",
                     "--log-file", work / "access.log")
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    say(server.stdout.readline().strip())
    return server, f"http://127.0.0.1:{port}"


def start_laya(python, model, work):
    port = free_port()
    env = dict(os.environ, LAYA_HOST="127.0.0.1", LAYA_PORT=str(port), LAYA_THREADS="1", LAYA_DEVICE="cpu",
               LAYA_PRELOAD="0", LAYA_MAX_CONCURRENT="1024", LAYA_LOG_LEVEL="warning", HF_HUB_OFFLINE="1",
               LAYA_EXTRA_MODELS=json.dumps({"mini": str(model)}))
    log = open(work / "laya.log", "w", encoding="utf-8")
    server = subprocess.Popen(pinned(SERVER_CORE, python, "-m", "laya.serve"), env=env, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    wait_until_up(url + "/health")
    body = json.dumps({"model": "mini", "state": "x", "questions": {"q": {"type": "noul", "instructions": "x?"}}})
    request = urllib.request.Request(url + "/v1/systemone", body.encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=120).read()  # loads the model
    return server, url


def load(build, work, url, server, requests, name, *options):
    out = work / f"{name}.json"
    command = pinned(GENERATOR_CORE, build / "dikast", "bench", "http", "--url", url, "--out", out, "--requests", requests,
                     "--server-pid", server.pid, "--quiet", *options)
    subprocess.run(command, check=True)
    return json.loads(out.read_text(encoding="utf-8"))["runs"][0]


def cpu_name():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(":", 1)[1].strip() for line in file if line.startswith("model name")), "unknown")


def commit():
    command = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False).stdout.strip()


def forward_alone(build, requests, model, batch):
    command = pinned(SERVER_CORE, build / "bench" / "forward_alone", "--requests", requests, "--model", model,
                     "--batch", batch, "--seconds", 10)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def shares(rounds):
    """Of each round: throughput at 16 connections of the forward pass alone, good answers under overload of those
    at 16 connections."""
    def listed(share):
        return sorted(round(share(part), 3) for part in rounds)
    return {"http_of_forward_alone": listed(lambda part: part["closed"]["good_per_s"] / part["forward_alone"]["requests_per_second"]),
            "good_at_2x_of_peak": listed(lambda part: part["open"][0]["good_per_s"] / part["closed"]["good_per_s"]),
            "good_at_4x_of_peak": listed(lambda part: part["open"][1]["good_per_s"] / part["closed"]["good_per_s"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / "models" / "dikast-mini-v1")
    parser.add_argument("--duration", type=float, default=15)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--laya-python")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    for program in (build / "dikast", build / "bench" / "forward_alone"):
        if not program.exists():
            raise SystemExit(f"{program} is missing: build with -DDIKAST_BENCH=ON")
    os.environ["DIKAST_MODEL"] = str(arguments.model.resolve())
    closed = ["--duration", str(arguments.duration), "--warmup", "2", "--concurrency"]

    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        requests = work / "requests.ndjson"
        with requests.open("w", encoding="utf-8") as file:
            subprocess.run([sys.executable, ROOT / "bench" / "serve_requests.py", "--count", "2000", "--model", "mini"],
                           check=True, stdout=file)
        report = {"benchmark": "serve_load", "command": " ".join(sys.argv), "cpu": cpu_name(), "commit": commit(),
                  "load_average_before": os.getloadavg()[0], "closed": [], "laya": [], "rounds": []}
        server, url = start_dikast(build, work)
        rival = None
        try:
            report["status"] = json.loads(urllib.request.urlopen(url + "/status").read())
            if arguments.laya_python:
                subprocess.run([arguments.laya_python, ROOT / "bench" / "expand_model.py", arguments.model, work / "f16"], check=True)
                rival, rival_url = start_laya(arguments.laya_python, work / "f16", work)
            for count in CLOSED:
                say(f"closed loop, {count} connections")
                report["closed"].append(load(build, work, url, server, requests, f"closed-{count}", *closed, count))
                if rival:
                    report["laya"].append(load(build, work, rival_url, rival, requests, f"laya-{count}", *closed, count))
            peak = max(run["good_per_s"] for run in report["closed"])
            report["peak_per_second"] = peak
            say("storm: 256 connections that overhear Retry-After")
            report["storm"] = load(build, work, url, server, requests, "storm", *closed, CLOSED[-1], "--impatient")
            for number in range(arguments.rounds):
                say(f"round {number + 1} of {arguments.rounds}: forward pass alone, 16 connections, overload")
                part = {"forward_alone": forward_alone(build, requests, arguments.model, 16)}
                part["closed"] = load(build, work, url, server, requests, f"round-{number}-closed", *closed, 16)
                part["open"] = [load(build, work, url, server, requests, f"round-{number}-open-{factor}", "--duration",
                                     str(arguments.duration + 10), "--warmup", "10", "--connections", "2000",
                                     "--rate", f"{factor * peak:.2f}") for factor in (2, 4)]
                report["rounds"].append(part)
        finally:
            for process in filter(None, (server, rival)):
                process.send_signal(signal.SIGTERM)
                process.wait(timeout=60)
    report["shares"] = shares(report["rounds"])
    arguments.out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    say(f"report: {arguments.out}")


if __name__ == "__main__":
    main()
