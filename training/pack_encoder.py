"""Packs a BERT or MPNet checkpoint for a small upload: matrices as int8 with one scale a row, the rest FP16.

usage: pack_encoder.py FOLDER OUT [--layers 0,1,...] [--vocabulary N --tokenizer FILE] [--name NAME]
FOLDER: model.safetensors, config.json, tokenizer.json. MPNet is written under BERT's names with the vocabulary in the
order of BERT's, so that one corpus serves both; what remains of the difference is its relative positions. Its folder gets
no tokenizer (the corpus has BERT's) unless the vocabulary is cut, which needs BERT's tokenizer file. `--layers`: only
these; they keep their numbers, and `train.py --layers` builds a model out of some of them.
"""

import argparse
import json
import pathlib
import shutil

import torch
from safetensors.torch import load_file, save_file

import vocabulary

BERT_SPECIAL = {0: 1, 100: 3, 101: 0, 102: 2, 103: 30526}  # [PAD] [UNK] [CLS] [SEP] [MASK] in MPNet
MPNET_NAMES = (
    ("attention.attn.q.", "attention.self.query."),
    ("attention.attn.k.", "attention.self.key."),
    ("attention.attn.v.", "attention.self.value."),
    ("attention.attn.o.", "attention.output.dense."),
    ("attention.LayerNorm.", "attention.output.LayerNorm."),
)


def from_mpnet(weights):
    """MPNet's tensors as those of a BERT with 30,522 tokens and a `relative` table."""
    out = {}
    for name, value in weights.items():
        for old, new in MPNET_NAMES:
            name = name.replace(old, new)
        out[name] = value
    numbers = torch.arange(30522) + 4  # four special tokens stand before BERT's vocabulary
    for bert, mpnet in BERT_SPECIAL.items():
        numbers[bert] = mpnet
    words = "embeddings.word_embeddings.weight"
    places = "embeddings.position_embeddings.weight"
    out[words], out[places] = out[words][numbers], out[places][2:]
    out["embeddings.token_type_embeddings.weight"] = torch.zeros(2, out[words].shape[1])
    out["relative.weight"] = out.pop("encoder.relative_attention_bias.weight")
    return out


def pack(weights):
    packed = {}
    for name, value in weights.items():
        if name.startswith("pooler") or not value.is_floating_point():
            continue
        if value.ndim == 2 and len(value) >= 64:
            scale = value.abs().amax(1, keepdim=True).clamp(min=1e-8) / 127
            packed[name + "#q"], packed[name + "#s"] = (value / scale).round().to(torch.int8), scale
        else:
            packed[name] = value.half().contiguous()
    return packed


def is_kept(name, layers):
    return not layers or ".layer." not in name or name.split(".")[2] in layers


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--layers", default="")
    parser.add_argument("--vocabulary", type=int, default=0)
    parser.add_argument("--tokenizer", type=pathlib.Path)
    parser.add_argument("--name", default="", help="what the exported model calls its encoder")
    args = parser.parse_args()
    folder, out = args.folder, args.out
    out.mkdir(parents=True, exist_ok=True)
    weights, config = load_file(folder / "model.safetensors"), json.loads(
        (folder / "config.json").read_text()
    )
    config |= {"name": args.name} if args.name else {}
    if config["model_type"] == "mpnet":
        weights = from_mpnet(weights)
        config |= {"vocab_size": 30522, "max_position_embeddings": 512, "type_vocab_size": 2}
    tokenizer = args.tokenizer or folder / "tokenizer.json"
    if args.vocabulary:
        kept = vocabulary.kept_tokens(tokenizer, args.vocabulary, vocabulary.texts_by_source())
        words = "embeddings.word_embeddings.weight"
        weights[words] = weights[words][kept]
        config["vocab_size"] = len(kept)
        vocabulary.write_tokenizer(tokenizer, kept, out / "tokenizer.json")
    elif config["model_type"] != "mpnet":
        shutil.copy(tokenizer, out / "tokenizer.json")
    layers = [n for n in args.layers.split(",") if n]
    weights = {name: value for name, value in weights.items() if is_kept(name, layers)}
    save_file(pack(weights), out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(config, indent=1))


if __name__ == "__main__":
    main()
