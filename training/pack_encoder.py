"""Packs a BERT checkpoint for a small upload: matrices as int8 with one scale a row, the rest FP16.

usage: pack_encoder.py FOLDER OUT   (FOLDER: model.safetensors, config.json, tokenizer.json)"""

import pathlib
import shutil
import sys

import torch
from safetensors.torch import load_file, save_file


def main(folder, out):
    folder, out = pathlib.Path(folder), pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    packed = {}
    for name, value in load_file(folder / "model.safetensors").items():
        if name.startswith("pooler") or not value.is_floating_point():
            continue
        if value.ndim == 2 and len(value) >= 64:
            scale = value.abs().amax(1, keepdim=True) / 127
            packed[name + "#q"], packed[name + "#s"] = (value / scale).round().to(torch.int8), scale
        else:
            packed[name] = value.half()
    save_file(packed, out / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        shutil.copy(folder / name, out / name)


if __name__ == "__main__":
    main(*sys.argv[1:])
