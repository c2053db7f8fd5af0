"""FP32 answers of a written model folder to dev rows, as requests that an engine can be given.

usage: answers.py MODEL --out FILE [--rows 2000]
One JSON object a line: the request, token ids, markers, logits, temperature, probabilities."""

import argparse
import json
import pathlib

import export
import rows as rowlib


def as_request(line):
    request = {"state": line["state"], "questions": {"q": line["question"]}}
    more = {k: v for k, v in line.items() if k not in ("state", "question")}
    return {"request": {**request, "over_length": "truncate"}, **more}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, default=2000)
    args = parser.parse_args()
    model, temperatures = export.read_back(args.model)
    chosen = sorted(rowlib.read_split("dev"), key=rowlib.row_hash)[: args.rows]
    tokenizer = args.model / "tokenizer/tokenizer.json"
    with open(args.out, "w") as out:
        for line in export.answered(model, chosen, tokenizer, temperatures):
            out.write(json.dumps(as_request(line), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
