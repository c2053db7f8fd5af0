"""Rows of typed decisions: reading, hashing, and the split into training, test and left-out kinds."""

import collections
import hashlib
import json
import lzma
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
TYPES = ["choice", "score", "noul"]
NEVER_TRAINED = {"sms_spam", "workflows_unseen"}  # licence not verified; test only
ROTATION_CAP = 400
CALIBRATION_SHARE = 40  # one state in 40 is kept out of training

# Own generators belong to the kind they imitate: a rotation leaves them out together with it.
KIN = {
    "gen_grounding": "B",
    "gen_findings": "B",
    "gen_judging": "B",
    "gen_facts": "B",
    "gen_notes": "B",
    "gen_tasks_tone": "A",
    "gen_tasks_reasoning": "B",
    "gen_tasks_matching": "C",
    "gen_lookalikes": "C",
}


def as_text(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def read(path):
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def read_split(name):
    """name: train, dev or unseen."""
    return [row for path in sorted(DATA.glob(f"{name}*.jsonl.xz")) for row in read(path)]


def data_hashes():
    files = [*DATA.glob("*.xz"), *(HERE / "generate/written").glob("*/*.txt")]
    name = lambda path: str(path.relative_to(HERE))
    return {name(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(files)}


def row_hash(row):
    return int(hashlib.md5(row["id"].encode()).hexdigest()[:16], 16)


def kept_for_calibration(row):
    """By the state, or by the text that a generator made it of (`key`), so that no text is on both sides."""
    digest = hashlib.md5(row.get("key", as_text(row["state"])).encode()).hexdigest()
    return int(digest, 16) % CALIBRATION_SHARE == 0


def left_out_sources(rotation):
    """Sources that a run of this rotation may not train on (empty for a run on everything)."""
    if not rotation:
        return set()
    named = set(json.loads((DATA / "rotations.json").read_text())[rotation])
    return named | {source for source, kin in KIN.items() if kin == rotation}


def rotation_test(dev, train, rotation):
    """Up to 400 rows of each real source: dev rows first, then training rows by the MD5 of their id."""
    left = left_out_sources(rotation)
    taken, rows = collections.Counter(), []
    for row in dev + sorted(train, key=row_hash):
        source = row["source"]
        if source in left and not source.startswith("gen_") and taken[source] < ROTATION_CAP:
            taken[source] += 1
            rows.append(row)
    return rows
