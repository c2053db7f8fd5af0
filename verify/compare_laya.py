#!/usr/bin/env python3
"""Compares `dikast decide --ndjson --reference --details` with the official laya package.

Ids and markers must be equal, logits within 2e-3, probabilities within 1e-4, published numbers
within one unit of the fourth decimal, and the same lines refused. Resumable: both sides keep their
answers under --work. Exit status 0 when everything agrees.
"""

import argparse
import hashlib
import json
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from official_answers import answer_chunks, read_lines

LIMITS = {"logits": 2e-3, "action_logits": 2e-3, "probabilities": 1e-4, "published": 1.01e-4}


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def dikast_answers(args):
    """Runs the program over the lines, going on with an earlier output of the same program."""
    build = hashlib.sha256(Path(args.dikast).read_bytes()).hexdigest()[:12]
    requests = hashlib.sha256(Path(args.requests).read_bytes()).hexdigest()[:12]
    output = Path(args.work) / f"dikast-{build}-{requests}-{args.isa or 'best'}.ndjson"
    command = [args.dikast, "decide", "--ndjson", "--reference", "--details", "--resume"]
    command += ["--model", args.model, "--request", args.requests, "--output", str(output)]
    command += ["--threads", str(args.threads)] + (["--isa", args.isa] if args.isa else [])
    run = subprocess.run(command, check=False)
    if run.returncode not in (0, 1):  # 1: some lines failed, which is what some are there for
        sys.exit(f"dikast ended with status {run.returncode}")
    return read_lines(output)


def pairs(text):
    """JSON with objects as lists of pairs: order and repeated keys count."""
    return json.loads(text, object_pairs_hook=lambda members: ("object", members))


class Comparison:
    def __init__(self):
        self.largest = dict.fromkeys(LIMITS, 0.0)
        self.faults = []
        self.questions = self.refused = self.answered = self.identical = 0

    def fault(self, where, what):
        self.faults.append({"where": where, "what": what})

    def numbers(self, where, kind, ours, theirs):
        if len(ours) != len(theirs):
            return self.fault(where, f"{len(ours)} {kind}, the reference has {len(theirs)}")
        for a, b in zip(ours, theirs):
            distance = abs(a - b)
            self.largest[kind] = max(self.largest[kind], distance)
            if not distance <= LIMITS[kind]:
                return self.fault(where, f"{kind}: {ours} instead of {theirs}")

    def question(self, where, ours, theirs):
        self.questions += 1
        for name in ("input_ids", "markers"):
            if ours[name] != theirs[name]:
                self.fault(where, f"{name}: {first_difference(ours[name], theirs[name])}")
        for name in ("logits", "action_logits", "probabilities"):
            self.numbers(where, name, ours[name], theirs[name])

    def published(self, where, ours, theirs, limit=LIMITS["published"]):
        """Two published responses: same structure, same text, numbers within a rounding step."""
        if is_number(ours) and is_number(theirs):
            if isinstance(ours, int) != isinstance(theirs, int) and float(ours) != float(theirs):
                return self.fault(where, f"published {ours} instead of {theirs}")
            self.largest["published"] = max(self.largest["published"], abs(ours - theirs))
            if not abs(ours - theirs) <= limit:
                self.fault(where, f"published {ours} instead of {theirs}")
        elif type(ours) is not type(theirs):
            self.fault(where, f"published {ours!r} instead of {theirs!r}")
        elif isinstance(ours, (list, tuple)):
            if len(ours) != len(theirs):
                return self.fault(where, f"published {ours!r} instead of {theirs!r}")
            for a, b in zip(ours, theirs):
                self.published(where, a, b, limit)
        elif ours != theirs:
            self.fault(where, f"published {ours!r} instead of {theirs!r}")

    def line(self, number, sent, text, record):
        where = f"line {number}"
        ours = json.loads(text)
        if "error" in record or "error" in ours:
            self.refused += "error" in record and "error" in ours
            if "error" not in record:
                self.fault(where, f"refused, the reference answers: {ours['error']}")
            elif "error" not in ours:
                self.fault(where, f"answered, the reference refuses: {record['error']}")
            return
        self.answered += 1
        for qid, theirs in record["details"].items():
            self.question(f"{where}, question {qid!r}", ours["x_details"][qid], theirs)
        ours = published_part(pairs(text))
        theirs = pairs(record["response"])
        self.identical += ours == theirs
        self.published(where, ours, theirs)
        if b'"id"' in sent:
            sent_id = json.loads(sent).get("id")
            if json.loads(text).get("id") != sent_id:
                self.fault(where, f"id {sent_id!r} is not echoed")

    def report(self, args):
        return {
            "model": Path(args.model).name,
            "questions": self.questions,
            "answered": self.answered,
            "refused_by_both": self.refused,
            "published_identical": self.identical,
            "largest_distance": self.largest,
            "limits": LIMITS,
            "faults": len(self.faults),
            "first_faults": self.faults[:20],
            "isa": args.isa or "best",
            "threads": args.threads,
            "cpu": cpu_name(),
            "versions": {
                name: version(name) for name in ("laya", "transformers", "tokenizers", "torch")
            },
        }


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def first_difference(ours, theirs):
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if a != b:
            return f"{ours[i : i + 8]} instead of {theirs[i : i + 8]} at {i}"
    return f"{len(ours)} instead of {len(theirs)}"


def published_part(response):
    """The response without what the line form and --details add."""
    return ("object", [member for member in response[1] if member[0] not in ("id", "x_details")])


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--dikast", required=True, help="the program")
    parser.add_argument("--model", required=True, help="checkpoint folder")
    parser.add_argument(
        "--official-model", help="the folder for laya, when it differs (affine twins)"
    )
    parser.add_argument("--requests", required=True, help="request lines (make_requests.py)")
    parser.add_argument("--work", required=True, help="folder that keeps both sides' answers")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--isa", default="", help="force an instruction set")
    parser.add_argument("--report", type=Path, help="write the result here as JSON")
    args = parser.parse_args()

    records = answer_chunks(
        args.official_model or args.model, args.requests, args.work, args.threads
    )
    answers = dikast_answers(args)
    comparison = Comparison()
    if len(answers) != len(records):
        comparison.fault("output", f"{len(answers)} lines for {len(records)} requests")
    sent = read_lines(args.requests)
    for number, (line, text, record) in enumerate(zip(sent, answers, records), 1):
        comparison.line(number, line, text, record)
    report = json.dumps(comparison.report(args), indent=1, ensure_ascii=False)
    print(report)
    if args.report:
        args.report.parent.mkdir(parents=True, exist_ok=True)
        args.report.write_text(report + "\n", encoding="utf-8")
    sys.exit(1 if comparison.faults else 0)


if __name__ == "__main__":
    main()
