"""Trains one decision model; writes its weights (FP16), its predictions on the test sets and a JSON record.

usage: train.py --corpus DIR --encoder DIR --out DIR [--rotation A|B|C] [options]
A run stopped half way continues from OUT/checkpoint.pt (written every --checkpoint-minutes)."""
import argparse
import json
import math
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file

import batches
import metrics
import model as modellib
import rows as rowlib
from corpus import Corpus


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--corpus", type=pathlib.Path, required=True)
    p.add_argument("--encoder", type=pathlib.Path, required=True)
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--rotation", default="")
    p.add_argument("--groups", default="", help="weight per group of rows, e.g. rows=1,self=0.5,negated=0 (default 1)")
    p.add_argument("--cap", type=int, default=6000, help="rows of one source and group in an epoch")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--budget", type=int, default=32768, help="padded tokens of a batch")
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--head-lr", type=float, default=5e-4)
    p.add_argument("--layer-decay", type=float, default=1.0, help="factor on the learning rate per layer going down")
    p.add_argument("--anchor", type=float, default=0.0, help="pull of the encoder towards its pretrained weights")
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--head-layers", type=int, default=1)
    p.add_argument("--warm-steps", type=int, default=0, help="first steps on self-labelled rows only")
    p.add_argument("--pairs", type=float, default=0.0, help="share of choice rows shown in two orders")
    p.add_argument("--order-weight", type=float, default=1.0, help="weight of the symmetric KL between two orders")
    p.add_argument("--ordinal", type=float, default=1.0)
    p.add_argument("--drop-option", type=float, default=0.15)
    p.add_argument("--smooth", type=float, default=0.0, help="label smoothing")
    p.add_argument("--teacher", type=pathlib.Path, default=None, help="npz of teacher probabilities for the training corpus")
    p.add_argument("--teacher-weight", type=float, default=0.5)
    p.add_argument("--score-unseen", action="store_true", help="score the unseen file; every use is logged by hand")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--wall", type=float, default=1e9, help="seconds after which the schedule ends early")
    p.add_argument("--checkpoint-minutes", type=float, default=8)
    p.add_argument("--keep-weights", action="store_true")
    return p.parse_args()


def group_weights(text):
    return {k: float(v) for k, v in (part.split("=") for part in text.split(",") if part)}


def loss_of(z, batch, ordinal, order_weight, smooth):
    """Cross-entropy, ranked probability for scores, and agreement between two orders of the same options."""
    k = batch["k"]
    seen = torch.arange(z.shape[1], device=z.device)[None] < k[:, None]
    log_p = torch.log_softmax(z, -1)
    target = batch["target"] * (1 - smooth) + smooth * seen / k[:, None]
    ce = -(target * log_p.masked_fill(~seen, 0)).sum(-1)
    gap = (log_p.exp() - batch["target"]).cumsum(-1)
    rps = (gap ** 2 * seen).sum(-1) / (k - 1).clamp(min=1)
    loss = (ce + ordinal * rps * (batch["type"] == 1)).mean()
    if order_weight:
        # by option number, so that the two orders can be compared; rows without a second order compare to nothing
        sorted_p = log_p.gather(1, batch["opts"].argsort(1)).masked_fill(~seen, 0)
        kl = ((sorted_p[1:].exp() - sorted_p[:-1].exp()) * (sorted_p[1:] - sorted_p[:-1])).sum(-1)
        loss = loss + order_weight * (kl * batch["second"][1:]).sum() / len(k)
    return loss


