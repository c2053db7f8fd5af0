"""The tokenizer files and the pinned reference package."""

import gzip
import json
import os
import pathlib

os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("RAYON_NUM_THREADS", "1")

import tokenizers  # noqa: E402  (reads the environment when it is loaded)

VERSION = "0.23.3"
NAMES = ["modernbert", "qwen3", "gemma2", "mmbert", "bert-uncased"]


def check_version():
    if tokenizers.__version__ != VERSION:
        raise SystemExit(f"needs tokenizers=={VERSION}, found {tokenizers.__version__}")


def mmbert_from_gemma(file):
    """mmBERT's tokenizer: Gemma's with Metaspace words and a mask that swallows white space."""
    file["pre_tokenizer"] = {"type": "Metaspace", "replacement": "\u2581",
                             "prepend_scheme": "always", "split": True}
    for token in file["added_tokens"]:
        if token["id"] == 4:
            token.update(lstrip=True, special=True)
    return file


def unpack(name, source, target):
    """Writes NAME.json into the folder `target` from a folder of *.tokenizer.json.gz files."""
    packed = pathlib.Path(source) / f"{'gemma2' if name == 'mmbert' else name}.tokenizer.json.gz"
    file = json.loads(gzip.decompress(packed.read_bytes()))
    if name == "mmbert":
        file = mmbert_from_gemma(file)
    path = pathlib.Path(target) / f"{name}.json"
    path.write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")
    return path


def load(path):
    """The reference tokenizer without the padding and truncation that a file may carry."""
    check_version()
    tokenizer = tokenizers.Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def added_tokens(path):
    return [t["content"] for t in json.loads(pathlib.Path(path).read_text("utf-8"))["added_tokens"]]
