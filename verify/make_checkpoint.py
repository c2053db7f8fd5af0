#!/usr/bin/env python3
"""Writes a Laya checkpoint folder with seeded random weights.

The weights are scaled so that every part of the forward pass matters: attention scores with a
spread of one to two, residual streams that grow as in trained models, a few loud channels, option
logits a few units apart. A checkpoint with quiet weights would hide errors.
"""

import argparse
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}
GROUP = 64  # elements an affine scale covers


@dataclass(frozen=True)
class Shape:
    layers: int
    width: int
    heads: int
    intermediate: int
    vocabulary: int
    positions: int = 512  # BERT's table


# kind -> size -> shape. Small shapes keep the real vocabulary, because the real tokenizers need it;
# their widths leave tails at every vector width.
SHAPES = {
    "english": {"small": Shape(6, 192, 3, 328, 50368), "true": Shape(28, 1024, 16, 2624, 50368)},
    "typed-decisions": {
        "small": Shape(5, 128, 2, 168, 50368),
        "true": Shape(28, 1024, 16, 2624, 50368),
    },
    "multilingual": {
        "small": Shape(4, 128, 2, 192, 256000),
        "true": Shape(22, 768, 12, 1152, 256000),
    },
    "bert": {"small": Shape(4, 128, 4, 328, 30522), "true": Shape(6, 384, 12, 1536, 30522)},
}

TOKENIZERS = {
    "english": "modernbert",
    "typed-decisions": "modernbert",
    "multilingual": "gemma2",
    "bert": "bert-uncased",
}

LAYA = {
    "english": {
        "encoder": "answerdotai/ModernBERT-large",
        "max_len": 512,
        "head_max_len": 192,
        "temperature": [1.6369030475616455, 1.2514300346374512, 1.983399510383606],
        "temperature_by_options": {
            "choice:2": 1.9063563346862793,
            "choice:3-5": 1.7601518630981445,
            "choice:6-10": 1.0000158548355103,
            "choice:11+": 0.10058280825614929,
            "score:3-5": 1.2514300346374512,
            "noul:2": 1.983399510383606,
        },
    },
    "multilingual": {
        "encoder": "jhu-clsp/mmBERT-base",
        "max_len": 1024,
        "head_max_len": 256,
        "temperature": [1.0, 1.0, 1.0],
    },
    "typed-decisions": {
        "encoder": "answerdotai/ModernBERT-large",
        "model_name": "laya-typed-decisions",
        "fine_tuned": True,
        "max_len": 1024,
        "head_max_len": 256,
        "temperature": [1.25, 0.75, 7.5],
        "temperature_by_options": {"choice:3-5": 1.76, "choice:6-10": "1.4", "score:2": None},
    },
    "bert": {
        "encoder": "sentence-transformers/all-MiniLM-L6-v2",
        "max_len": 512,
        "head_max_len": 256,
        "temperature": [1.7, 1.9, 1.9],
        "temperature_by_options": {"choice:11+": 1.6, "score:6-10": 1.43},
    },
}


