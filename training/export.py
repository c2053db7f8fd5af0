"""Writes a trained model as a Laya folder: F16, or MLX affine int8 (group 64), with goldens from the stored numbers.

usage: export.py --weights weights.safetensors --encoder DIR --calibration FILE --out DIR [--form int8|f16] [--name NAME]
"""

import argparse
import json
import pathlib
import shutil

import numpy as np
import torch
from safetensors.torch import load_file, save_file

import batches
import metrics
import model as modellib
import rows as rowlib
from corpus import HEAD_MAX, MAX_LEN, Corpus, all_options, assemble

GROUP, BITS, LEAST_ROWS = 64, 8, 64
NOT_QUANTISED = "position_embeddings"
BUCKETS = ("2", "3-5", "6-10", "11+")


def quantise(weight):
    """One matrix in the MLX affine form: (packed uint32, FP16 scales, FP16 biases), decoded as scale * code + bias.

    Same bytes and decoder as MLX's own conversion, other codes: that one makes zero exact and clips up to a whole step at
    the far end of a group; here the range is covered and the codes are taken against the FP16 scale and bias, so that
    no weight is further off than 0.63 of a step."""
    groups = weight.float().reshape(len(weight), -1, GROUP)
    low, high = groups.amin(-1), groups.amax(-1)
    levels = 2**BITS - 1
    scale, bias = ((high - low) / levels).clamp(min=1e-7).half(), low.half()
    codes = (
        ((groups - bias.float()[..., None]) / scale.float()[..., None])
        .round()
        .clamp(0, levels)
        .to(torch.uint8)
    )
    return codes.reshape(len(weight), -1).contiguous().view(torch.uint32), scale, bias


def expand(packed, scales, biases):
    codes = packed.view(torch.uint8).reshape(len(packed), -1, GROUP).float()
    return (codes * scales.float()[..., None] + biases.float()[..., None]).reshape(len(packed), -1)


def is_quantised(name, value):
    return (
        name.endswith(".weight")
        and value.ndim == 2
        and len(value) >= LEAST_ROWS
        and value.shape[1] % GROUP == 0
        and NOT_QUANTISED not in name
    )


def stored_form(weights, form):
    """(tensors to store, the FP32 weights that they stand for)."""
    stored, meant = {"temperature": torch.ones(3)}, {}
    for name, value in weights.items():
        if form == "int8" and is_quantised(name, value):
            parts = quantise(value)
            base = name.removesuffix(".weight")
            stored |= dict(zip((name, base + ".scales", base + ".biases"), parts))
            meant[name] = expand(*parts)
        else:
            stored[name] = value.half()
            meant[name] = stored[name].float()
    return stored, meant


def settings(name, model, calibration, form):
    """rl_agent_config.json."""
    out = {
        "model_name": name,
        "encoder": "sentence-transformers/all-MiniLM-L6-v2",
        "head_layers": model.head_layers,
        "max_len": MAX_LEN,
        "head_max_len": HEAD_MAX,
        "act_costs": {"escalate": 0.5},
        "amp_dtype": "fp16",
        "temperature": [calibration.get(t, 1.0) for t in rowlib.TYPES],
        "temperature_by_options": {k: v for k, v in sorted(calibration.items()) if ":" in k},
        "fine_tuned": True,
    }
    return out | ({"quantization": {"group_size": GROUP, "bits": BITS}} if form == "int8" else {})


def encoder_config(config):
    return {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        "position_embedding_type": "absolute",
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
    """(model in FP32, temperatures) of a written folder, int8 or float."""
    folder = pathlib.Path(folder)
    config = json.loads((folder / "encoder/config.json").read_text())
    read = json.loads((folder / "rl_agent_config.json").read_text())
    stored, weights = load_file(folder / "model.safetensors"), {}
    for name, value in stored.items():
        base = name.removesuffix(".weight")
        if base + ".scales" in stored and name.endswith(".weight"):
            weights[name] = expand(value, stored[base + ".scales"], stored[base + ".biases"])
        elif not name.endswith((".scales", ".biases")) and name != "temperature":
            weights[name] = value.float()
    model = modellib.Decider({k: config[k] for k in modellib.CONFIG_KEYS}, read["head_layers"])
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
    parser.add_argument("--form", choices=("int8", "f16"), default="int8")
    parser.add_argument("--name", default="dikast-mini")
    args = parser.parse_args()
    calibration = json.loads(args.calibration.read_text())["temperatures"]
    weights = load_file(args.weights)
    head_layers = len({n.split(".")[2] for n in weights if n.startswith("head.layers.")})
    model = modellib.from_encoder(args.encoder, head_layers)
    stored, meant = stored_form(weights, args.form)
    model.load_state_dict(meant)
    model.eval()
    (args.out / "encoder").mkdir(parents=True, exist_ok=True)
    save_file(
        {k: v.contiguous() for k, v in stored.items()},
        args.out / "model.safetensors",
        {"format": "mlx" if args.form == "int8" else "pt"},
    )
    (args.out / "encoder/config.json").write_text(
        json.dumps(encoder_config(model.config), indent=1)
    )
    (args.out / "rl_agent_config.json").write_text(
        json.dumps(settings(args.name, model, calibration, args.form), indent=1)
    )
    write_tokenizer(args.encoder / "tokenizer.json", args.out / "tokenizer")
    with open(args.out / "goldens.jsonl", "w") as out:
        for line in goldens(model, args.encoder / "tokenizer.json", calibration):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    shutil.copy(args.calibration, args.out / "temperatures.json")
    print((args.out / "model.safetensors").stat().st_size, "bytes")


if __name__ == "__main__":
    main()
