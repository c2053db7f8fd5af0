#!/usr/bin/env python3
"""Speed of tokenising distinct English texts of 1 kB against the reference package, one thread each.

    python3 bench/tokenize_speed.py --files DIR --program build/bench/tokenize_speed

Passes of the two alternate; a ratio is taken within each pair. The reference is timed twice: its
batch call with offsets (encode_batch) and without (encode_batch_fast). Writes JSON to standard
output.
"""

import argparse
import json
import pathlib
import platform
import pydoc_data.topics
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "verify" / "tokenizers"))

import reference  # noqa: E402


def english_texts(size):
    """The language reference that comes with Python and the licences that come with Debian."""
    pages = list(pydoc_data.topics.topics.values())
    pages += [p.read_text("utf-8", "replace")
              for p in sorted(pathlib.Path("/usr/share/common-licenses").glob("*")) if p.is_file()]
    text = " ".join(" ".join(pages).split())
    return sorted({text[i:i + size] for i in range(0, len(text) - size, size)})


def cpu_name():
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def spread(values):
    quarters = statistics.quantiles(values, n=4)
    return {"median": round(quarters[1], 2), "quartiles": [round(quarters[0], 2), round(quarters[2], 2)],
            "least": round(min(values), 2)}


class Ours:
    def __init__(self, program, path, texts):
        self.process = subprocess.Popen([program, path], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")
        for text in texts:
            self.process.stdin.write(json.dumps(text, ensure_ascii=False) + "\n")
        self.process.stdin.write("\n")

    def one_pass(self):
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(name, path, texts, args):
    tokenizer = reference.load(path)
    ours = Ours(args.program, path, texts)
    ids = sum(len(e.ids) for e in tokenizer.encode_batch(texts, add_special_tokens=False))
    first = ours.one_pass()
    assert first["ids"] == ids, f"{name}: ids differ"
    ratios, fast_ratios, micros = [], [], []
    for _ in range(args.rounds):
        mine = ours.one_pass()["seconds"]
        theirs, _ = timed(lambda: tokenizer.encode_batch(texts, add_special_tokens=False))
        again = ours.one_pass()["seconds"]
        fast, _ = timed(lambda: tokenizer.encode_batch_fast(texts, add_special_tokens=False))
        ratios.append(theirs / mine)
        fast_ratios.append(fast / again)
        micros.append(1e6 * mine / len(texts))
    ours.close()
    return {"texts": len(texts), "ids": ids, "ratio_to_encode_batch": spread(ratios),
            "ratio_to_encode_batch_fast": spread(fast_ratios), "microseconds_per_text": spread(micros),
            "first_pass_microseconds_per_text": round(1e6 * first["seconds"] / len(texts), 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", required=True, help="folder with NAME.tokenizer.json.gz")
    parser.add_argument("--program", default=str(ROOT / "build/bench/tokenize_speed"))
    parser.add_argument("--names", nargs="+", default=reference.NAMES)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--size", type=int, default=1000, help="code points of a text")
    args = parser.parse_args()

    texts = english_texts(args.size)
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=40"]
    commit = subprocess.run(git, stdout=subprocess.PIPE, text=True).stdout.strip()
    report = {"commit": commit, "command": " ".join(["bench/tokenize_speed.py", *sys.argv[1:]]), "cpu": cpu_name(), "threads": 1, "reference": f"tokenizers {reference.VERSION}",
              "rounds": args.rounds, "tokenizers": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name in args.names:
            path = reference.unpack(name, args.files, folder)
            report["tokenizers"][name] = measure(name, path, texts, args)
    json.dump(report, sys.stdout, indent=2)
    print()


if __name__ == "__main__":
    main()
