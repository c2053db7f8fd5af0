"""Answers of larger models as what a smaller one learns: written once for every training row, read by its run."""

import numpy as np
import torch

import batches

CHUNK = 100_000  # rows assembled at a time


@torch.no_grad()
def write(model, corpus, rows, budget, device, path):
    """Raw logits of the rows, flat over the options of the whole corpus; NaN where the model was not asked."""
    logits = np.full(len(corpus.target), np.nan, np.float16)
    for start in range(0, len(rows), CHUNK):
        part = rows[start : start + CHUNK]
        for which, number, batch in batches.evaluation(corpus, part, budget, device):
            z, _ = model(batch)
            shown = torch.arange(z.shape[1], device=device)[None] < batch["k"][:, None]
            flat = z[shown].cpu().numpy()
            logits[np.repeat(corpus.opt_off[which], corpus.k[which]) + number] = flat
    np.savez_compressed(path, logits=logits)


def softmax_flat(logits, first, k):
    """Softmax inside each row of a flat array."""
    e = np.exp(logits - np.repeat(np.maximum.reduceat(logits, first), k))
    return e / np.repeat(np.add.reduceat(e, first), k)


def blend(corpus, paths, weight, temperature):
    """Targets with `weight` on the mean answer of the teachers; rows that have no label of their own take it whole."""
    first = corpus.opt_off[:-1]
    mean = np.zeros(len(corpus.target), np.float32)
    for path in paths:
        logits = np.load(path)["logits"].astype(np.float32) / temperature
        mean += softmax_flat(logits, first, corpus.k) / len(paths)
    asked = ~np.isnan(np.maximum.reduceat(mean, first))
    mixed = np.array([name == "mixed" for name in corpus.groups])[corpus.group]
    share = np.repeat(np.where(mixed, 1.0, weight) * asked, corpus.k).astype(np.float32)
    return (1 - share) * corpus.target + share * np.nan_to_num(mean)
