#!/usr/bin/env python3
"""A stand-in for a server: answers requests by a script, on a free port of this machine.

    stand_in.py PORT_FILE REQUESTS_FILE ANSWER...

Each ANSWER is a JSON object, used for one POST after the other, the last one again and again:
    {"status": 529, "headers": {"Retry-After": "1"}, "body": {...}}    a JSON body; a string as it is
    {"decide": true}      what 'dikast decide' answers
    {"drop": true}        the connection ends without an answer
    {"wait": 3}           so many seconds before anything else
    {"close": true}       the connection ends after the answer
GET /health, /status and /v1/models have answers of their own; $STAND_IN_NO_STATUS takes /status away. Each POST is one line of
REQUESTS_FILE: {"headers": {lower-case name: value}, "body": ...}. With $STAND_IN_LOG every request
is a line there, as the access log of a server. Ends with its parent, or after a minute.
"""

import http.server
import json
import os
import subprocess
import sys
import threading
import time

PORT_FILE, REQUESTS_FILE, *ANSWERS = sys.argv[1:]
ANSWERS = [json.loads(answer) for answer in ANSWERS] or [{"decide": True}]
LOCK = threading.Lock()
FIXED = {
    "/health": {"status": "ok"},
    "/status": {"model": {"name": "stand-in", "max_len": 128, "sha256": "00ff"}, "requests": 0},
    "/v1/models": {"object": "list", "data": [{"id": "stand-in"}], "models": [{"name": "stand-in"}]},
}


def decide(body):
    run = subprocess.run(["dikast", "decide", "--request", "-", "--json"], input=body, capture_output=True)
    if run.returncode == 0:
        return 200, run.stdout.rstrip(b"\n")
    message = run.stderr.decode().strip().removeprefix("dikast: ")
    path, _, message = message.partition(": ")
    loc = ["body"] + path.split("/")[1:]
    return 422, json.dumps({"detail": [{"loc": loc, "msg": message, "type": "value_error"}]}).encode()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65536  # head and body in one packet
    posts = 0

    def log_message(self, *_):
        pass

    def note(self, file, line):
        with LOCK, open(file, "a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")

    def send(self, status, body, headers=()):
        self.send_response(status)
        for name, value in dict(headers).items():
            self.send_header(name, value)
        request_id = self.headers.get("X-Request-Id", "none")
        self.send_header("X-Request-Id", request_id)
        self.send_header("Server-Timing", "queue;dur=0.1, forward;dur=1.5")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if os.environ.get("STAND_IN_LOG"):
            self.note(os.environ["STAND_IN_LOG"], {
                "ts": time.time(), "request_id": request_id, "method": self.command,
                "path": self.path, "status": status})

    def do_GET(self):
        hidden = self.path == "/status" and os.environ.get("STAND_IN_NO_STATUS")
        found = None if hidden else FIXED.get(self.path)
        self.send(200 if found else 404, json.dumps(found or {"detail": "no such route"}).encode())

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with LOCK:
            answer = ANSWERS[min(Handler.posts, len(ANSWERS) - 1)]
            Handler.posts += 1
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.note(REQUESTS_FILE, {"headers": headers, "body": json.loads(body)})
        time.sleep(answer.get("wait", 0))
        if answer.get("drop"):
            self.close_connection = True
            return
        if answer.get("decide"):
            status, text = decide(body)
        else:
            status, text = answer.get("status", 200), answer.get("body", {})
            text = (text if isinstance(text, str) else json.dumps(text, separators=(",", ":"))).encode()
        self.send(status, text, answer.get("headers", {}))
        if answer.get("close"):
            self.close_connection = True


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with open(PORT_FILE + ".new", "w", encoding="utf-8") as out:
        out.write(str(server.server_port))
    os.rename(PORT_FILE + ".new", PORT_FILE)
    parent, end = os.getppid(), time.monotonic() + 60
    while os.getppid() == parent and time.monotonic() < end:
        time.sleep(0.1)


if __name__ == "__main__":
    main()
