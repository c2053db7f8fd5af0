#!/usr/bin/env python3
"""Asks the official laya package random requests and records what its text side does with them.

Every line written is one request as raw text with what `laya` made of it: a refusal, or the ids,
markers and answers it gives to made-up logits. No model runs: a stand-in returns random logits, so
everything before and after the forward pass is compared and nothing else. decision_test reads the
recorded lines (tests/data/decision/reference.jsonl, or the file that DIKAST_REFERENCE_ROWS names).

    python record.py --rows 400 --seed 1 --tokenizer words=tests/data/decision/words.tokenizer.json
"""
import argparse
import json
import random
import sys
import warnings

import numpy as np
from laya.agent import Agent
from transformers import PreTrainedTokenizerFast

SPECIAL = {  # cls, sep, pad, mask
    "words": ("[CLS]", "[SEP]", "[PAD]", "[MASK]"),
    "bert": ("[CLS]", "[SEP]", "[PAD]", "[MASK]"),
    "modernbert": ("[CLS]", "[SEP]", "[PAD]", "[MASK]"),
    "mmbert": ("<bos>", "<eos>", "<pad>", "<mask>"),
}
WORDS = ["w%d" % i for i in range(40)] + ["a", "b", "x", "y", "red", "green", ":", ",", "?", "é", "한국어",
                                          "😀", "don't", "  ", "\n", "\t", "\"", "\\", "/", "\u0001", "\u2029"]


class StandIn(Agent):
    """The official agent without a model: `_forward` invents logits and keeps what it was fed."""

    def __init__(self, tok, max_len, head_max_len, temperature, buckets, numbers):
        self.cfg = {"max_len": max_len, "head_max_len": head_max_len}
        self.tok = tok
        self.temperature = temperature
        self.temperature_by_options = buckets
        self.lang_temperatures = {}
        self.parallel_options = False
        self.numbers = numbers
        self.rows = []

    def _forward(self, batch):
        count, width = batch["marker_pos"].shape
        logits = self.numbers.normal(0, 3, (count, width)).astype(np.float32)
        act = self.numbers.normal(0, 2, (count, 2)).astype(np.float32)
        for i in range(count):
            length, markers = int(batch["attention_mask"][i].sum()), int(batch["marker_mask"][i].sum())
            self.rows.append({
                "ids": batch["input_ids"][i, :length].tolist(),
                "markers": batch["marker_pos"][i, :markers].tolist(),
                "logits": [float(v) for v in logits[i, :markers]],
                "actions": [float(v) for v in act[i]],
            })
        e = np.exp(act - act.max(-1, keepdims=True))
        return logits, e / e.sum(-1, keepdims=True)


