"""Answers over HTTP against `dikast decide --format systemone`, byte for byte, at several concurrencies.

    python verify/compare_http.py DIKAST [REQUESTS]

starts the program's own server; DIKAST_MODEL names another checkpoint than the bundled one. Exit status 1 when any
answer differs."""

import concurrent.futures
import http.client
import json
import random
import re
import subprocess
import sys
import threading
import time

WORDS = ["order", "paid twice", "été", "thanks", "7.50", "東京", "refund", "\n", "[MASK]", "it crashes"]


def text(rng, most):
    return " ".join(rng.choice(WORDS) for _ in range(rng.randint(1, most)))


def question(rng):
    kind = rng.choice(["noul", "choice", "score"])
    made = {"type": kind, "instructions": text(rng, 6)}
    if kind == "choice":
        made["criteria"] = {f"option {i}": rng.choice([None, text(rng, 4)]) for i in range(rng.choice([1, 2, 3, 5, 40]))}
    if kind == "score":
        made["criteria"] = [text(rng, 3) for _ in range(rng.randint(1, 10))]
    return made


def request(rng):
    state = text(rng, rng.choice([4, 30, 120])) if rng.random() < 0.8 else {"text": text(rng, 9), "n": rng.random()}
    return {"state": state, "questions": {f"q{i}": question(rng) for i in range(rng.randint(1, 3))}}


def decide(program, bodies):
    lines = "".join(json.dumps(body) + "\n" for body in bodies)
    done = subprocess.run([program, "decide", "--ndjson", "--format", "systemone", "--over-length", "truncate"],
                          input=lines, capture_output=True, text=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(bodies):
        sys.exit(f"decide gave {len(answers)} lines: {done.stderr[-500:]}")
    return answers


def start(program):
    server = subprocess.Popen([program, "serve", "--port", "0", "--log-level", "off", "--over-length", "truncate",
                               "--deadline-ms", "600000", "--longest-wait-ms", "600000"],
                              stdout=subprocess.PIPE, text=True)
    return server, re.search(r"http://(\S+)", server.stdout.readline())[1]


def ask(bodies, expected, address, concurrency):
    local = threading.local()

    def one(at):
        if not hasattr(local, "connection"):
            local.connection = http.client.HTTPConnection(address, timeout=600)
        local.connection.request("POST", "/v1/systemone", json.dumps(bodies[at]), {"Content-Type": "application/json"})
        response = local.connection.getresponse()
        return response.read().decode() == expected[at]

    with concurrent.futures.ThreadPoolExecutor(concurrency) as pool:
        return sum(pool.map(one, range(len(bodies))))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
    rng = random.Random(20261130)
    bodies = [request(rng) for _ in range(count)]
    expected = decide(program, bodies)
    server, address = start(program)
    differing = 0
    try:
        for concurrency in (1, 8, 64):
            began = time.monotonic()
            equal = ask(bodies, expected, address, concurrency)
            differing += count - equal
            print(f"concurrency {concurrency}: {equal} of {count} equal, {time.monotonic() - began:.1f} s", flush=True)
    finally:
        server.terminate()
        server.wait(60)
    sys.exit(differing > 0)


main()