class Weights:
    """Draws tensors one after another from one seeded generator."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)
        self.tensors = {}

    def normal(self, *shape):
        return torch.randn(*shape, generator=self.generator)

    def matrix(self, name, rows, columns, gain):
        """An output has the variance gain^2 for unit inputs."""
        self.tensors[name] = self.normal(rows, columns) * (gain / columns**0.5)

    def vector(self, name, size, spread):
        self.tensors[name] = self.normal(size) * spread

    def linear(self, name, rows, columns, gain, bias=0.1):
        self.matrix(f"{name}.weight", rows, columns, gain)
        self.vector(f"{name}.bias", rows, bias)

    def attention(self, name, d):
        """Fused q, k and v. Scores with a spread of about two pick out a few tokens, so that the
        markers of a question end up different."""
        self.matrix(name, 3 * d, d, 1.0)
        self.tensors[name][: 2 * d] *= 1.5

    def norm(self, name, size, bias=None, loud=3):
        """Weights near one with a few loud channels, as trained norms have."""
        weight = 1 + 0.2 * self.normal(size)
        weight[torch.randperm(size, generator=self.generator)[: max(1, size // 64)]] *= loud
        self.tensors[f"{name}.weight"] = weight
        if bias is not None:
            self.vector(f"{name}.bias", size, bias)


def modernbert(weights, shape):
    d, inner = shape.width, shape.intermediate
    weights.tensors["encoder.embeddings.tok_embeddings.weight"] = weights.normal(
        shape.vocabulary, d
    )
    weights.norm("encoder.embeddings.norm", d)
    for layer in range(shape.layers):
        prefix = f"encoder.layers.{layer}."
        if layer > 0:
            weights.norm(prefix + "attn_norm", d)
        weights.attention(prefix + "attn.Wqkv.weight", d)
        weights.matrix(prefix + "attn.Wo.weight", d, d, 1.5)
        weights.norm(prefix + "mlp_norm", d)
        weights.matrix(prefix + "mlp.Wi.weight", 2 * inner, d, 0.8)
        weights.matrix(prefix + "mlp.Wo.weight", d, inner, 0.6)
    weights.norm("encoder.final_norm", d)


def bert(weights, shape):
    d, inner = shape.width, shape.intermediate
    for table, rows in (
        ("word", shape.vocabulary),
        ("position", shape.positions),
        ("token_type", 2),
    ):
        spread = 0.5 if table == "token_type" else 1.0
        weights.tensors[f"encoder.embeddings.{table}_embeddings.weight"] = spread * weights.normal(
            rows, d
        )
    weights.norm("encoder.embeddings.LayerNorm", d, bias=0.1, loud=1.5)
    for layer in range(shape.layers):
        prefix = f"encoder.encoder.layer.{layer}."
        for part in ("query", "key", "value"):
            weights.linear(f"{prefix}attention.self.{part}", d, d, 1.0 if part == "value" else 2.0)
        weights.linear(prefix + "attention.output.dense", d, d, 2.0)
        weights.norm(prefix + "attention.output.LayerNorm", d, bias=0.1, loud=1.5)
        weights.linear(prefix + "intermediate.dense", inner, d, 0.8)
        weights.linear(prefix + "output.dense", d, inner, 1.0)
        weights.norm(prefix + "output.LayerNorm", d, bias=0.1, loud=1.5)
    weights.linear("encoder.pooler.dense", d, d, 1.0)


def head(weights, d, layers):
    for layer in range(layers):
        prefix = f"head.layers.{layer}."
        weights.attention(prefix + "self_attn.in_proj_weight", d)
        weights.vector(prefix + "self_attn.in_proj_bias", 3 * d, 0.1)
        weights.linear(prefix + "self_attn.out_proj", d, d, 3.0)
        weights.linear(prefix + "linear1", 4 * d, d, 1.0)
        weights.linear(prefix + "linear2", d, 4 * d, 6.0)
        weights.norm(prefix + "norm1", d, bias=0.1)
        weights.norm(prefix + "norm2", d, bias=0.1)
    weights.tensors["type_emb.weight"] = weights.normal(3, d)
    weights.norm("scorer.0", d, bias=0.1)
    weights.linear("scorer.1", d, d, 1.0)
    weights.linear("scorer.3", 1, d, 12.0)
    weights.linear("act_head.0", 256, d + 4, 0.1)
    weights.linear("act_head.2", 2, 256, 2.0)


def make_tensors(kind, shape, head_layers, seed):
    """name -> FP32 tensor, in a fixed drawing order."""
    weights = Weights(seed)
    (bert if kind == "bert" else modernbert)(weights, shape)
    head(weights, shape.width, head_layers)
    return weights.tensors


def quantise(weight, bits):
    """MLX affine codes of a matrix: (codes, scales, biases), the latter in float16."""
    top = 2**bits - 1
    groups = weight.float().reshape(weight.shape[0], -1, GROUP)
    low, high = groups.amin(-1), groups.amax(-1)
    scale = ((high - low) / top).clamp_min(1e-7)
    low_is_edge = low.abs() > high.abs()
    scale = torch.where(low_is_edge, scale, -scale)
    edge = torch.where(low_is_edge, low, high)
    steps = torch.round(edge / scale)
    scale = torch.where(steps != 0, edge / steps, scale)
    bias = torch.where(steps != 0, edge, torch.zeros_like(edge))
    codes = torch.round((groups - bias[..., None]) / scale[..., None]).clamp(0, top)
    return codes.reshape(weight.shape).to(torch.int64), scale.half(), bias.half()


def expand(codes, scale, bias):
    groups = codes.float().reshape(codes.shape[0], -1, GROUP)
    return (groups * scale.float()[..., None] + bias.float()[..., None]).reshape(codes.shape)


def pack(codes, bits):
    """Little-endian uint32 words, the first code in the lowest bits."""
    per_word = 32 // bits
    words = codes.reshape(codes.shape[0], -1, per_word)
    shifts = torch.arange(per_word) * bits
    return (words << shifts).sum(-1).to(torch.uint32)


def quantisable(name, tensor):
    return (
        name.endswith(".weight")
        and tensor.dim() == 2
        and tensor.shape[0] >= 64
        and tensor.shape[1] % GROUP == 0
        and "position_embeddings" not in name
    )


def affine(tensors, bits):
    """(stored tensors, the same numbers expanded to FP32)."""
    stored, expanded = {}, {}
    for name, tensor in tensors.items():
        if not quantisable(name, tensor):
            stored[name] = tensor.half()
            expanded[name] = stored[name].float()
            continue
        codes, scale, bias = quantise(tensor, bits)
        stem = name.removesuffix(".weight")
        stored[name] = pack(codes, bits)
        stored[stem + ".scales"], stored[stem + ".biases"] = scale, bias
        expanded[name] = expand(codes, scale, bias)
    return stored, expanded


def encoder_config(kind, shape, spelling):
    common = {
        "vocab_size": shape.vocabulary,
        "hidden_size": shape.width,
        "intermediate_size": shape.intermediate,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
    }
    if kind == "bert":
        return common | {
            "model_type": "bert",
            "architectures": ["BertModel"],
            "hidden_act": "gelu",
            "layer_norm_eps": 1e-12,
            "max_position_embeddings": shape.positions,
            "type_vocab_size": 2,
            "pad_token_id": 0,
        }
    multilingual = kind == "multilingual"
    local_base = 160000.0 if multilingual else 10000.0
    config = common | {
        "model_type": "modernbert",
        "architectures": ["ModernBertModel"],
        "hidden_activation": "gelu",
        "norm_eps": 1e-5,
        "norm_bias": False,
        "attention_bias": False,
        "mlp_bias": False,
        "local_attention": 128,
        "max_position_embeddings": 8192,
        "pad_token_id": 0 if multilingual else 50283,
    }
    if spelling == "legacy":
        return config | {
            "global_attn_every_n_layers": 3,
            "global_rope_theta": 160000.0,
            "local_rope_theta": local_base,
        }
    kinds = [
        "sliding_attention" if layer % 3 else "full_attention" for layer in range(shape.layers)
    ]
    return config | {
        "layer_types": kinds,
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 160000.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": local_base},
        },
    }


def read_tokenizer(folder, name):
    plain, packed = folder / f"{name}.tokenizer.json", folder / f"{name}.tokenizer.json.gz"
    if plain.exists():
        return json.loads(plain.read_text(encoding="utf-8"))
    if packed.exists():
        return json.loads(gzip.decompress(packed.read_bytes()).decode("utf-8"))
    raise SystemExit(f"no {plain.name}[.gz] in {folder}; name the folder with --tokenizers")


def mmbert_tokenizer(gemma):
    """The Gemma 2 file with the two changes that make it mmBERT's."""
    gemma["pre_tokenizer"] = {
        "type": "Metaspace",
        "replacement": "\u2581",
        "prepend_scheme": "always",
        "split": True,
    }
    for token in gemma["added_tokens"]:
        if token["content"] == "<mask>":
            token |= {"lstrip": True, "special": True}
    return gemma