class Maker:
    """Random request bodies as JSON text: mostly well formed, spelled in many ways."""

    def __init__(self, seed, mask):
        self.r = random.Random(seed)
        self.mask = mask

    def one(self, *choices):
        return self.r.choice(choices)

    def chance(self, p):
        return self.r.random() < p

    def words(self, low, high):
        pieces = [self.r.choice(WORDS) if not self.chance(0.02) else self.mask
                  for _ in range(self.r.randint(low, high))]
        return self.one(" ", " ", " ", "").join(pieces)

    def string(self, text):
        return json.dumps(text, ensure_ascii=self.chance(0.3))

    def scalar(self):
        return self.one("0", "-0", "1", "1.0", "-0.0", "1e2", "1.5e-7", "1e16", "1E400", "-1e-400", "123456789012345678901",
                        "0.1", "1e22", "10000000000000000000000", "true", "false", "NaN", "Infinity", "-Infinity",
                        "3.14159", "100.0", "2e0")

    def value(self, depth=0):
        kind = self.r.random()
        if kind < 0.5 or depth > 2:
            return self.string(self.words(0, 6))
        if kind < 0.65:
            return self.scalar()
        if kind < 0.7:
            return "null"
        return self.container(depth)

    def container(self, depth):
        items = [self.value(depth + 1) for _ in range(self.r.randint(0, 4))]
        if self.chance(0.5):
            return "[" + self.one(",", ", ", " ,\n").join(items) + "]"
        return self.object([(self.words(0, 2), item) for item in items])

    def object(self, members):
        comma, colon = self.one(",", ", ", "\n,"), self.one(":", ": ", " :")
        return "{" + comma.join(self.string(k) + colon + v for k, v in members) + "}"

    def long_or_short(self):
        return self.words(0, 8) if self.chance(0.9) else self.words(30, 90)

    def choice_criteria(self):
        if self.chance(0.03):
            return self.one("null", "{}", "[]", "5", "\"a\"", "[null]", "[[\"a\"]]", "[\"a\", \"a\"]", "[1, 1.0]",
                            "[true, 1]", "[NaN, NaN]", "[1e22, 10000000000000000000000]", "[\"1\", 1]", "{\"\": null}")
        count = self.r.choice([1, 2, 2, 3, 4, 5, 6, 10, 12, 25, 60])
        if self.chance(0.4):
            labels = [self.string(self.words(1, 3) + str(i)) if self.chance(0.95) else self.scalar() for i in range(count)]
            return "[" + ", ".join(labels) + "]"
        members = []
        for i in range(count):
            text = self.one("null", "\"\"", self.string(self.long_or_short()), self.value())
            members.append((self.words(0, 3) + (str(i) if self.chance(0.95) else ""), text))
        return self.object(members)

    def score_criteria(self):
        if self.chance(0.03):
            return self.one("null", "{}", "[]", "{\"0\": \"a\"}", "[null]", "[\"a\", null]", "\"a\"")
        count = self.r.choice([1, 2, 3, 4, 5, 11, 30])
        return "[" + ", ".join(self.string(self.long_or_short()) if self.chance(0.8) else self.value().replace("null", "0")
                               for _ in range(count)) + "]"

    def noul_criteria(self):
        if self.chance(0.03):
            return self.one("[]", "\"\"", "false", "{\"yes\": \"a\"}", "{\"true\": \"a\", \"maybe\": \"b\"}", "0")
        keys = self.r.sample(["true", "false", "True", "FALSE"], self.r.randint(0, 3))
        return self.object([(k, self.one("null", "\"\"", self.value(), self.string(self.long_or_short()))) for k in keys])

    def labels(self):
        if self.chance(0.05):
            return self.one("null", "[]", "{}", "{\"true\": \"a\"}", "{\"true\": \"a\", \"false\": \" a \"}", "5",
                            "{\"true\": 1, \"false\": 2}", "{\"true\": \"\", \"false\": \"b\"}")
        return self.object([("false", self.string(self.one("no", " B ", "w1 w2"))), ("true", self.string(self.one("yes", "A\u3000", "w3")))])

    def question(self):
        if self.chance(0.02):
            return self.one("null", "5", "[]", "\"w1\"", "{}")
        kind = self.one("choice", "choice", "score", "noul")
        members = [("type", self.string(kind) if self.chance(0.99) else self.one("\"Choice\"", "null", "2", "\"\""))]
        if self.chance(0.99):
            text = self.string(self.words(1, 8) if self.chance(0.93) else self.words(20, 70))
            members.append(("instructions", text if self.chance(0.92) else self.value()))
        count = None
        if kind != "noul" or self.chance(0.5):
            criteria = {"choice": self.choice_criteria, "score": self.score_criteria, "noul": self.noul_criteria}[kind]()
            if self.chance(0.99):
                members.append(("criteria", criteria))
            try:
                count = len(json.loads(criteria))
            except (TypeError, ValueError):
                count = 1
        if kind == "noul":
            count = 2
        if self.chance(0.4 if kind == "noul" else 0.005):
            members.append(("labels", self.labels()))
        if self.chance(0.3):
            order = list(range(count or 1))
            self.r.shuffle(order)
            if self.chance(0.1):
                order = self.r.choice([order + [0], order[1:], [float(i) for i in order], [True] * len(order), None])
            members.append(("option_order", json.dumps(order)))
        if self.chance(0.05):
            members.append(("unknown", self.value()))
        self.r.shuffle(members)
        return self.object(members)

    def body(self, long_state):
        ids = [self.one("q%d" % i, "it's %d" % i, "é\"%d" % i) for i in range(self.one(1, 1, 2, 3))]
        if self.chance(0.02):
            ids[0] = self.one("", " ", "\u3000")
        questions = self.object([(i, self.question()) for i in ids]) if self.chance(0.98) else self.one("{}", "[]", "null")
        low, high = (60, 400) if long_state else (0, 60)
        state = self.string(self.words(low, high)) if self.chance(0.6) else self.container(0)
        if self.chance(0.1) and long_state:
            state = "[" + ", ".join(self.string(self.words(1, 9)) for _ in range(self.r.randint(5, 60))) + "]"
        if self.chance(0.04):
            state = self.one("null", self.scalar(), "\"\"", "[]", "{}")
        members = [("state", state), ("questions", questions)]
        if self.chance(0.02):
            members = members[self.r.randint(0, 1):][:1]
        if self.chance(0.1):
            members.append(("model", self.value()))
        return self.object(members)


