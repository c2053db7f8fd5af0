"""Predictions of a model on corpora, and the action head that is trained on rows kept out of training."""

import numpy as np
import torch
import torch.nn.functional as F

import batches
import metrics
from corpus import Corpus


@torch.no_grad()
def predict(model, corpus, rows, args, device, backwards=False):
    """Logits of the rows in stored option order, flat, and the action probability: arrays for metrics.Predictions."""
    k = corpus.k[rows]
    place = dict(zip(rows.tolist(), range(len(rows))))
    first, logits, act = (
        np.cumsum(k) - k,
        np.zeros(k.sum(), np.float32),
        np.zeros(len(rows), np.float32),
    )
    for which, number, batch in batches.evaluation(corpus, rows, args.budget, device, backwards):
        z, cls = model(batch)
        probability = torch.softmax(model.act(z, cls, batch["k"]), -1)[:, 0].cpu().numpy()
        z, at = z.cpu().numpy(), 0
        for j, row in enumerate(which):
            count, i = corpus.k[row], place[int(row)]
            logits[first[i] + number[at : at + count]] = z[j, :count]
            act[i] = probability[j]
            at += count
    return metrics.Predictions.of(corpus, rows, logits, act)


def train_action_head(model, corpus, rows, args, device, seed=0):
    """'The first choice is right', learned on rows that the rest of the model did not train on."""
    optimizer = torch.optim.AdamW(model.act_head.parameters(), lr=1e-3, weight_decay=0.01)
    for epoch in range(6):
        for _, batch in batches.training(
            corpus, rows, seed + epoch, args.budget // 2, 0.0, 0.0, device
        ):
            with torch.no_grad():
                z, cls = model(batch)
            wrong = (z.argmax(-1) != batch["target"].argmax(-1)).long()
            loss = F.cross_entropy(model.act(z, cls, batch["k"]), wrong)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def score_sets(model, names, held, left, args, device):
    """Predictions by name: held-out rows, then each test corpus (dev without the kinds left out, in both orders)."""
    corpus, rows = held
    out = {"held": predict(model, corpus, rows, args, device)}
    for name in names:
        test = Corpus.load(args.corpus / f"{name}.npz")
        every = np.arange(len(test))
        if name == "dev":
            every = np.flatnonzero(~np.isin(np.array(test.names)[test.source], sorted(left)))
            out["dev_reversed"] = predict(model, test, every, args, device, backwards=True)
        out[name] = predict(model, test, every, args, device)
    return out
