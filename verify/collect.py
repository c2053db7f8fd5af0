#!/usr/bin/env python3
"""Makes one table of the reports of a nightly run: verify/collect.py WORK/reports PROGRAM

PROGRAM is the hash by which nightly.sh marks what passed. What the table lacks was not run or has failed.
"""

import json
import pathlib
import re
import subprocess
import sys


def passed(reports, program, kind):
    """Name without `kind` and log of each step of that kind that passed."""
    for mark in sorted(reports.glob(f"{kind}-*.passed-{program}")):
        yield mark.stem.removeprefix(f"{kind}-"), mark.with_suffix(".log").read_text()


def states(steps):
    """Largest distance over all layers, by instruction set and checkpoint."""
    table = {}
    for name, log in steps:
        checkpoint, isa = name.rsplit("-", 1)
        distances = re.findall(r"\d+:(\d\.\d+e[-+]\d+)", log)
        table.setdefault(isa, {})[checkpoint] = max(map(float, distances))
    return table


def bits(steps):
    """Answers compared, none of which differed, by instruction set and checkpoint."""
    table = {}
    for checkpoint, log in steps:
        for isa, count in re.findall(r"(\w+): (\d+) answers compared, 0 different", log):
            table.setdefault(isa, {})[checkpoint] = int(count)
    return table


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.splitlines()[0])
    reports, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    rows = [
        json.loads((reports / f"{checkpoint}.json").read_text())
        for checkpoint, _ in passed(reports, program, "laya")
    ]
    shared = {key: rows[0][key] for key in ("cpu", "threads", "versions", "limits")} if rows else {}
    commit = subprocess.run(["git", "-C", pathlib.Path(__file__).parent, "rev-parse", "--short", "HEAD"],
                            stdout=subprocess.PIPE, text=True, check=False).stdout.strip()
    columns = ("model", "questions", "answered", "refused_by_both", "published_identical", "largest_distance", "faults")
    table = {
        "commit": commit, **shared,
        "states": {
            "what": "largest max|a-b| / max|b| over all layers, 17 batches each",
            "limit": 2e-5,
            **states(passed(reports, program, "states")),
        },
        "bits": {
            "what": "answers compared (alone, together, reversed, shuffled, halves; 1 and 2 threads); different: none",
            **bits(passed(reports, program, "bits")),
        },
        "laya": [{key: row[key] for key in columns} for row in rows],
    }
    print(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