def load_tokenizer(name, file):
    cls, sep, pad, mask = SPECIAL[name]
    return PreTrainedTokenizerFast(tokenizer_file=file, cls_token=cls, sep_token=sep, pad_token=pad, mask_token=mask)


def ask(agent, body, window):
    """What laya makes of one body, the way its HTTP server and command line call it."""
    try:
        request = json.loads(body)
        state, questions = request.get("state"), request.get("questions")
        return {"result": (agent.predict_long if window else agent.predict)(state, questions)}
    except (TypeError, ValueError) as e:
        return {"error": str(e)}


def record(name, tok, seed):
    r = random.Random(seed)
    numbers = np.random.default_rng(seed)
    max_len, head_max_len = r.choice([(512, 192), (1024, 256), (128, 64), (96, 32), (64, 100), (200, 0)])
    temperature = [r.choice([1.0, 0.1006, 1.7, 7.0]) for _ in range(3)]
    buckets = {k: r.uniform(0.3, 6) for k in ("choice:2", "choice:3-5", "choice:11+", "score:3-5", "noul:2") if r.random() < 0.3}
    # The loader clamps before the agent reads them.
    clamp = lambda t: min(5.0, max(0.5, t))
    agent = StandIn(tok, max_len, head_max_len, [clamp(t) for t in temperature], {k: clamp(v) for k, v in buckets.items()}, numbers)
    window = r.random() < 0.25
    body = Maker(seed, tok.mask_token).body(r.random() < 0.3)
    row = {"tokenizer": name, "seed": seed, "body": body, "max_len": max_len, "head_max_len": head_max_len, "window": window,
           "temperature": temperature, "buckets": buckets}
    row.update(ask(agent, body, window))
    if "result" in row:
        row["sequences"] = agent.rows
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=0, help="leave out rows of more bytes")
    parser.add_argument("--tokenizer", action="append", required=True, metavar="NAME=FILE")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    tokenizers = [(n, load_tokenizer(n, f)) for n, f in (t.split("=", 1) for t in args.tokenizer)]
    print("seed %d" % args.seed, file=sys.stderr)
    written = refused = seed = 0
    while written < args.rows:
        name, tok = tokenizers[seed % len(tokenizers)]
        row = record(name, tok, args.seed * 1000003 + seed)
        seed += 1
        line = json.dumps(row, ensure_ascii=False)
        if args.longest and len(line) > args.longest:
            continue
        print(line)
        written += 1
        refused += "error" in row
    print("%d rows, %d refused" % (written, refused), file=sys.stderr)


if __name__ == "__main__":
    main()
