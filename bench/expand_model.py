#!/usr/bin/env python3
"""Writes a quantised Laya folder as F16 with an unused pooler, the form that the official package loads.

    bench/expand_model.py models/dikast-mini-v1 /tmp/mini-f16
"""
import json
import pathlib
import shutil
import sys

import numpy as np
from safetensors.numpy import load_file, save_file


def expand(packed, scales, biases):
    """MLX affine, 8 bit, group 64: value = scale * code + bias; codes are the bytes of the words, lowest first."""
    codes = packed.view(np.uint8).reshape(*scales.shape, 64).astype(np.float32)
    values = codes * scales[..., None].astype(np.float32) + biases[..., None].astype(np.float32)
    return values.reshape(packed.shape[0], -1)


def main():
    source, target = map(pathlib.Path, sys.argv[1:3])
    shutil.copytree(source, target)
    stored, tensors = load_file(source / "model.safetensors"), {}
    for name, value in stored.items():
        base = name.rsplit(".", 1)[0]
        if name.endswith((".scales", ".biases")) and base + ".scales" in stored:
            continue
        if base + ".scales" in stored and name.endswith(".weight"):
            value = expand(value, stored[base + ".scales"], stored[base + ".biases"])
        tensors[name] = np.ascontiguousarray(value.astype(np.float16))
    width = tensors["encoder.embeddings.LayerNorm.weight"].shape[0]
    tensors["encoder.pooler.dense.weight"] = np.zeros((width, width), np.float16)
    tensors["encoder.pooler.dense.bias"] = np.zeros(width, np.float16)
    save_file(tensors, target / "model.safetensors", {"format": "pt"})
    settings = target / "rl_agent_config.json"
    config = json.loads(settings.read_text(encoding="utf-8"))
    config.pop("quantization", None)
    settings.write_text(json.dumps(config, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
