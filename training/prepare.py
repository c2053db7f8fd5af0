"""Builds the corpora of a run: training rows with variants, generated and self-labelled rows, and the test sets.

usage: prepare.py --encoder DIR --out DIR [--limit N]
DIR of the encoder: model.safetensors, config.json, tokenizer.json (pack_encoder.py or an unpacked checkpoint)."""
import argparse
import json
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
UNKNOWABLE_SHARE = 0.03


def training_rows(train, rng):
    """Every row, its variants, and a few questions put about a state of another kind."""
    out = []
    for row in train:
        held = rowlib.kept_for_calibration(row)
        out.append({**row, "held": held, "group": "rows"})
        if held:
            continue
        out += augment.variants(row, rng)
        if row["question"]["type"] == "choice" and rng.random() < UNKNOWABLE_SHARE:
            other = rng.choice(train)
            names = " ".join(row["question"]["criteria"]).lower()
            if other["source"] != row["source"] and not any(w in names for w in ("none", "other", "unknown", "cannot", "not ")):
                out.append(augment.unknowable(row, other["state"]))
    return out


def polarity_rows():
    """Each pair as two noul rows: the statement, then its negation."""
    for line in (rowlib.HERE / "polarity/polarity.jsonl").read_text().splitlines():
        pair = json.loads(line)
        for side in ("statement", "negation"):
            question = {"type": "noul", "instructions": pair[side], "criteria": None, "labels": pair["labels"]}
            yield {"id": f"{pair['id']}-{side}", "source": pair["source"], "state": pair["state"], "question": question,
                   "answer": pair["holds"] == (side == "statement")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--encoder", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--limit", type=int, default=0, help="rows of each training file's source (smoke runs)")
    args = parser.parse_args()
    begin, rng = time.time(), random.Random(SEED)
    args.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"

    full = rowlib.read_split("train")
    dev, unseen = rowlib.read_split("dev"), rowlib.read_split("unseen")
    tests = {f"rotation_{name}": rowlib.rotation_test(dev, full, name) for name in "ABC"}
    train = [row for row in full if row["source"] not in rowlib.NEVER_TRAINED]
    if args.limit:
        train, dev, unseen = rng.sample(train, args.limit), rng.sample(dev, args.limit // 20), unseen[:100]
        tests = {name: rng.sample(rows, args.limit // 20) for name, rows in tests.items()}
    train += generate.build(train, rng, scale=args.limit / 500000 if args.limit else 1)
    print(f"{time.time() - begin:5.0f} s  rows {len(train)}", flush=True)
    tokenizer_path = args.encoder / "tokenizer.json"
    encoder = modellib.from_encoder(args.encoder, 0).encoder
    own = selfmatch.build([r for r in train if not rowlib.kept_for_calibration(r)], encoder,
                          Tokenizer.from_file(str(tokenizer_path)), device, rng, **({"per_source": 20, "pool": 60} if args.limit else {}))
    print(f"{time.time() - begin:5.0f} s  self-labelled rows {len(own)}", flush=True)
    sets = {"train": training_rows(train, rng) + own, "dev": dev, "unseen": unseen, "polarity": list(polarity_rows()), **tests}
    counts = {}
    for name, rows in sets.items():
        corpus = Corpus.build(rows, tokenizer_path)
        corpus.save(args.out / f"{name}.npz")
        counts[name] = {"rows": len(corpus), "distinct_texts": len(corpus.size), "ids": len(corpus.flat)}
        print(f"{time.time() - begin:5.0f} s  {name} {counts[name]}", flush=True)
    record = {"seed": SEED, "limit": args.limit, "data": rowlib.data_hashes(), "sets": counts}
    (args.out / "prepare.json").write_text(json.dumps(record, indent=1))


if __name__ == "__main__":
    main()
