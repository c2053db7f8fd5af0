#!/usr/bin/env python3
"""Writes tests/data/text/random/NAME.jsonl.gz: random strings and ids with what the reference makes
of them.

    python3 verify/tokenizers/make_goldens.py --files DIR

Lines are {"text", "ids"}, then {"ids", "skipped", "kept"}: random ids, decoded without and with
special tokens.
"""

import argparse
import gzip
import io
import json
import pathlib
import random
import tempfile

import reference
from random_text import RandomText

TARGET = pathlib.Path(__file__).resolve().parents[2] / "tests/data/text/random"


def encoded(tokenizer, texts):
    batch = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [{"text": text, "ids": encoding.ids} for text, encoding in zip(texts, batch)]


def decoded(tokenizer, draw, texts, count):
    """Half random ids of the whole vocabulary, half ids of real text with a hole in it."""
    size = tokenizer.get_vocab_size(with_added_tokens=True)
    for i in range(count):
        if i % 2:
            ids = [draw.randrange(size + 5) for _ in range(draw.randint(1, 12))]
        else:
            ids = tokenizer.encode(draw.choice(texts), add_special_tokens=False).ids[:40]
            hole = draw.randrange(len(ids) + 1)
            ids = ids[:hole] + ids[hole + 1:]
        yield {"ids": ids, "skipped": tokenizer.decode(ids, skip_special_tokens=True),
               "kept": tokenizer.decode(ids, skip_special_tokens=False)}


def write(path, rows):
    text = "".join(json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n" for row in rows)
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, filename="") as file:
        file.write(text.encode())
    path.write_bytes(packed.getvalue())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True, help="folder with NAME.tokenizer.json.gz")
    parser.add_argument("--count", type=int, default=1000, help="strings per tokenizer")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name in reference.NAMES:
            path = reference.unpack(name, args.files, folder)
            tokenizer = reference.load(path)
            generator = RandomText(f"{args.seed}/{name}", reference.added_tokens(path))
            texts = [generator.text() for _ in range(args.count)]
            draw = random.Random(args.seed)
            rows = encoded(tokenizer, texts) + list(decoded(tokenizer, draw, texts, args.count // 4))
            write(TARGET / f"{name}.jsonl.gz", rows)
            print(f"{name}: {len(rows)} rows, seed {args.seed}")


if __name__ == "__main__":
    main()
