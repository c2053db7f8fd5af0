"""Writes a trained model as a Laya folder: F16, or MLX affine of 8 or 4 bits (group 64), with goldens from the stored numbers.

usage: export.py --weights weights.safetensors --encoder DIR --calibration FILE --out DIR [--form int8|int4|f16] [--name NAME]
"""

import argparse
import json
import pathlib
import shutil

import numpy as np
import torch
from safetensors.torch import load_file, save_file

import affine
import batches
import metrics
import model as modellib
import rows as rowlib
from corpus import HEAD_MAX, MAX_LEN, Corpus, all_options, assemble

STARTS = "sentence-transformers/all-MiniLM-L6-v2"
BITS = {"int8": 8, "int4": 4, "f16": 0}


def stored_form(weights, form):
    """(tensors to store, the FP32 weights that they stand for)."""
    stored, meant, bits = {"temperature": torch.ones(3)}, {}, BITS[form]
    for name, value in weights.items():
        if bits and affine.is_quantised(name, value):
            parts = affine.quantise(value, bits)
            base = name.removesuffix(".weight")
            stored |= dict(zip((name, base + ".scales", base + ".biases"), parts))
            meant[name] = affine.expand(*parts, bits)
        else:
            stored[name] = value.half()
            meant[name] = stored[name].float()
    return stored, meant


def settings(name, model, calibration, form, encoder):
    """rl_agent_config.json."""
    out = {
        "model_name": name,
        "encoder": encoder,
        "head_layers": model.head_layers,
        "max_len": MAX_LEN,
        "head_max_len": HEAD_MAX,
        "act_costs": {"escalate": 0.5},
        "amp_dtype": "fp16",
        "temperature": [calibration.get(t, 1.0) for t in rowlib.TYPES],
        "temperature_by_options": {k: v for k, v in sorted(calibration.items()) if ":" in k},
        "fine_tuned": True,
    }
    quantised = {"quantization": {"group_size": affine.GROUP, "bits": BITS[form]}}
    return out | (quantised if BITS[form] else {})


def encoder_config(config):
    return {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        "position_embedding_type": (
            "absolute_and_relative" if modellib.RELATIVE in config else "absolute"
        ),
        "pad_token_id": 0,
        **config,
    }


TOKENIZER_CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "do_lower_case": True,
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "model_max_length": MAX_LEN,
}


@torch.no_grad()
def answered(model, rows, tokenizer_path, calibration):
    """Each row with its token ids, markers, logits, temperature and probabilities (FP32)."""
    corpus = Corpus.build(rows, tokenizer_path)
    numbers = lambda values: [round(float(v), 6) for v in values]
    for i, row in enumerate(rows):
        one = np.array([i])
        shard = assemble(corpus, one, *all_options(corpus, one))
        batch = batches.DeviceShard(corpus, shard, np.zeros(1, bool), "cpu").batch(0, 1)
        with torch.no_grad():
            z, cls = model(batch)
            act = torch.softmax(model.act(z, cls, batch["k"]), -1)[0, 0]
        k = int(corpus.k[i])
        key = metrics.bucket(int(corpus.type[i]), k)
        t = calibration.get(key, calibration.get(key.split(":")[0], 1.0))
        yield {
            "id": row["id"],
            "state": row["state"],
            "question": row["question"],
            "input_ids": shard.tokens.tolist(),
            "markers": shard.marks.tolist(),
            "logits": numbers(z[0, :k]),
            "temperature": t,
            "probabilities": numbers(torch.softmax(z[0, :k] / t, -1)),
            "act_probability": round(float(act), 6),
        }


def goldens(model, tokenizer_path, calibration, count=60):
    """Answers to dev rows spread over the sources."""
    chosen, seen = [], {}
    for row in sorted(rowlib.read_split("dev"), key=rowlib.row_hash):
        if (
            seen.setdefault(row["source"], 0) < 1
            and row["source"] not in rowlib.NEVER_TRAINED
            and len(chosen) < count
        ):
            seen[row["source"]] += 1
            chosen.append(row)
    yield from answered(model, chosen, tokenizer_path, calibration)


def read_back(folder):
    """(model in FP32, temperatures) of a written folder, quantised or float."""
    folder = pathlib.Path(folder)
    read = json.loads((folder / "rl_agent_config.json").read_text())
    stored, weights = load_file(folder / "model.safetensors"), {}
    bits = read.get("quantization", {}).get("bits")
    for name, value in stored.items():
        base = name.removesuffix(".weight")
        if base + ".scales" in stored and name.endswith(".weight"):
            parts = value, stored[base + ".scales"], stored[base + ".biases"]
            weights[name] = affine.expand(*parts, bits)
        elif not name.endswith((".scales", ".biases")) and name != "temperature":
            weights[name] = value.float()
    model = modellib.Decider(modellib.read_config(folder / "encoder"), read["head_layers"])
    model.load_state_dict(weights)
    temperatures = dict(zip(rowlib.TYPES, read["temperature"])) | read["temperature_by_options"]
    return model.eval(), temperatures


def write_tokenizer(source, out):
    tokenizer = json.loads(source.read_text())
    tokenizer["truncation"] = tokenizer["padding"] = None
    out.mkdir(parents=True, exist_ok=True)
    (out / "tokenizer.json").write_text(json.dumps(tokenizer, ensure_ascii=False))
    (out / "tokenizer_config.json").write_text(json.dumps(TOKENIZER_CONFIG, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", type=pathlib.Path, required=True)
    parser.add_argument("--encoder", type=pathlib.Path, required=True)
    parser.add_argument("--calibration", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--form", choices=sorted(BITS), default="int8")
    parser.add_argument("--name", default="dikast-mini")
    args = parser.parse_args()
    calibration = json.loads(args.calibration.read_text())["temperatures"]
    weights = load_file(args.weights)
    numbers = lambda begin, at: {n.split(".")[at] for n in weights if n.startswith(begin)}
    config = modellib.read_config(args.encoder)
    config["num_hidden_layers"] = len(numbers("encoder.encoder.layer.", 3))
    model = modellib.Decider(config, len(numbers("head.layers.", 2)))
    encoder = json.loads((args.encoder / "config.json").read_text()).get("name", STARTS)
    stored, meant = stored_form(weights, args.form)
    model.load_state_dict(meant)
    model.eval()
    (args.out / "encoder").mkdir(parents=True, exist_ok=True)
    save_file(
        {k: v.contiguous() for k, v in stored.items()},
        args.out / "model.safetensors",
        {"format": "mlx" if BITS[args.form] else "pt"},
    )
    (args.out / "encoder/config.json").write_text(
        json.dumps(encoder_config(model.config), indent=1)
    )
    (args.out / "rl_agent_config.json").write_text(
        json.dumps(settings(args.name, model, calibration, args.form, encoder), indent=1)
    )
    write_tokenizer(args.encoder / "tokenizer.json", args.out / "tokenizer")
    with open(args.out / "goldens.jsonl", "w") as out:
        for line in goldens(model, args.encoder / "tokenizer.json", calibration):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    shutil.copy(args.calibration, args.out / "temperatures.json")
    print((args.out / "model.safetensors").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