def write_tokenizer(folder, kind, tokenizers):
    tokenizer = read_tokenizer(tokenizers, TOKENIZERS[kind])
    names = ("cls", "sep", "pad", "mask", "unk")
    literals = ("[CLS]", "[SEP]", "[PAD]", "[MASK]", "[UNK]")
    if kind == "multilingual":
        tokenizer = mmbert_tokenizer(tokenizer)
        literals = ("<bos>", "<eos>", "<pad>", "<mask>", "<unk>")
    config = {f"{name}_token": literal for name, literal in zip(names, literals)}
    config |= {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": 8192}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tokenizer.json").write_text(
        json.dumps(tokenizer, ensure_ascii=False), encoding="utf-8"
    )
    write_json(folder / "tokenizer_config.json", config)


def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def write_folder(folder, tensors, laya, encoder, kind, tokenizers, metadata):
    write_json(folder / "rl_agent_config.json", laya)
    write_json(folder / "encoder" / "config.json", encoder)
    if tokenizers:
        write_tokenizer(folder / "tokenizer", kind, tokenizers)
    tensors = {name: tensor.contiguous() for name, tensor in tensors.items()}
    tensors["temperature"] = torch.ones(3)
    save_file(tensors, folder / "model.safetensors", metadata=metadata)


def stored_dtype(name, storage, head_storage):
    return DTYPES[storage if name.startswith("encoder.") else head_storage or storage]


