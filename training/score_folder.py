"""Predictions of a written model folder on rows, with the numbers that it stores; a CPU will do.

usage: score_folder.py MODEL --set unseen|dev|polarity --out FILE.npz [--rows N]
Prints the figures with the folder's own temperatures. Every use on `unseen` is logged in trials/UNSEEN_SCORINGS.md.
"""

import argparse
import pathlib
import types

import numpy as np

import evaluate
import export
import prepare
import rows as rowlib
import scoring
from corpus import Corpus


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--set", required=True, choices=("unseen", "dev", "polarity"))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, default=0, help="the first N by the MD5 of their id")
    args = parser.parse_args()
    model, temperatures = export.read_back(args.model)
    polarity = args.set == "polarity"
    found = list(prepare.polarity_rows()) if polarity else rowlib.read_split(args.set)
    every = np.arange(len(found))
    if args.rows:
        every = np.array(sorted(every, key=lambda i: rowlib.row_hash(found[i]))[: args.rows])
    corpus = Corpus.build(found, args.model / "tokenizer/tokenizer.json")
    budget = types.SimpleNamespace(budget=8192)
    predictions = scoring.predict(model, corpus, np.sort(every), budget, "cpu")
    predictions.save(args.out)
    evaluate.table(args.set, predictions, temperatures, True)


if __name__ == "__main__":
    main()