class Trainer:
    """BF16 weights with FP32 masters, AdamW, a linear schedule and an exponential average of the masters."""

    def __init__(self, model, args, device):
        self.model, self.args = model.to(device), args
        trained = [(n, p) for n, p in model.named_parameters() if not n.startswith("act_head.")]
        self.names, self.work = [n for n, _ in trained], [p for _, p in trained]
        self.master = [p.detach().float().clone() for p in self.work]
        self.start = [p.clone() for p in self.master]
        self.average = [p.clone() for p in self.master]
        self.step_number = 0
        model.to(torch.bfloat16 if device == "cuda" else torch.float32)
        groups = [dict(params=[m], lr=self.rate(n), base=self.rate(n), weight_decay=0.01 if m.ndim > 1 else 0.0)
                  for n, m in zip(self.names, self.master)]
        self.optimizer = torch.optim.AdamW(merge(groups), betas=(0.9, 0.98), fused=device == "cuda")
        for m in self.master:
            m.grad = torch.zeros_like(m)
        self.skipped = torch.zeros((), device=device)
        self.encoder_part = [i for i, n in enumerate(self.names) if n.startswith("encoder.")]

    def rate(self, name):
        if not name.startswith("encoder."):
            return self.args.head_lr
        layers = self.model.config["num_hidden_layers"]
        depth = int(name.split(".")[3]) + 1 if ".layer." in name else 0
        return self.args.lr * self.args.layer_decay ** (layers - depth)

    def step(self, batch, scale):
        z, _ = self.model(batch, self.args.dropout)
        loss = loss_of(z, batch, self.args.ordinal, self.args.order_weight if self.args.pairs else 0, self.args.smooth)
        loss.backward()
        with torch.no_grad():
            torch._foreach_copy_([m.grad for m in self.master], [w.grad for w in self.work])
        for w in self.work:
            w.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self.master, 1.0, foreach=True)
        bad = (~torch.isfinite(norm)).float()
        self.skipped += bad
        if norm.is_cuda:
            self.optimizer.found_inf = bad  # the fused kernel leaves the weights alone where this is 1
        for group in self.optimizer.param_groups:
            group["lr"] = group["base"] * scale
        self.optimizer.step()
        with torch.no_grad():
            if self.args.anchor:
                pick = lambda values: [values[i] for i in self.encoder_part]
                torch._foreach_lerp_(pick(self.master), pick(self.start), self.args.anchor * scale)
            torch._foreach_copy_(self.work, self.master)
            self.step_number += 1
            if self.step_number % 8 == 0:
                decay = min(0.995, (1 + self.step_number) / (10 + self.step_number))
                torch._foreach_lerp_(self.average, self.master, 1 - decay)
        return loss.detach().nan_to_num()

    def averaged_model(self):
        """The model in FP32 with the averaged weights, rounded to FP16 as they will be stored."""
        self.model.float()
        with torch.no_grad():
            for p, a in zip(self.work, self.average):
                p.copy_(a.half().float())
        return self.model.eval()

    def state(self):
        return {"master": self.master, "average": self.average, "step": self.step_number,
                "optimizer": self.optimizer.state_dict()}

    def load(self, state):
        with torch.no_grad():
            torch._foreach_copy_(self.master, state["master"])
            torch._foreach_copy_(self.average, state["average"])
            torch._foreach_copy_(self.work, self.master)
        self.optimizer.load_state_dict(state["optimizer"])
        self.step_number = state["step"]


def merge(groups):
    """One optimizer group per learning rate and decay."""
    merged = {}
    for g in groups:
        key = (g["base"], g["weight_decay"])
        merged.setdefault(key, {**g, "params": []})["params"] += g["params"]
    return list(merged.values())


def fit(trainer, corpus, allowed, args, device, log):
    """Runs the epochs; returns the loss of each."""
    weights, losses, begin, saved = group_weights(args.groups), [], time.time(), time.time()
    rng = np.random.default_rng(args.seed)
    epochs = [batches.sample_rows(corpus, allowed, weights, args.cap, rng) for _ in range(args.epochs)]
    own = np.array([name.startswith("self") for name in corpus.groups])[corpus.group]
    warm = rng.permutation(np.flatnonzero(allowed & own))
    mean = float(np.mean(batches.corpuslib.lengths(corpus, epochs[0], *batches.corpuslib.all_options(corpus, epochs[0]))[2])) + 60
    total = sum(len(e) for e in epochs) * mean * (1 + 0.5 * args.pairs) / args.budget + args.warm_steps
    log(f"rows an epoch {len(epochs[0])}, about {total:.0f} steps")
    plan = ([("warm", warm)] if args.warm_steps else []) + [(str(i + 1), e) for i, e in enumerate(epochs)]
    done, rows_done, rows_all = 0, 0, sum(len(e) for e in epochs)
    skip = trainer.step_number
    for name, rows in plan:
        loss_sum, count, pairs = torch.zeros((), device=device), 0, 0.0 if name == "warm" else args.pairs
        for fresh, batch in batches.training(corpus, rows, args.seed * 1000 + done, args.budget, args.drop_option, pairs, device):
            if name == "warm" and count >= args.warm_steps:
                break
            done, count = done + 1, count + 1
            rows_done += 0 if name == "warm" else fresh
            if done <= skip:
                continue
            progress = max(rows_done / rows_all, (time.time() - begin) / args.wall)
            rise = min(1.0, done / max(100, 0.04 * total))
            loss_sum += trainer.step(batch, rise * max(0.02, 1 - progress))
            if time.time() - saved > args.checkpoint_minutes * 60:
                saved = time.time()
                torch.save(trainer.state(), args.out / "checkpoint.pt")
            if progress >= 1:
                break
            if done % 500 == 0:
                log(f"step {done}, progress {progress:.3f}")
        losses.append(round((loss_sum / max(1, count)).item(), 4))
        log(f"part {name}: {done} steps, loss {losses[-1]:.4f}, skipped {int(trainer.skipped)}")
        if name != "warm" and progress >= 1:
            break
    return losses


