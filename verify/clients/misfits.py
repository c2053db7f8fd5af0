"""Clients that cannot work with any server of this protocol: each row shows that its reason still holds."""

import http.server
import json
import os
import subprocess
import threading

from shared import REFUND, STATE, URL, call_tools


def ends_badly(words, *arguments, **options):
    """Runs a program that must fail and name all `words`."""
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, **options)
    print(done.stdout[-2000:], done.stderr[-2000:])
    assert done.returncode != 0, f"{arguments[0]} works"
    missing = [word for word in words if word not in done.stdout + done.stderr]
    assert not missing, f"{arguments[0]} fails for another reason: it does not say {missing}"


def judgevet_command_line():
    ends_badly(["TyperOption.__init__()", "type_descriptor"], "judgevet", "--help")


def phocinae_cli():
    program = ["phocinae", "--server", URL, "--retries", "0", "--json"]
    ping = subprocess.run([*program, "ping"], capture_output=True, text=True, timeout=60)
    assert ping.returncode == 0, ping.stderr
    ends_badly(["422", "questions"], *program, "classify", "--state", STATE, "--labels", "billing,technical")


def laya_mcp():
    _, (text,) = call_tools(f"laya-mcp mcp --sidecar {URL}", {},
                            ("laya_noul", {"state": STATE, "instructions": REFUND}))
    assert not json.loads(text)["ok"] and "HTTP 404" in text, text


def asked_of_proxy(*arguments, **environment):
    """The hosts that a program asks a proxy for, which refuses: nothing leaves this machine."""
    asked = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_CONNECT(self):
            asked.append(self.path)
            self.send_error(502)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{proxy.server_port}"
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **environment, "HTTPS_PROXY": address, "https_proxy": address})
        proxy.shutdown()
    print(done.stdout[-2000:], done.stderr[-2000:])
    assert done.returncode != 0, f"{arguments[0]} works"
    return asked


def llm_typesafe():
    asked = asked_of_proxy("llm", "-m", "typesafe/jev-latest", "-s", REFUND, STATE,
                           TYPESAFE_API_KEY="any", TYPESAFE_BASE_URL=URL)
    assert asked == ["api.typesafe.ai:443"], asked


def llm_openai_decisions():
    asked = asked_of_proxy("llm", "-m", "openai-decisions/gpt-6-luna", "-s", REFUND, STATE,
                           OPENAI_API_KEY="any", OPENAI_BASE_URL=URL + "/v1")
    assert asked == ["api.openai.com:443"], asked
