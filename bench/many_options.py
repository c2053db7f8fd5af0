#!/usr/bin/env python3
"""Accuracy on choices of 40 to 77 options with descriptions: each --options mode, and a second round.

    bench/many_options.py [build/dikast] [--rows 600] [--seed 1] [--modes fit group refuse] > many-options.json

The texts are development rows of two sets of intents; labels and descriptions are taken from the training
rows of the same sets, so the model has met them, but hardly ever more than twenty at a time. `rounds`: the
options that a first answer ranks highest (of all, or of each group) meet once more, alone.
"""
import argparse
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys

from startup import ROOT, commit, cpu_name

sys.path.insert(0, str(ROOT / "training"))
import rows as training_rows

SOURCES = ("clinc150", "hwu64")
FORM = re.compile(
    r"(the user wants to|user wants to|asks to|request to|the speaker would like to|wish to|"
    r"when somebody wants to) (.+)"
)


def plain(name):
    """tellJoke, tell-joke, Tell Joke: one label."""
    return " ".join(re.findall(r"[a-z0-9]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", name).lower()))


def label_tables(train):
    """source -> label -> description that follows "the user wants to"; from rows that spell both."""
    tables = {source: {} for source in SOURCES}
    for row in train:
        question = row["question"]
        if row["source"] not in tables or question["type"] != "choice":
            continue
        for name, text in question["criteria"].items():
            wish = FORM.fullmatch(text or "")
            if wish and len(plain(name)) > 3 and not re.fullmatch(r"[a-z]*\s?\d+", plain(name)):
                tables[row["source"]].setdefault(plain(name), wish[2])
    return tables


def label_of(row, table):
    """The label that is right for a development row, if its name or its description tells."""
    question = row["question"]
    if row["source"] not in SOURCES or question["type"] != "choice":
        return None
    if plain(row["answer"]) in table:
        return plain(row["answer"])
    wish = FORM.fullmatch(question["criteria"][row["answer"]] or "")
    found = [label for label, text in table.items() if wish and text == wish[2]]
    return found[0] if len(found) == 1 else None


def make_cases(count, seed):
    dice, tables = random.Random(seed), label_tables(training_rows.read_split("train"))
    told = [(row, label_of(row, tables.get(row["source"], {}))) for row in training_rows.read_split("dev")]
    told = [(row, label) for row, label in told if label]
    cases = []
    for row, label in dice.sample(told, min(count, len(told))):
        others = sorted(set(tables[row["source"]]) - {label})
        names = [label, *dice.sample(others, min(len(others), dice.randint(39, 76)))]
        dice.shuffle(names)
        criteria = {name: "the user wants to " + tables[row["source"]][name] for name in names}
        cases.append({"source": row["source"], "state": row["state"], "right": label, "criteria": criteria})
    return cases


def ask(program, cases, mode):
    """The x_details of each case; None where it was refused."""
    lines = [
        json.dumps({"state": case["state"], "questions": {"q": {
            "type": "choice", "instructions": "What does the user want?", "criteria": case["criteria"]}}})
        for case in cases
    ]
    done = subprocess.run(
        [program, "decide", "--ndjson", "--details", "--quiet", "--options", mode, "--threads", "1"],
        input="\n".join(lines), stdout=subprocess.PIPE, text=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(cases):
        sys.exit(f"{program} answered {len(answers)} of {len(cases)} lines")
    return [answer["x_details"]["q"] if "x_details" in answer else None for answer in answers]


def ranked(detail):
    return [name for _, name in sorted(zip(detail["probabilities"], detail["options"]),
                                       key=lambda pair: -pair[0])]


def group_winners(detail):
    groups = [s["options"] for s in detail.get("sequences", [{"options": range(len(detail["options"]))}])]
    return {detail["options"][max(group, key=lambda o: detail["logits"][o])] for group in groups}


def second_round(program, cases, details, choose):
    again = []
    for case, detail in zip(cases, details):
        kept = choose(detail)
        again.append({**case, "criteria": {n: t for n, t in case["criteria"].items() if n in kept}})
    return ask(program, again, "fit")


def wilson(hits, n, z=1.96):
    p = hits / n
    middle, half = p + z * z / 2 / n, z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    return [round((middle + side * half) / (1 + z * z / n), 4) for side in (-1, 1)]


def figures(cases, details, reference=None):
    """`reference`: answers to the same cases; gained and lost count the rows on which only one is right."""
    answered = [(case, detail) for case, detail in zip(cases, details) if detail]
    hit = [bool(d) and ranked(d)[0] == c["right"] for c, d in zip(cases, details)]
    record = {"refused": len(cases) - len(answered), "right": sum(hit),
              "accuracy": round(sum(hit) / len(cases), 4), "accuracy_95": wilson(sum(hit), len(cases))}
    if answered:
        record["groups_mean"] = round(sum(d["cuts"]["groups"] for _, d in answered) / len(answered), 2)
        record["options_cut_mean"] = round(
            sum(len(d["cuts"]["options"]) for _, d in answered) / len(answered), 1)
        record["tokens_mean"] = round(sum(d["tokens"] for _, d in answered) / len(answered))
    if reference:
        before = [bool(d) and ranked(d)[0] == c["right"] for c, d in zip(cases, reference)]
        record["gained"] = sum(now and not then for now, then in zip(hit, before))
        record["lost"] = sum(then and not now for now, then in zip(hit, before))
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/dikast"))
    parser.add_argument("--rows", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--modes", nargs="+", default=["fit", "group", "refuse"])
    arguments = parser.parse_args()
    info = json.loads(subprocess.check_output([arguments.program, "info", "--json"]))
    cases = make_cases(arguments.rows, arguments.seed)
    first = {mode: ask(arguments.program, cases, mode) for mode in arguments.modes}
    record = {
        "commit": commit(), "command": "bench/many_options.py " + " ".join(sys.argv[1:]),
        "what": "choices of 40 to 77 options with descriptions", "cpu": cpu_name(),
        "cores": os.cpu_count(), "isa": info["isa"], "model": info["model"],
        "weights_bytes": info["file_bytes"], "seed": arguments.seed, "rows": len(cases),
        "options_mean": round(sum(len(case["criteria"]) for case in cases) / len(cases), 1),
        "modes": {mode: figures(cases, details) for mode, details in first.items()},
        "rounds": {},
    }
    for mode in sorted({"fit", "group"} & set(arguments.modes)):
        tries = {f"{mode}, winners of the groups": group_winners}
        for most in (5, 10):
            tries[f"{mode}, first {most}"] = lambda detail, most=most: set(ranked(detail)[:most])
        for name, choose in tries.items():
            again = second_round(arguments.program, cases, first[mode], choose)
            record["rounds"][name] = figures(cases, again, first[mode])
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
