"""Trains one decision model; writes its weights (FP16), its predictions on the test sets and a JSON record.

usage: train.py --corpus DIR --encoder DIR --out DIR [--rotation A|B|C] [options]
A run stopped half way continues from OUT/checkpoint.pt (written every --checkpoint-minutes)."""

import argparse
import json
import pathlib
import time

import numpy as np
import torch
from safetensors.torch import save_file

import batches
import metrics
import model as modellib
import rows as rowlib
import scoring
import teacher
from corpus import Corpus
from trainer import Trainer

MOST_HELD_ROWS = 8000
# groups of rows that a teacher answers; the others repeat these in other words
TAUGHT = {"rows", "mixed", "negated", "none", "self_closest", "self_word", "self_rest"}
WARM_SHARE, LEAST_WARM_STEPS, LAST_RATE = 0.04, 100, 0.02  # of the learning-rate schedule


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--corpus", type=pathlib.Path, required=True)
    p.add_argument("--encoder", type=pathlib.Path, required=True)
    p.add_argument("--out", type=pathlib.Path, required=True)
    p.add_argument("--rotation", default="")
    p.add_argument(
        "--groups",
        default="",
        help="weight per group of rows, e.g. rows=1,self=0.5,negated=0 (default 1)",
    )
    p.add_argument("--cap", type=int, default=6000, help="rows of one source and group in an epoch")
    p.add_argument("--caps", default="", help="other caps by source, e.g. workflows=60000")
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--budget", type=int, default=32768, help="padded tokens of a batch")
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--head-lr", type=float, default=5e-4)
    p.add_argument(
        "--layer-decay",
        type=float,
        default=1.0,
        help="factor on the learning rate per layer going down",
    )
    p.add_argument(
        "--anchor",
        type=float,
        default=0.0,
        help="pull of the encoder towards its pretrained weights",
    )
    p.add_argument("--dropout", type=float, default=0.1)
    p.add_argument("--head-layers", type=int, default=1)
    p.add_argument(
        "--layers", default="", help="numbers of the encoder's layers to take, e.g. 0,1,2 (all)"
    )
    p.add_argument(
        "--bits",
        type=int,
        default=0,
        choices=(0, 4, 8),
        help="train with the matrices rounded to the stored form of so many bits",
    )
    p.add_argument(
        "--warm-steps", type=int, default=0, help="first steps on self-labelled rows only"
    )
    p.add_argument(
        "--pairs",
        type=float,
        default=0.0,
        help="share of choice rows shown in two orders; above 0, negations come with their statements",
    )
    p.add_argument(
        "--order-weight",
        type=float,
        default=1.0,
        help="weight of the symmetric KL between two orders, or a statement and its negation",
    )
    p.add_argument("--ordinal", type=float, default=1.0)
    p.add_argument("--drop-option", type=float, default=0.15)
    p.add_argument("--smooth", type=float, default=0.0, help="label smoothing")
    p.add_argument("--teacher", type=pathlib.Path, nargs="*", default=[], help="files of --teach")
    p.add_argument("--teacher-weight", type=float, default=0.6)
    p.add_argument("--teacher-temperature", type=float, default=1.5)
    p.add_argument(
        "--teach", action="store_true", help="write this model's answers on every row it may see"
    )
    p.add_argument(
        "--interpolate",
        default="",
        help="also score encoders between the start and the trained one, e.g. 0.7,0.85",
    )
    p.add_argument(
        "--score-unseen",
        action="store_true",
        help="score the unseen file; every use is logged by hand",
    )
    p.add_argument("--seed", type=int, default=1)
    p.add_argument(
        "--wall", type=float, default=1e9, help="seconds after which the schedule ends early"
    )
    p.add_argument("--compile", action="store_true", help="fuse the layers' small operations (GPU)")
    p.add_argument("--checkpoint-minutes", type=float, default=8)
    p.add_argument("--keep-weights", action="store_true")
    return p.parse_args()


