#!/usr/bin/env python3
"""Compares ids of random strings with the reference package, tokenizer by tokenizer.

    python3 verify/tokenizers/compare.py --files DIR --count 1000000

DIR holds NAME.tokenizer.json.gz files; mmbert is derived from gemma2. The strings of a chunk depend
on the seed, the tokenizer and the chunk alone. With --progress FILE a run can be stopped and
continued: chunks that agreed are not repeated. Exit code 1 when any string differs.
"""

import argparse
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile
import time

import reference
from random_text import RandomText

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = f"{ROOT}/build/dikast tokenize --tokenizer {{file}} --added-tokens match"


def run_command(command, path, texts):
    lines = "".join(json.dumps(text, ensure_ascii=False) + "\n" for text in texts)
    words = [word.format(file=path) for word in shlex.split(command)]
    done = subprocess.run(words, input=lines.encode(), stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def compare_chunk(command, path, tokenizer, texts):
    """Indices of the texts whose ids differ."""
    ours = run_command(command, path, texts)
    theirs = [e.ids for e in tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
    if len(ours) != len(theirs):
        sys.exit(f"{len(theirs)} strings in, {len(ours)} id arrays out")
    return [i for i in range(len(texts)) if ours[i] != theirs[i]]


def compare(name, path, args, progress):
    tokenizer, added = reference.load(path), reference.added_tokens(path)
    differing, code_points, start = 0, 0, time.time()
    for chunk, first in enumerate(range(0, args.count, args.chunk)):
        key = f"{name}/{args.seed}/{args.chunk}/{chunk}"
        if key in progress["agreed"]:
            continue
        generator = RandomText(key, added)
        texts = [generator.text() for _ in range(min(args.chunk, args.count - first))]
        bad = compare_chunk(args.command, path, tokenizer, texts)
        for i in bad[:args.show]:
            print(f"  differs: {key} string {i}: {ascii(texts[i])}")
        differing += len(bad)
        code_points += sum(map(len, texts))
        if not bad:
            progress["agreed"].append(key)
            if args.progress:
                args.progress.write_text(json.dumps(progress))
    print(f"{name}: {args.count} strings, {differing} differ "
          f"({code_points} code points, {time.time() - start:.0f} s)", flush=True)
    return differing


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True, help="folder with NAME.tokenizer.json.gz")
    parser.add_argument("--names", nargs="+", default=reference.NAMES)
    parser.add_argument("--count", type=int, default=1_000_000, help="strings per tokenizer")
    parser.add_argument("--chunk", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--show", type=int, default=3, help="differing strings printed per chunk")
    parser.add_argument("--progress", type=pathlib.Path, help="file to continue from")
    parser.add_argument("--command", default=COMMAND, help="JSON strings in, id arrays out")
    args = parser.parse_args()

    progress = {"seed": args.seed, "agreed": []}
    if args.progress and args.progress.exists():
        progress = json.loads(args.progress.read_text())
        args.seed = progress["seed"]
    print(f"seed {args.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: reference.unpack(name, args.files, folder) for name in args.names}
        differing = sum(compare(name, path, args, progress) for name, path in paths.items())
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
