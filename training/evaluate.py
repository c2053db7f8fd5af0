"""Figures of one run, or a paired comparison of two runs on the same rows.

usage: evaluate.py DIR [--calibration FILE] [--against DIR] [--set dev]
DIR: the output of train.py. `--against`: mean of the source accuracies of DIR minus the other's, bootstrap interval, for
each set that both have with the same rows.
"""

import argparse
import json
import pathlib

import numpy as np

import metrics

COLUMNS = ("n", "accuracy", "nll", "brier", "ece", "aurc", "accuracy_at_80")


def line(name, figures):
    return f"{name:24s}" + " ".join(
        f"{figures[c]:9.4f}" if c != "n" else f"{figures[c]:7d}" for c in COLUMNS
    )


def table(name, predictions, temperatures, sources):
    found = metrics.summary(predictions, temperatures)
    floor = metrics.noise_floor(metrics.probabilities(predictions, temperatures))
    print(
        f"\n{name}: mean of the source accuracies {found['all']['macro']:.4f}, ECE noise floor {floor:.4f}"
    )
    print(f"{'':24s}{'n':>7s} " + " ".join(f"{c:>9s}" for c in COLUMNS[1:]))
    print(line("all", found["all"]))
    for kind, figures in found["types"].items():
        print(line("  " + kind, figures))
    for source, figures in found["sources"].items() if sources else ():
        print(line("    " + source, figures))
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--calibration", type=pathlib.Path)
    parser.add_argument("--against", type=pathlib.Path)
    parser.add_argument("--set", default="")
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    args = parser.parse_args()
    load = lambda folder, name: metrics.Predictions.load(folder / f"{name}.npz")
    names = (
        [args.set]
        if args.set
        else [p.stem for p in sorted(args.run.glob("*.npz")) if p.stem != "dev_reversed"]
    )
    if args.calibration:
        temperatures = json.loads(args.calibration.read_text())["temperatures"]
    else:
        temperatures = metrics.fit_temperatures(load(args.run, "held"))
    out = {name: table(name, load(args.run, name), temperatures, args.sources) for name in names}
    if "dev" in names and (args.run / "dev_reversed.npz").exists():
        out["flips_reversed"] = metrics.flips(load(args.run, "dev"), load(args.run, "dev_reversed"))
        print("first choice changes on reversal:", out["flips_reversed"])
    if "polarity" in names:
        out["polarity_pairs"] = metrics.both_sides(load(args.run, "polarity"))
        print("polarity pairs with both sides right:", out["polarity_pairs"])
    for name in names if args.against else ():
        if not (args.against / f"{name}.npz").exists():
            continue
        mine, other = load(args.run, name), load(args.against, name)
        if not np.array_equal(mine.rows, other.rows) or not np.array_equal(
            mine.answer, other.answer
        ):
            print(name, "has other rows there: not compared")
            continue
        hit = lambda p: p.padded().argmax(-1) == p.answer
        out[f"{name}_gain"] = metrics.paired_bootstrap(hit(other), hit(mine), mine.source_of())
        print(name, "gain of the mean source accuracy, 95% interval:", out[f"{name}_gain"])
    if args.json:
        args.json.write_text(json.dumps(out, indent=1))


if __name__ == "__main__":
    main()