def numbers_by_name(text):
    return {k: float(v) for k, v in (part.split("=") for part in text.split(",") if part)}


def group_weights(args):
    """Weights of the groups of rows; questions without labels count only where a teacher answers them."""
    return {"mixed": 1.0 if args.teacher else 0.0} | numbers_by_name(args.groups)


class Schedule:
    """How far a run is: by rows, or by the wall clock where that is ahead."""

    def __init__(self, rows, steps, wall):
        self.rows, self.wall, self.begin, self.seen = rows, wall, time.time(), 0
        self.rise = max(LEAST_WARM_STEPS, WARM_SHARE * steps)

    def progress(self):
        return max(self.seen / self.rows, (time.time() - self.begin) / self.wall)

    def scale(self, step):
        return min(1.0, step / self.rise) * max(LAST_RATE, 1 - self.progress())


def parts_of_run(corpus, allowed, args):
    """[(name, rows, share of pairs, most steps)]: first steps on self-labelled rows, then the epochs."""
    rng, weights = np.random.default_rng(args.seed), group_weights(args)
    caps = numbers_by_name(args.caps)
    epochs = [
        batches.sample_rows(corpus, allowed, weights, args.cap, caps, rng)
        for _ in range(args.epochs)
    ]
    own = np.array([name.startswith("self") for name in corpus.groups])[corpus.group]
    warm = rng.permutation(np.flatnonzero(allowed & own))
    first = [("warm", warm, 0.0, args.warm_steps)] if args.warm_steps and len(warm) else []
    return first + [(f"epoch {i + 1}", rows, args.pairs, 1 << 60) for i, rows in enumerate(epochs)]


def fit(trainer, corpus, allowed, args, device, log):
    """Runs the parts; returns the loss of each. Steps that a checkpoint already holds are passed over."""
    parts, losses, done, skip, saved = (
        parts_of_run(corpus, allowed, args),
        [],
        0,
        trainer.step_number,
        time.time(),
    )
    rows = sum(len(part[1]) for part in parts if part[0] != "warm")
    schedule = Schedule(
        rows, rows * batches.mean_length(corpus, parts[-1][1]) / args.budget, args.wall
    )
    log(f"rows {rows} in {args.epochs} epochs")
    for name, chosen, pairs, most in parts:
        loss, begun = torch.zeros((), device=device), done
        stream = batches.training(
            corpus, chosen, args.seed * 1000 + done, args.budget, args.drop_option, pairs, device
        )
        for fresh, batch in stream:
            if done - begun == most or schedule.progress() >= 1:
                break
            done += 1
            schedule.seen += fresh if name != "warm" else 0
            if done <= skip:
                continue
            loss += trainer.step(batch, schedule.scale(done))
            if time.time() - saved > args.checkpoint_minutes * 60:
                saved = time.time()
                torch.save(trainer.state(), args.out / "checkpoint.pt")
        losses.append(round((loss / max(1, done - begun)).item(), 4))
        log(f"{name}: {done} steps, loss {losses[-1]:.4f}, skipped {int(trainer.skipped)}")
        if schedule.progress() >= 1:
            break
    return losses


def summaries(out, temperatures):
    found = {
        name: metrics.summary(p, temperatures) for name, p in out.items() if name != "dev_reversed"
    }
    found["flips_reversed"] = metrics.flips(out["dev"], out["dev_reversed"])
    found["polarity_pairs"] = metrics.both_sides(out["polarity"])
    return found


def brief(found):
    parts = {
        n: {k: s["all"][k] for k in ("macro", "accuracy", "ece")}
        for n, s in found.items()
        if isinstance(s, dict)
    }
    return json.dumps(
        {**parts, "flips": found["flips_reversed"], "polarity": found["polarity_pairs"]}
    )


