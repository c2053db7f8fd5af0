"""Builds the corpora of a run: training rows with variants, generated and self-labelled rows, and the test sets.

usage: prepare.py --encoder DIR --out DIR [--limit N]
DIR of the encoder: model.safetensors, config.json, tokenizer.json (pack_encoder.py or an unpacked checkpoint).
Only its tokenizer is read where `--similarity` names another.
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import random
import time

import torch
from tokenizers import Tokenizer

import augment
import generate
import model as modellib
import rows as rowlib
import selfmatch
from corpus import Corpus

SEED = 11
UNKNOWABLE_SHARE, MIXED_SHARE = 0.03, 0.15


def with_variants(rows, strangers, rng):
    """Every row, its variants, and a few questions put about a state of another source."""
    out = []
    for row in rows:
        held = rowlib.kept_for_calibration(row)
        out.append({**row, "held": held, "group": "rows"})
        if held:
            continue
        out += augment.variants(row, rng)
        other = rng.choice(strangers)
        if other["source"] == row["source"] or rowlib.kept_for_calibration(other):
            continue
        if row["question"]["type"] == "choice" and rng.random() < UNKNOWABLE_SHARE:
            names = " ".join(row["question"]["criteria"]).lower()
            if not any(word in names for word in ("none", "other", "unknown", "cannot", "not ")):
                out.append(augment.unknowable(row, other))
        if rng.random() < MIXED_SHARE:
            out.append(augment.mixed(row, other, rng))
    return out


def by_source(rows):
    found = {}
    for row in rows:
        found.setdefault(row["source"], []).append(row)
    return found


class Work:
    """What the forked workers read; each piece is one source, or a part of a large one."""

    PART = 15000

    def __init__(self, rows, own, per_source, tokenizer_path):
        self.rows, self.own = by_source(rows), own
        self.all, self.per_source, self.tokenizer_path = rows, per_source, tokenizer_path
        self.pieces = sorted(
            (
                (source, start)
                for source, found in self.rows.items()
                for start in range(0, len(found), self.PART)
            ),
            key=lambda p: -len(self.rows[p[0]]),
        )

    def corpus(self, number):
        source, start = self.pieces[number]
        rng = random.Random(f"{SEED} {source} {start}")
        rows = with_variants(self.rows[source][start : start + self.PART], self.all, rng)
        if start == 0 and source in self.own:
            rows += selfmatch.of_source(source, *self.own[source], rng, self.per_source)
        return Corpus.build(rows, self.tokenizer_path)


WORK = None  # set before the fork


def run_piece(number):
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    return WORK.corpus(number)


def training_corpus(work, processes):
    global WORK
    WORK = work
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        return Corpus.joined(pool.map(run_piece, range(len(work.pieces)), chunksize=1))


def polarity_rows():
    """Each pair as two noul rows: the statement, then its negation."""
    for line in (rowlib.HERE / "polarity/polarity.jsonl").read_text().splitlines():
        pair = json.loads(line)
        for side in ("statement", "negation"):
            question = {
                "type": "noul",
                "instructions": pair[side],
                "criteria": None,
                "labels": pair["labels"],
            }
            yield {
                "id": f"{pair['id']}-{side}",
                "source": pair["source"],
                "state": pair["state"],
                "question": question,
                "answer": pair["holds"] == (side == "statement"),
            }


def compared(train, args, rng, device):
    """{source: (texts, their vectors, words, their vectors)} for the rows without labels."""
    pools = selfmatch.pools(
        [r for r in train if not rowlib.kept_for_calibration(r)],
        60 if args.limit else 2500,
        4 if args.limit else 40,
        rng,
    )
    words = selfmatch.word_pools(pools, 1500, rng)
    folder = args.similarity or args.encoder
    encoder = modellib.from_encoder(folder, 0).encoder
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    vectors = [selfmatch.vectors_of(p, encoder, tokenizer, device) for p in (pools, words)]
    return {s: (pools[s], vectors[0][s], words[s], vectors[1][s]) for s in pools}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument(
        "--similarity",
        type=pathlib.Path,
        help="encoder whose sentence similarity labels the rows without labels (default: --encoder)",
    )
    parser.add_argument(
        "--limit", type=int, default=0, help="rows of each training file's source (smoke runs)"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    args = parser.parse_args()
    begin, rng = time.time(), random.Random(SEED)
    args.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    full = rowlib.read_split("train")
    dev, unseen = rowlib.read_split("dev"), rowlib.read_split("unseen")
    tests = {f"rotation_{name}": rowlib.rotation_test(dev, full, name) for name in "ABC"}
    train = [row for row in full if row["source"] not in rowlib.NEVER_TRAINED]
    if args.limit:
        train, dev, unseen = (
            rng.sample(train, args.limit),
            rng.sample(dev, args.limit // 20),
            unseen[:100],
        )
        tests = {name: rng.sample(rows, args.limit // 20) for name, rows in tests.items()}
    train += generate.build(train, rng, scale=args.limit / 500000 if args.limit else 1)
    print(f"{time.time() - begin:5.0f} s  rows {len(train)}", flush=True)
    tokenizer_path = args.encoder / "tokenizer.json"
    own = compared(train, args, rng, device)
    print(f"{time.time() - begin:5.0f} s  texts of {len(own)} sources compared", flush=True)
    work = Work(train, own, 20 if args.limit else 1200, tokenizer_path)
    corpora = {"train": training_corpus(work, args.processes)}
    for name, rows in {
        "dev": dev,
        "unseen": unseen,
        "polarity": list(polarity_rows()),
        "tasks": list(generate.tasks.test_rows(rng)),
        **tests,
    }.items():
        corpora[name] = Corpus.build(rows, tokenizer_path)
    counts = {}
    for name, corpus in corpora.items():
        corpus.save(args.out / f"{name}.npz")
        counts[name] = {"rows": len(corpus), "texts": len(corpus.size), "ids": len(corpus.flat)}
        print(f"{time.time() - begin:5.0f} s  {name} {counts[name]}", flush=True)
    record = {"seed": SEED, "limit": args.limit, "data": rowlib.data_hashes(), "sets": counts}
    (args.out / "prepare.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
