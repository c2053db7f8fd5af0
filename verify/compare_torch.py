#!/usr/bin/env python3
"""Compares dikast's logits with recorded ones of the PyTorch model that a checkpoint was exported from.

    verify/compare_torch.py build/dikast --model FOLDER --recorded FILE [--limit 1e-4] [--report FILE]

FILE has one JSON object a line: {"request": {...}, "logits": [...]}, a request of one question and its
logits by option as listed. Texts are cut as in the reference, as in training. Exit status 0 when every line
is answered and no logit is further away than the limit.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys


def dikast_logits(program, model, requests):
    """The logits of each request, or the message of its error."""
    command = [program, "decide", "--ndjson", "--reference", "--details", "--quiet"]
    command += ["--calibration", "none", "--model", model]
    done = subprocess.run(command, input="\n".join(map(json.dumps, requests)), stdout=subprocess.PIPE,
                          text=True, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode not in (0, 1) or len(answers) != len(requests):  # 1: some lines were refused
        sys.exit(f"{program} ended with {done.returncode} after {len(answers)} of {len(requests)} lines")
    return [
        answer["error"]["message"] if "error" in answer
        else next(iter(answer["x_details"].values()))["logits"]
        for answer in answers
    ]


def compare(recorded, found):
    """Distances of each line that can be compared, and what is wrong with the others."""
    distances, faults, other_choices = [], [], 0
    for number, (line, ours) in enumerate(zip(recorded, found), 1):
        theirs = line["logits"]
        if isinstance(ours, str):
            faults.append(f"line {number}: refused: {ours}")
        elif len(ours) != len(theirs):
            faults.append(f"line {number}: {len(ours)} logits, {len(theirs)} were recorded")
        else:
            distances.append([abs(a - b) for a, b in zip(ours, theirs)])
            other_choices += ours.index(max(ours)) != theirs.index(max(theirs))
    return distances, faults, other_choices


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--model", required=True)
    parser.add_argument("--recorded", required=True)
    parser.add_argument("--limit", type=float, default=1e-4)
    parser.add_argument("--report")
    args = parser.parse_args()
    text = pathlib.Path(args.recorded).read_text(encoding="utf-8")
    recorded = [json.loads(line) for line in text.splitlines() if line.strip()]
    if not recorded:
        sys.exit(f"{args.recorded} has no lines")
    found = dikast_logits(args.program, args.model, [line["request"] for line in recorded])
    distances, faults, other_choices = compare(recorded, found)
    each = [distance for row in distances for distance in row]
    report = {
        "what": "logits of dikast against recorded ones of the PyTorch model",
        "recorded_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "weights_sha256": hashlib.sha256(
            (pathlib.Path(args.model) / "model.safetensors").read_bytes()).hexdigest(),
        "lines": len(recorded), "compared": len(distances), "logits": len(each), "limit": args.limit,
        "largest": max(each, default=None), "mean": sum(each) / len(each) if each else None,
        "lines_over_limit": sum(max(row) > args.limit for row in distances),
        "other_first_choices": other_choices, "faults": faults[:20], "fault_count": len(faults),
    }
    print(json.dumps(report, indent=1))
    if args.report:
        pathlib.Path(args.report).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    sys.exit(1 if faults or report["lines_over_limit"] else 0)


if __name__ == "__main__":
    main()
