#!/usr/bin/env python3
"""Compares the hidden states of every layer with transformers in FP32.

Lengths around the local window and around powers of two, one sequence alone and eight of mixed
length together. The distance of a layer is max |a - b| / max |b| over its sequence; the limit 2e-5.
Exit status 0 when every layer of every sequence is within it.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")

import numpy as np
import torch
from safetensors.torch import load_file
from transformers import AutoConfig, AutoModel

from states import encoder_states

LIMIT = 2e-5
LENGTHS = [1, 2, *range(63, 67), *range(127, 131), *range(255, 258), 511, 512]
TOGETHER = [[512, 1, 65, 128, 2, 257, 64, 130], [3, 63, 511, 66, 256, 1, 127, 129]]


def load_encoder(folder, attention):
    config = AutoConfig.from_pretrained(folder / "encoder")
    encoder = AutoModel.from_config(config, attn_implementation=attention)
    weights = load_file(folder / "model.safetensors")
    prefix = "encoder."
    encoder.load_state_dict(
        {
            name.removeprefix(prefix): w.float()
            for name, w in weights.items()
            if name.startswith(prefix)
        }
    )
    return encoder.float().eval()


def make_batches(vocabulary, seed):
    rng = random.Random(seed)
    shapes = [[length] for length in LENGTHS] + TOGETHER
    return [[[rng.randrange(vocabulary) for _ in range(n)] for n in shape] for shape in shapes]


def dikast_states(program, folder, batches, isa, threads):
    """Per batch: [states, tokens, width]."""
    lines = "".join(json.dumps({"sequences": batch}) + "\n" for batch in batches)
    with tempfile.TemporaryDirectory() as scratch:
        raw = Path(scratch) / "states"
        command = [program, str(folder), "--states", str(raw), "--threads", str(threads)]
        command += ["--isa", isa] if isa else []
        run = subprocess.run(command, input=lines, capture_output=True, text=True, check=True)
        values, start = np.fromfile(raw, dtype="<f4"), 0
    for line in run.stdout.splitlines():
        shape = json.loads(line)
        size = shape["states"] * shape["tokens"] * shape["width"]
        yield values[start : start + size].reshape(shape["states"], shape["tokens"], shape["width"])
        start += size


def distances(ours, encoder, batch):
    """Per sequence and layer: max |a - b| / max |b|."""
    row = 0
    for ids in batch:
        for layer, theirs in enumerate(encoder_states(encoder, torch.tensor([ids]))):
            theirs = theirs[0].numpy()
            part = ours[layer, row : row + len(ids)]
            yield len(ids), layer, float(np.abs(part - theirs).max() / np.abs(theirs).max())
        row += len(ids)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--states-program", required=True, help="dikast-states of the build")
    parser.add_argument(
        "--model", type=Path, required=True, help="checkpoint folder with float weights"
    )
    parser.add_argument("--attention", choices=["sdpa", "eager"], default="sdpa")
    parser.add_argument("--isa", default="", help="force an instruction set")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    encoder = load_encoder(args.model, args.attention)
    batches = make_batches(encoder.config.vocab_size, args.seed)
    by_layer, failures = {}, 0
    states = dikast_states(args.states_program, args.model, batches, args.isa, args.threads)
    for batch, ours in zip(batches, states, strict=True):
        for length, layer, distance in distances(ours, encoder, batch):
            by_layer[layer] = max(by_layer.get(layer, 0.0), distance)
            if not distance <= LIMIT:
                failures += 1
                print(f"{len(batch)} sequences, length {length}, layer {layer}: {distance:.2e}")
    print(
        f"{args.model.name} {args.isa or 'best'} {args.attention}: {len(batches)} batches, largest distance by layer "
        + " ".join(f"{layer}:{distance:.1e}" for layer, distance in by_layer.items())
    )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
