"""Fits the temperatures of a model so that its confidence is honest on kinds that it never saw.

usage: calibrate.py --rotations DIR DIR DIR --final DIR --out FILE
How much flatter answers must be on new kinds is read off the rotations (runs of the same recipe with kinds left
out), as a factor on the temperature that fits held-out rows of known kinds; the model's own held-out temperature
times that factor is what it gets. Each rotation is scored with the factor of the others, never with its own rows.
The share of new kinds in the fit is the largest that known kinds can afford: an ECE of at most 0.02 on the rows of the
final model that were kept out of training (those that its own temperatures are fitted on). DIR: output of train.py.
"""

import argparse
import json
import pathlib

import numpy as np

import metrics

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
KNOWN_LIMIT = 0.02
MOST_ROWS = 6000  # of one bucket in a fit


def mixed_fit(new_kinds, known, share, at_least=100):
    """Temperatures by NLL over two pools of predictions, with `share` of the weight on the new kinds."""
    pools = [
        (p, s / len(p.k))
        for group, s in ((new_kinds, share), (known, 1 - share))
        for p in group
        if s
    ]
    buckets = np.concatenate([p.buckets() for p, _ in pools])
    weight = np.concatenate([np.full(len(p.k), w) for p, w in pools])
    answer = np.concatenate([p.answer for p, _ in pools])
    width = max(int(p.k.max()) for p, _ in pools)
    z = np.concatenate(
        [
            np.pad(p.padded(), ((0, 0), (0, width - p.padded().shape[1])), constant_values=-np.inf)
            for p, _ in pools
        ]
    )
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


def factors(runs, share):
    """Per bucket: temperature for a mix of new and known kinds over the one for known kinds."""
    known = [run["held"] for run in runs]
    mixed, plain = mixed_fit([run["left_out"] for run in runs], known, share), mixed_fit(
        [], known, 0.0
    )
    return {key: mixed[key] / plain[key] for key in mixed if key in plain}


def flattened(held, factor):
    """The temperatures of a model: its own on known kinds times the factor, inside what the decoder accepts."""
    own = metrics.fit_temperatures(held)
    return {
        str(key): round(
            min(5.0, max(0.5, t * factor.get(key, factor.get(key.split(":")[0], 1.0)))), 4
        )
        for key, t in own.items()
    }


def trial(runs, share):
    """(ECE on kinds left out, ECE on dev rows of known kinds), each run with the factor of the other two."""
    fits = [
        flattened(run["held"], factors([o for o in runs if o is not run], share)) for run in runs
    ]
    return (
        pooled_ece([(run["left_out"], t) for run, t in zip(runs, fits)]),
        pooled_ece([(run["dev"], t) for run, t in zip(runs, fits)]),
    )


def load_rotation(folder):
    left_out = next(folder.glob("rotation_*.npz"))
    load = metrics.Predictions.load
    return {
        "left_out": load(left_out),
        "held": load(folder / "held.npz"),
        "dev": load(folder / "dev.npz"),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rotations", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--final", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    runs = [load_rotation(folder) for folder in args.rotations]
    held, dev = (metrics.Predictions.load(args.final / f"{n}.npz") for n in ("held", "dev"))
    table, fits = {}, {}
    for share in SHARES:
        fits[share] = flattened(held, factors(runs, share))
        eces = (*trial(runs, share), pooled_ece([(held, fits[share])]))
        table[share] = dict(zip(("left_out", "rotations_dev", "held"), (round(e, 4) for e in eces)))
        print(f"share of new kinds {share:.1f}: ECE {table[share]}", flush=True)
    share = max((s for s in SHARES if table[s]["held"] <= KNOWN_LIMIT), default=0.0)
    record = {"share_of_new_kinds": share, "temperatures": fits[share], "ece": table}
    args.out.write_text(json.dumps(record, indent=1))
    print("chosen share", share, fits[share])
    for name, fit in (("known kinds", fits[0.0]), ("chosen", fits[share])):
        print(
            f"ECE on dev of the final model, temperatures of {name}: {pooled_ece([(dev, fit)]):.4f}"
        )


if __name__ == "__main__":
    main()