def make(args):
    shape = SHAPES[args.kind][args.size]
    tensors = make_tensors(args.kind, shape, args.head_layers, args.seed)
    laya = LAYA[args.kind] | {"head_layers": args.head_layers, "act_costs": {"escalate": 0.5}}
    laya |= {"amp_dtype": "bf16"}
    encoder = encoder_config(args.kind, shape, args.spelling)
    rest = (encoder, args.kind, args.tokenizers)
    if args.storage.startswith("affine"):
        bits = int(args.storage.removeprefix("affine"))
        stored, expanded = affine(tensors, bits)
        quantised = laya | {"quantization": {"group_size": GROUP, "bits": bits}}
        write_folder(args.out, stored, quantised, *rest, {"format": "mlx"})
        if args.twin:
            write_folder(args.twin, expanded, laya, *rest, {"format": "pt"})
        return
    stored = {
        name: tensor.to(stored_dtype(name, args.storage, args.head_storage))
        for name, tensor in tensors.items()
    }
    write_folder(args.out, stored, laya, *rest, {"format": "pt"})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, help="checkpoint folder to write")
    parser.add_argument("--kind", choices=sorted(SHAPES), required=True)
    parser.add_argument("--size", choices=["small", "true"], default="small")
    parser.add_argument("--storage", choices=[*DTYPES, "affine8", "affine4"], default="f16")
    parser.add_argument(
        "--head-storage", choices=list(DTYPES), help="another type outside the encoder"
    )
    parser.add_argument(
        "--twin", type=Path, help="affine: also write the expanded FP32 folder here"
    )
    parser.add_argument("--head-layers", type=int, choices=[0, 1, 2], default=2)
    parser.add_argument("--spelling", choices=["legacy", "rope_parameters"], default="legacy")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--tokenizers", type=Path, required=True, help="folder of *.tokenizer.json[.gz]"
    )
    make(parser.parse_args())


if __name__ == "__main__":
    main()
