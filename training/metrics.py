"""Predictions and their figures: accuracy, NLL, Brier, ECE with its noise floor, flips, coverage, AUROC, bootstrap."""

import dataclasses
import json
import math

import numpy as np

from rows import TYPES

BINS = 15
EPS = 1e-12


def bucket(kind, k):
    return f"{TYPES[kind]}:{'2' if k <= 2 else '3-5' if k <= 5 else '6-10' if k <= 10 else '11+'}"


@dataclasses.dataclass
class Predictions:
    rows: np.ndarray  # row numbers in the corpus
    logits: np.ndarray  # flat, stored option order
    k: np.ndarray
    answer: np.ndarray
    type: np.ndarray
    source: np.ndarray  # numbers into names
    names: list
    act: np.ndarray

    @classmethod
    def of(cls, corpus, rows, logits, act):
        first = corpus.opt_off[rows]
        answer = np.array(
            [int(np.argmax(corpus.target[a : a + k])) for a, k in zip(first, corpus.k[rows])]
        )
        return cls(
            rows,
            logits,
            corpus.k[rows],
            answer,
            corpus.type[rows],
            corpus.source[rows],
            corpus.names,
            act,
        )

    def save(self, path):
        np.savez_compressed(
            path,
            rows=self.rows.astype(np.int32),
            logits=self.logits.astype(np.float32),
            k=self.k.astype(np.int16),
            answer=self.answer.astype(np.int16),
            type=self.type.astype(np.int8),
            source=self.source.astype(np.int16),
            names=json.dumps(self.names),
            act=self.act.astype(np.float32),
        )

    @classmethod
    def load(cls, path):
        stored = np.load(path)
        return cls(
            **{
                f: (
                    json.loads(str(stored[f]))
                    if f == "names"
                    else stored[f].astype(np.float32 if f in ("logits", "act") else np.int64)
                )
                for f in stored.files
            }
        )

    def padded(self):
        width = int(self.k.max())
        seen = np.arange(width)[None] < self.k[:, None]
        z = np.full(seen.shape, -np.inf)
        z[seen] = self.logits
        return z

    def source_of(self):
        return np.array(self.names)[self.source]

    def buckets(self):
        return np.array([bucket(t, k) for t, k in zip(self.type, self.k)])


