#!/usr/bin/env python3
"""Records the official package's answers to a file of request lines, in chunks.

A run that was cut off goes on where it stopped: chunk files that are complete are kept.
"""

import argparse
import hashlib
import json
import os
import sys
import time
from pathlib import Path

CHUNK = 10  # lines a file


def read_lines(path):
    """The lines as sent: split at newlines only, bytes untouched."""
    lines = Path(path).read_bytes().split(b"\n")
    return lines[:-1] if lines and not lines[-1] else lines


def fingerprint(model, requests):
    """Hash of all that shapes the answers: the lines and the checkpoint's files."""
    digest = hashlib.sha256(Path(requests).read_bytes())
    for path in sorted(Path(model).rglob("*")):
        if path.is_file():
            digest.update(path.relative_to(model).as_posix().encode())
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


def chunk_path(work, key, index):
    return Path(work) / f"official-{key[:12]}-{index:04d}.ndjson"


def write_whole(path, text):
    """The file appears under its name only when it is complete."""
    part = path.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


def answer_chunks(model, requests, work, threads, quiet=False):
    """Answers what is missing under `work`; returns all records in line order."""
    lines = read_lines(requests)
    key = fingerprint(model, requests)
    Path(work).mkdir(parents=True, exist_ok=True)
    chunks = [lines[start : start + CHUNK] for start in range(0, len(lines), CHUNK)]
    missing = [i for i in range(len(chunks)) if not chunk_path(work, key, i).exists()]
    if missing:
        from official import Official  # slow to import, and not needed when all is there

        official, start = Official(model, threads), time.monotonic()
        for done, index in enumerate(missing, 1):
            records = (
                json.dumps(official.answer(line), ensure_ascii=True) for line in chunks[index]
            )
            write_whole(chunk_path(work, key, index), "\n".join(records) + "\n")
            rate = (time.monotonic() - start) / done
            if not quiet:
                left = rate * (len(missing) - done)
                print(f"official: chunk {done}/{len(missing)}, {left:.0f} s left", file=sys.stderr)
    return [
        json.loads(line)
        for index in range(len(chunks))
        for line in chunk_path(work, key, index).read_text(encoding="utf-8").splitlines()
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", required=True, help="checkpoint folder with float weights")
    parser.add_argument("--requests", required=True, help="request lines (make_requests.py)")
    parser.add_argument("--work", required=True, help="folder of the chunk files")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    records = answer_chunks(args.model, args.requests, args.work, args.threads)
    refused = sum("error" in record for record in records)
    print(f"{len(records)} lines, {refused} refused")


if __name__ == "__main__":
    main()
