"""Writes a tiny random BERT with the bundled model's tokenizer, for smoke runs without a download.

usage: smoke_encoder.py OUT"""

import json
import pathlib
import shutil
import sys

import torch
from safetensors.torch import save_file

import model as modellib
import rows as rowlib

CONFIG = {
    "hidden_size": 64,
    "num_hidden_layers": 3,
    "num_attention_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 30522,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    modellib.RELATIVE: 32,
}


def main(out):
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    encoder = modellib.Decider(CONFIG, 0).encoder
    save_file(
        {k: (0.3 * v if v.ndim > 1 else v).contiguous() for k, v in encoder.state_dict().items()},
        out / "model.safetensors",
    )
    (out / "config.json").write_text(json.dumps(CONFIG))
    shutil.copy(
        rowlib.HERE.parent / "models/dikast-mini-v1/tokenizer/tokenizer.json", out / "tokenizer.json"
    )


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