def softmax(z):
    e = np.exp(z - z.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def temperature_of(buckets, temperatures):
    return np.array([temperatures.get(b, temperatures.get(b.split(":")[0], 1.0)) for b in buckets])


def probabilities(predictions, temperatures):
    """[rows, widest k]; missing options have probability 0."""
    scale = (
        temperature_of(predictions.buckets(), temperatures)
        if temperatures
        else np.ones(len(predictions.k))
    )
    return softmax(predictions.padded() / scale[:, None])


def best_temperature(z, answer, weight=None):
    """By NLL over a grid inside [0.5, 5], the range that the decoder accepts."""
    grid = np.exp(np.linspace(math.log(0.5), math.log(5), 50))
    weight = np.ones(len(answer)) if weight is None else weight
    z = z[:, : int(np.isfinite(z).sum(1).max())]
    nll = [
        -(weight * np.log(np.maximum(softmax(z / t)[np.arange(len(answer)), answer], EPS))).sum()
        for t in grid
    ]
    return float(grid[int(np.argmin(nll))])


def fit_temperatures(predictions, weight=None, at_least=100):
    """One per question type, and one per bucket with enough rows."""
    z, buckets, out = predictions.padded(), predictions.buckets(), {}
    weight = np.ones(len(z)) if weight is None else weight
    kinds = np.array([b.split(":")[0] for b in buckets])
    for key, part in [(t, kinds == t) for t in TYPES] + [
        (b, buckets == b) for b in sorted(set(buckets))
    ]:
        if part.sum() >= at_least:
            out[key] = best_temperature(z[part], predictions.answer[part], weight[part])
    return out


def ece(confidence, hit):
    number = np.minimum(np.ceil(confidence * BINS).astype(int) - 1, BINS - 1)
    gaps = [abs(confidence[number == b].sum() - hit[number == b].sum()) for b in range(BINS)]
    return float(sum(gaps) / len(hit))


def noise_floor(p, seed=0, rounds=200):
    """ECE that perfectly calibrated answers of this many rows would show."""
    rng = np.random.default_rng(seed)
    confidence = p.max(-1)
    return float(
        np.mean([ece(confidence, rng.random(len(confidence)) < confidence) for _ in range(rounds)])
    )


def auroc(score, positive):
    order = np.argsort(score, kind="stable")
    rank = np.empty(len(score))
    rank[order] = np.arange(1, len(score) + 1)
    n = positive.sum()
    return float((rank[positive].sum() - n * (n + 1) / 2) / max(1, n * (len(score) - n)))


def figures(p, answer, kinds, act=None):
    at, hit = np.arange(len(answer)), p.argmax(-1) == answer
    order = np.argsort(-p.max(-1), kind="stable")
    risk = np.cumsum(~hit[order]) / np.arange(1, len(hit) + 1)
    levels = np.arange(p.shape[1])[None]
    out = {
        "n": int(len(answer)),
        "accuracy": hit.mean(),
        "nll": -np.log(np.maximum(p[at, answer], EPS)).mean(),
        "brier": ((p - (levels == answer[:, None])) ** 2).sum(-1).mean(),
        "ece": ece(p.max(-1), hit),
        "aurc": risk.mean(),
        "accuracy_at_80": 1 - risk[max(0, int(0.8 * len(hit)) - 1)],
    }
    scores = kinds == TYPES.index("score")
    if scores.any():
        out["score_mae"] = np.abs((p[scores] * levels).sum(-1) - answer[scores]).mean()
    if act is not None and 0 < hit.sum() < len(hit):
        out["act_auroc"], out["confidence_auroc"] = auroc(act, hit), auroc(p.max(-1), hit)
    return {k: v if k == "n" else round(float(v), 4) for k, v in out.items()}


def summary(predictions, temperatures):
    """Figures of all rows, of each type and of each source; `macro` is the mean of the source accuracies."""
    p, names = probabilities(predictions, temperatures), predictions.source_of()
    part = lambda keep: figures(
        p[keep], predictions.answer[keep], predictions.type[keep], predictions.act[keep]
    )
    out = {"all": part(np.ones(len(p), bool))}
    out["types"] = {
        t: part(predictions.type == i) for i, t in enumerate(TYPES) if (predictions.type == i).any()
    }
    out["sources"] = {s: part(names == s) for s in sorted(set(names))}
    out["all"]["macro"] = round(float(np.mean([f["accuracy"] for f in out["sources"].values()])), 4)
    return out


def flips(forward, backward):
    """Share of choice rows whose first choice changes when the options are reversed."""
    choice = forward.type == 0
    return round(
        float((forward.padded().argmax(-1) != backward.padded().argmax(-1))[choice].mean()), 4
    )


def both_sides(predictions):
    """Polarity pairs (rows 2i and 2i + 1): share with both sides right."""
    hit = np.empty(len(predictions.k), bool)
    hit[predictions.rows] = predictions.padded().argmax(-1) == predictions.answer
    return round(float((hit[0::2] & hit[1::2]).mean()), 4)


def paired_bootstrap(hits_a, hits_b, groups, rounds=2000, seed=0):
    """Difference of the mean group accuracies (b - a) over the same rows: (difference, 2.5 %, 97.5 %)."""
    rng, parts = np.random.default_rng(seed), [
        np.flatnonzero(groups == g) for g in sorted(set(groups))
    ]
    gain = hits_b.astype(float) - hits_a.astype(float)
    draws = np.zeros(rounds)
    for part in parts:
        draws += gain[part][rng.integers(len(part), size=(rounds, len(part)))].mean(-1) / len(parts)
    low, high = np.quantile(draws, [0.025, 0.975])
    return [round(float(v), 4) for v in (np.mean([gain[part].mean() for part in parts]), low, high)]
