#!/usr/bin/env python3
"""Writes the small goldens of tests/data/models: tiny random checkpoints without a tokenizer, and
what transformers and the head of the official laya package compute from them in FP32.

    python verify/make_goldens.py tests/data/models
"""

import argparse
import json
import random
import tempfile
from pathlib import Path

import torch
from laya.common import build_model

from make_checkpoint import (
    GROUP,
    Shape,
    affine,
    encoder_config,
    make_tensors,
    write_folder,
    write_json,
)
from states import encoder_states

VOCABULARY = 97
HALF_WINDOW = 8
LENGTHS = [1, 2, HALF_WINDOW + 1, HALF_WINDOW + 2, 2 * HALF_WINDOW + 1, 40]

# ModernBERT: affine 8 bit (its mlp.Wo, whose rows are no multiple of 64, stays F16), no head layer,
# layers global, local, global. BERT: BF16 encoder, F32 head of one layer, no pooler; narrower than
# the action layer.
MODERNBERT = Shape(layers=3, width=128, heads=2, intermediate=40, vocabulary=VOCABULARY)
BERT = Shape(layers=2, width=64, heads=2, intermediate=96, vocabulary=VOCABULARY, positions=64)

SPECIAL = {"cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]", "mask_token": "[MASK]"}


def laya_config(head_layers):
    config = {
        "encoder": "random",
        "max_len": 40,
        "head_max_len": 32,
        "temperature": [1.0, 1.0, 1.0],
    }
    return config | {"head_layers": head_layers, "act_costs": {"escalate": 0.5}}


def sequences(seed):
    """Random ids, some of them markers, one sequence of every length."""
    rng = random.Random(seed)
    for index, length in enumerate(LENGTHS):
        ids = [rng.randrange(VOCABULARY) for _ in range(length)]
        markers = sorted(rng.sample(range(length), min(length, 1 + index)))
        yield {"ids": ids, "markers": markers, "type": index % 3}


def expect(model, sequence):
    """Adds logits, action logits and the states of the first and last rows, all numbers FP32."""
    ids, markers = torch.tensor([sequence["ids"]]), torch.tensor([sequence["markers"]])
    kind = torch.tensor([sequence["type"]])
    with torch.no_grad():
        logits, actions = model(
            ids, torch.ones_like(ids), markers, torch.ones_like(markers).bool(), kind
        )
    states = []
    for state in encoder_states(model.encoder, ids):
        rows = {0, len(sequence["ids"]) - 1}
        rows = [{"row": row, "values": numbers(state[0, row])} for row in sorted(rows)]
        states.append({"largest": float(state.abs().max()), "rows": rows})
    return sequence | {
        "logits": numbers(logits[0]),
        "actions": numbers(actions[0]),
        "states": states,
    }


def numbers(tensor):
    """Nine significant digits name a float32."""
    return [float(f"{value:.9g}") for value in tensor.tolist()]


def official_model(folder, laya, expanded):
    """The official model with these FP32 weights; a pooler that nobody reads is made up."""
    model = build_model(laya, encoder_dir=str(folder / "encoder"), pretrained=False)
    weights = expanded | {"temperature": torch.ones(3)}
    for name, parameter in model.named_parameters():
        if "pooler" in name:
            weights[name] = torch.zeros_like(parameter)
    model.load_state_dict(weights, strict=True)
    return model.eval()


def write_golden(folder, kind, stored, expanded, laya, encoder, seed):
    write_folder(folder, stored, laya, encoder, kind, None, {"format": "mlx"})
    write_json(folder / "tokenizer" / "tokenizer_config.json", SPECIAL)
    with tempfile.TemporaryDirectory() as scratch:
        write_json(Path(scratch) / "encoder" / "config.json", encoder)
        model = official_model(Path(scratch), laya, expanded)
    rows = [json.dumps(expect(model, sequence)) for sequence in sequences(seed)]
    (folder / "expected.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")


def modernbert(folder):
    stored, expanded = affine(make_tensors("english", MODERNBERT, 0, seed=11), 8)
    encoder = encoder_config("english", MODERNBERT, "legacy")
    encoder |= {
        "local_attention": 2 * HALF_WINDOW,
        "global_attn_every_n_layers": 2,
        "pad_token_id": 0,
    }
    laya = laya_config(0) | {"quantization": {"group_size": GROUP, "bits": 8}}
    write_golden(folder, "english", stored, expanded, laya, encoder, seed=12)


def bert(folder):
    tensors = make_tensors("bert", BERT, 1, seed=21)
    stored = {
        name: tensor.bfloat16() if name.startswith("encoder.") else tensor
        for name, tensor in tensors.items()
        if "pooler" not in name
    }
    expanded = {name: tensor.float() for name, tensor in stored.items()}
    write_golden(
        folder, "bert", stored, expanded, laya_config(1), encoder_config("bert", BERT, "legacy"), 22
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, help="tests/data/models")
    args = parser.parse_args()
    torch.set_num_threads(1)
    modernbert(args.out / "random-modernbert")
    bert(args.out / "random-bert")


if __name__ == "__main__":
    main()
