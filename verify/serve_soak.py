#!/usr/bin/env python3
"""A long mixed load on `dikast serve`: every answer checked byte for byte, memory watched.

    verify/serve_soak.py --dikast build/dikast --requests 100000 --report soak.json

Valid requests (their right bodies come from `dikast decide --ndjson` first), refused ones and clients that leave
while they wait, in random order over 64 connections. Exit status 1 when an answer is wrong, a status is 5xx
(529 is counted apart), or the resident memory of the second half moves by more than 2 %.
"""
import argparse
import http.client
import json
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time

WORDS = "order invoice late refund broken page export login seat plan report button audit ticket reply".split()
CONNECTIONS = 64
REFUSED = [  # (body, status)
    (b'{"state": "x", "questions"', 422),
    (b'{"state": "x", "questions": {}}', 422),
    (b'{"state": null, "questions": {"q": {"type": "noul"}}}', 422),
    (b'{"state": "x", "questions": {"q": {"type": "maybe"}}}', 422),
    (b'{"state": "x", "state": "y", "questions": {"q": {"type": "noul"}}}', 422),
    (b'{"state": "\xff", "questions": {"q": {"type": "noul"}}}', 422),
    (b'{"state": "x", "model": "no-such-model", "questions": {"q": {"type": "noul"}}}', 400),
    (json.dumps({"state": "late " * 3000, "questions": {"q": {"type": "noul"}}}).encode(), 413),
]
LEAVE, REFUSE = 0.02, 0.10  # shares of clients that leave, and of requests that are refused


def make_requests(count, rng):
    """Short for the most part, some of several questions, a few near the model's limit."""
    rows = []
    for number in range(count):
        words = rng.choice([3, 3, 3, 5, 5, 8, 12]) if rng.random() < 0.98 else rng.randint(150, 300)
        state = f"{number} " + " ".join(rng.choice(WORDS) for _ in range(words))
        questions = {"late": {"type": "noul", "instructions": "Is it late?"}}
        if rng.random() < 0.2:
            questions = {"team": {"type": "choice", "criteria": {"billing": None, "technical": "bugs", "Käse 🧀": None}}}
        if rng.random() < 0.1:
            questions["tone"] = {"type": "score", "instructions": "How upset?", "criteria": ["calm", "firm", "angry"]}
        rows.append(json.dumps({"state": state, "questions": questions}, ensure_ascii=rng.random() < 0.5).encode())
    return rows


def right_answers(dikast, rows):
    command = [dikast, "decide", "--ndjson", "--format", "systemone", "--quiet"]
    done = subprocess.run(command, input=b"\n".join(rows) + b"\n", stdout=subprocess.PIPE, check=True)
    answers = done.stdout.split(b"\n")[:-1]
    assert len(answers) == len(rows), (len(answers), len(rows))
    return answers


def resident(pid):
    with open(f"/proc/{pid}/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


class Soak:
    def __init__(self, host, rows, answers, total, seed):
        self.host, self.rows, self.answers, self.total, self.seed = host, rows, answers, total, seed
        self.lock, self.done, self.faults, self.statuses = threading.Lock(), 0, [], {}

    def take(self):
        with self.lock:
            self.done += 1
            return self.done <= self.total

    def note(self, status, fault=None):
        with self.lock:
            self.statuses[status] = self.statuses.get(status, 0) + 1
            if fault and len(self.faults) < 20:
                self.faults.append(fault)

    def client(self, index):
        rng = random.Random(self.seed * 1000 + index)
        connection = http.client.HTTPConnection(self.host, timeout=60)
        while self.take():
            kind = rng.random()
            if kind < REFUSE:
                body, wanted_status = rng.choice(REFUSED)
                wanted = None
            else:
                row = rng.randrange(len(self.rows))
                body, wanted_status, wanted = self.rows[row], 200, self.answers[row]
            try:
                connection.request("POST", "/v1/systemone", body, {"Content-Type": "application/json"})
                if kind > 1 - LEAVE:
                    connection.close()
                    self.note("left")
                    continue
                response = connection.getresponse()
                answer = response.read()
            except (OSError, http.client.HTTPException) as error:
                self.note("failed", f"{type(error).__name__}: {error}")
                connection.close()
                continue
            if response.status == 529:
                self.note(529, None if response.headers.get("Retry-After") else "529 without Retry-After")
            elif response.status != wanted_status or (wanted is not None and answer != wanted):
                self.note(response.status, f"wanted {wanted_status} {wanted}, got {response.status} {answer[:300]} for {body[:200]}")
            else:
                self.note(response.status)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dikast", required=True)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--distinct", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--report", type=pathlib.Path)
    arguments = parser.parse_args()
    rows = make_requests(arguments.distinct, random.Random(arguments.seed))
    answers = right_answers(arguments.dikast, rows)
    server = subprocess.Popen([arguments.dikast, "serve", "--port", "0", "--log-level", "off"], stdout=subprocess.PIPE, text=True)
    try:
        host = server.stdout.readline().strip().rsplit("/", 1)[1]
        soak = Soak(host, rows, answers, arguments.requests, arguments.seed)
        clients = [threading.Thread(target=soak.client, args=(i,), daemon=True) for i in range(CONNECTIONS)]
        start = time.monotonic()
        for client in clients:
            client.start()
        memory = []
        while any(client.is_alive() for client in clients):
            time.sleep(1)
            memory.append((min(soak.done, soak.total), resident(server.pid)))
            if len(memory) % 30 == 0:
                print(f"{memory[-1][0]} of {soak.total}, {memory[-1][1] / 1e6:.1f} MB, {soak.statuses}", file=sys.stderr, flush=True)
        seconds = time.monotonic() - start
    finally:
        server.send_signal(signal.SIGTERM)
        code = server.wait(timeout=60)
    later = [size for done, size in memory if done >= soak.total / 2] or [memory[-1][1]]
    drift = max(later) / min(later) - 1
    errors = {status: n for status, n in soak.statuses.items() if isinstance(status, int) and status >= 500 and status != 529}
    passed = not soak.faults and not errors and drift <= 0.02 and code == 0
    report = {"requests": arguments.requests, "distinct": arguments.distinct, "seed": arguments.seed, "seconds": round(seconds, 1),
              "statuses": {str(k): v for k, v in sorted(soak.statuses.items(), key=str)}, "faults": soak.faults,
              "resident_bytes": {"first": memory[0][1], "half": later[0], "last": memory[-1][1], "drift_of_second_half": round(drift, 5)},
              "exit_code": code, "passed": passed}
    text = json.dumps(report, indent=1, ensure_ascii=False)
    print(text)
    if arguments.report:
        arguments.report.write_text(text + "\n", encoding="utf-8")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