def score_between(trainer, names, held, left, args, device, log):
    """Figures of models whose encoder lies between the pretrained and the trained one."""
    names = [name for name in names if name != "unseen"]
    for share in (float(v) for v in args.interpolate.split(",")):
        model = trainer.averaged_model(share)
        out = scoring.score_sets(model, names, held, left, args, device)
        folder = args.out / f"between-{share}"
        folder.mkdir(exist_ok=True)
        for name, predictions in out.items():
            predictions.save(folder / f"{name}.npz")
        log(f"between {share} " + brief(summaries(out, metrics.fit_temperatures(out["held"]))))


def teach(trainer, corpus, allowed, args, device, log):
    """Writes this model's answers on the rows of training for `--teacher` of another run."""
    kept = np.array([g in TAUGHT for g in corpus.groups])[corpus.group]
    rows = np.flatnonzero(allowed & ~corpus.held & kept)
    model = trainer.averaged_model().to(torch.bfloat16 if device == "cuda" else torch.float32)
    teacher.write(model, corpus, rows, 4 * args.budget, device, args.out / "teacher.npz")
    log(f"answered {len(rows)} rows")


def write_record(args, trainer, device, **more):
    record = {
        "flags": {k: str(v) for k, v in vars(args).items()},
        "prepared": json.loads((args.corpus / "prepare.json").read_text()),
        "skipped_steps": int(trainer.skipped),
        "steps": trainer.step_number,
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if device == "cuda" else "cpu",
        **more,
    }
    (args.out / "record.json").write_text(json.dumps(record, indent=1))


def main():
    args = arguments()
    begin, device = time.time(), "cuda" if torch.cuda.is_available() else "cpu"
    log = lambda text: print(f"{time.time() - begin:6.1f} {args.out.name} {text}", flush=True)
    args.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    # runs with cuDNN's attention met gradients that were not finite
    torch.backends.cuda.enable_cudnn_sdp(False)
    corpus, left = Corpus.load(args.corpus / "train.npz"), rowlib.left_out_sources(args.rotation)
    allowed = corpus.without(left)
    if args.teacher:
        corpus.soft = teacher.blend(
            corpus, args.teacher, args.teacher_weight, args.teacher_temperature
        )
    held = np.random.default_rng(0).permutation(np.flatnonzero(allowed & corpus.held))[
        :MOST_HELD_ROWS
    ]
    layers = [int(n) for n in args.layers.split(",") if n]
    model = modellib.from_encoder(args.encoder, args.head_layers, layers)
    trainer = Trainer(model, args, device)
    if (args.out / "checkpoint.pt").exists():
        trainer.load(torch.load(args.out / "checkpoint.pt", map_location=device))
    trainer.model.train()
    losses = fit(trainer, corpus, allowed & ~corpus.held, args, device, log)
    train_seconds = time.time() - begin
    model = trainer.averaged_model()
    if args.keep_weights:
        scoring.train_action_head(model, corpus, held, args, device)
        model.half().float()
        save_file(
            {k: v.half().contiguous() for k, v in model.state_dict().items()},
            args.out / "weights.safetensors",
        )

    names = (
        ["dev", "polarity", "tasks"]
        + [f"rotation_{args.rotation}"] * bool(args.rotation)
        + ["unseen"] * args.score_unseen
    )
    out = scoring.score_sets(model, names, (corpus, held), left, args, device)
    for name, predictions in out.items():
        predictions.save(args.out / f"{name}.npz")
    temperatures = metrics.fit_temperatures(out["held"])
    found = summaries(out, temperatures)
    write_record(
        args,
        trainer,
        device,
        losses=losses,
        train_seconds=train_seconds,
        seconds=time.time() - begin,
        temperatures=temperatures,
        summary=found,
    )
    log(brief(found))
    if args.interpolate:
        score_between(trainer, names, (corpus, held), left, args, device, log)
    if args.teach:
        teach(trainer, corpus, allowed, args, device, log)


if __name__ == "__main__":
    main()