@torch.no_grad()
def predict(model, corpus, rows, args, device, backwards=False):
    """Logits of the rows in stored option order, flat, and the action probability: arrays for metrics.Predictions."""
    k = corpus.k[rows]
    place = dict(zip(rows.tolist(), range(len(rows))))
    first, logits, act = np.cumsum(k) - k, np.zeros(k.sum(), np.float32), np.zeros(len(rows), np.float32)
    for which, number, batch in batches.evaluation(corpus, rows, args.budget, device, backwards):
        z, cls = model(batch)
        probability = torch.softmax(model.act(z, cls, batch["k"]), -1)[:, 0].cpu().numpy()
        z, at = z.cpu().numpy(), 0
        for j, row in enumerate(which):
            count, i = corpus.k[row], place[int(row)]
            logits[first[i] + number[at:at + count]] = z[j, :count]
            act[i] = probability[j]
            at += count
    return metrics.Predictions.of(corpus, rows, logits, act)


def train_action_head(model, corpus, rows, args, device, seed=0):
    """'The first choice is right', learned on rows that the rest of the model did not train on."""
    optimizer = torch.optim.AdamW(model.act_head.parameters(), lr=1e-3, weight_decay=0.01)
    for epoch in range(6):
        for _, batch in batches.training(corpus, rows, seed + epoch, args.budget // 2, 0.0, 0.0, device):
            with torch.no_grad():
                z, cls = model(batch)
            wrong = (z.argmax(-1) != batch["target"].argmax(-1)).long()
            loss = F.cross_entropy(model.act(z, cls, batch["k"]), wrong)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def main():
    args = arguments()
    begin, device = time.time(), "cuda" if torch.cuda.is_available() else "cpu"
    log = lambda text: print(f"{time.time() - begin:6.1f} {args.out.name} {text}", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    torch.backends.cuda.enable_cudnn_sdp(False)  # runs with it met non-finite gradients now and then
    torch.set_num_threads(4)
    corpus = Corpus.load(args.corpus / "train.npz")
    left = rowlib.left_out_sources(args.rotation)
    allowed = ~np.isin(corpus.source, [i for i, n in enumerate(corpus.names) if n in left])
    held = np.flatnonzero(allowed & corpus.held)
    held = np.random.default_rng(0).permutation(held)[:8000]
    trainer = Trainer(modellib.from_encoder(args.encoder, args.head_layers), args, device)
    if (args.out / "checkpoint.pt").exists():
        trainer.load(torch.load(args.out / "checkpoint.pt", map_location=device))
    trainer.model.train()
    losses = fit(trainer, corpus, allowed & ~corpus.held, args, device, log)
    seconds = time.time() - begin
    model = trainer.averaged_model()
    if args.keep_weights:
        train_action_head(model, corpus, held, args, device)
    model.half().float()

    out = {"held": predict(model, corpus, held, args, device)}
    names = ["dev", "polarity"] + ([f"rotation_{args.rotation}"] if args.rotation else []) + (["unseen"] if args.score_unseen else [])
    for name in names:
        test = Corpus.load(args.corpus / f"{name}.npz")
        every = np.arange(len(test))
        if name == "dev" and left:
            every = np.flatnonzero(~np.isin(test.source, [i for i, n in enumerate(test.names) if n in left]))
        out[name] = predict(model, test, every, args, device)
        if name == "dev":
            out["dev_reversed"] = predict(model, test, every, args, device, backwards=True)
    for name, predictions in out.items():
        predictions.save(args.out / f"{name}.npz")
    temperatures = metrics.fit_temperatures(out["held"])
    summary = {name: metrics.summary(p, temperatures) for name, p in out.items() if name != "dev_reversed"}
    summary["flips_reversed"] = metrics.flips(out["dev"], out["dev_reversed"])
    summary["polarity_pairs"] = metrics.both_sides(out["polarity"])
    record = {"flags": {k: str(v) for k, v in vars(args).items()}, "prepared": json.loads((args.corpus / "prepare.json").read_text()),
              "losses": losses, "skipped_steps": int(trainer.skipped), "steps": trainer.step_number, "train_seconds": seconds, "seconds": time.time() - begin,
              "torch": torch.__version__, "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
              "temperatures": temperatures, "summary": summary}
    (args.out / "record.json").write_text(json.dumps(record, indent=1))
    if args.keep_weights:
        save_file({k: v.half().contiguous() for k, v in model.state_dict().items()}, args.out / "weights.safetensors")
    brief = {name: {k: s["all"][k] for k in ("macro", "accuracy", "ece")} for name, s in summary.items() if isinstance(s, dict)}
    log(json.dumps({**brief, "flips": summary["flips_reversed"], "polarity": summary["polarity_pairs"]}))


if __name__ == "__main__":
    main()
