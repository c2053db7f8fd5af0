"""Fits the temperatures of a model from rows of kinds that models of its recipe never saw, and its own held-out rows.

usage: calibrate.py --rotations DIR DIR DIR --final DIR --out FILE
Each rotation's left-out rows are scored with temperatures from the other two (and its own held-out rows), never
from themselves; the share of new kinds in the fit is the one with the lowest ECE there whose ECE on the dev rows
of those runs stays at 0.02 or less. DIR: the output of train.py."""
import argparse
import json
import pathlib

import numpy as np

import metrics

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
DEV_LIMIT = 0.02
MOST_ROWS = 6000  # of one bucket in a fit


def mixed_fit(new_kinds, known, share, at_least=100):
    """Temperatures by NLL over two pools of predictions, with `share` of the weight on the new kinds."""
    pools = [(p, s / len(p.k)) for group, s in ((new_kinds, share), (known, 1 - share)) for p in group if s]
    buckets = np.concatenate([p.buckets() for p, _ in pools])
    weight = np.concatenate([np.full(len(p.k), w) for p, w in pools])
    answer = np.concatenate([p.answer for p, _ in pools])
    width = max(int(p.k.max()) for p, _ in pools)
    z = np.concatenate([np.pad(p.padded(), ((0, 0), (0, width - p.padded().shape[1])), constant_values=-np.inf) for p, _ in pools])
    kinds, out = np.array([b.split(":")[0] for b in buckets]), {}
    for key in [*metrics.TYPES, *sorted(set(buckets))]:
        part = np.flatnonzero((buckets == key) if ":" in key else (kinds == key))
        part = np.random.default_rng(0).permutation(part)[:MOST_ROWS]
        if len(part) >= at_least:
            out[str(key)] = round(metrics.best_temperature(z[part], answer[part], weight[part]), 4)
    return out


def pooled_ece(parts):
    """parts: (predictions, temperatures) pairs, all rows as one pool."""
    confidence, hit = [], []
    for predictions, temperatures in parts:
        p = metrics.probabilities(predictions, temperatures)
        confidence.append(p.max(-1))
        hit.append(p.argmax(-1) == predictions.answer)
    return metrics.ece(np.concatenate(confidence), np.concatenate(hit))


def trial(runs, share):
    """(ECE on kinds left out, ECE on dev rows of known kinds) with temperatures fitted without the scored rotation."""
    fits = [mixed_fit([o["left_out"] for o in runs if o is not run], [run["held"]], share) for run in runs]
    return (pooled_ece([(run["left_out"], t) for run, t in zip(runs, fits)]),
            pooled_ece([(run["dev"], t) for run, t in zip(runs, fits)]))


def load_rotation(folder):
    left_out = next(folder.glob("rotation_*.npz"))
    load = metrics.Predictions.load
    return {"left_out": load(left_out), "held": load(folder / "held.npz"), "dev": load(folder / "dev.npz")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rotations", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--final", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    runs = [load_rotation(folder) for folder in args.rotations]
    table = {share: trial(runs, share) for share in SHARES}
    for share, (new, dev) in table.items():
        print(f"share of new kinds {share:.1f}: ECE left out {new:.4f}, dev {dev:.4f}")
    fitting = [s for s in SHARES if table[s][1] <= DEV_LIMIT] or [0.0]
    share = min(fitting, key=lambda s: table[s][0])
    temperatures = mixed_fit([run["left_out"] for run in runs], [metrics.Predictions.load(args.final / "held.npz")], share)
    record = {"share_of_new_kinds": share, "temperatures": temperatures,
              "table": {str(s): {"left_out_ece": round(a, 4), "dev_ece": round(b, 4)} for s, (a, b) in table.items()}}
    args.out.write_text(json.dumps(record, indent=1))
    print("chosen share", share, temperatures)


if __name__ == "__main__":
    main()
