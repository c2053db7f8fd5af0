"""Builds polarity.jsonl: 300 mirrored pairs (statement, negation) over 60 own states and 120 public ones.

Frozen before the first training run: `python build.py --check` compares the file with its SHA-256.
Public states are development rows, never trained on; no state, statement or negation of the set
occurs in the training files (asserted here)."""

import hashlib
import json
import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import rows  # noqa: E402

WORDS = [
    None,
    {"true": "yes", "false": "no"},
    {"true": "confirmed", "false": "refuted"},
    None,
    {"true": "yes", "false": "no"},
    {"true": "so", "false": "not so"},
    None,
    {"true": "Yes", "false": "No"},
    {"true": "holds", "false": "fails"},
]
WANT = re.compile(
    r"^(?:the )?(?:user|speaker|somebody) (?:wants|would like) to (.+)$|^when somebody wants to (.+)$"
    r"|^wish to (.+)$|^request to (.+)$|^asks? to (.+)$",
    re.I,
)
TONE = {
    "sentence_polarity": {
        "The reviewer likes the film.": "Whoever wrote this enjoyed the picture.|Whoever wrote this did not enjoy the picture.",
        "The writer speaks well of the film.": "These lines recommend the picture.|These lines do not recommend the picture.",
        "The review is positive.": "The film comes off well here.|The film does not come off well here.",
    },
    "civil_comments": {
        "The comment is toxic.": "A reader would find these words offensive.|A reader would not find these words offensive.",
        "The comment contains abuse.": "These words are abusive towards somebody.|These words are not abusive towards anybody.",
    },
    "clickbait": {
        "The headline is clickbait.": "This title was made to attract clicks.|This title was not made to attract clicks.",
        "The headline is a plain news headline.": "This title simply reports news.|This title does not simply report news.",
    },
    "restaurant8k": {
        "The message states the number of guests.": "We learn how many people come.|We do not learn how many people come.",
        "The user tells the day.": "We learn for which day it is.|We do not learn for which day it is.",
    },
}


def own_pairs():
    for block in (HERE / "own.txt").read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        for line in lines[1:]:
            truth, statement, negation = line.split("|")
            yield "own", lines[0], statement, negation, truth == "T"


def goal(description):
    match = WANT.match(description or "")
    return next(g for g in match.groups() if g).rstrip(".") if match else None


def intent_pairs(dev, rng):
    for row in dev:
        if row["question"]["type"] != "choice" or row["source"] not in (
            "clinc150",
            "hwu64",
            "snips",
        ):
            continue
        goals = {key: goal(str(text)) for key, text in row["question"]["criteria"].items()}
        right = goals.get(row["answer"])
        wrong = [g for key, g in goals.items() if g and key != row["answer"] and g != right]
        holds = rng.random() < 0.5
        text = right if holds else rng.choice(wrong) if wrong else None
        if right and text:
            yield (
                row["source"],
                row["state"],
                f"Somebody is hoping to {text}.",
                f"Nobody is hoping to {text}.",
                holds,
            )


def tone_pairs(dev):
    for row in dev:
        pair = TONE.get(row["source"], {}).get(row["question"]["instructions"])
        if pair and row["question"]["type"] == "noul":
            yield (row["source"], row["state"], *pair.split("|"), row["answer"])


def choose(pairs, count, rng, per_source):
    """Distinct states, at most per_source of a source, true and false statements in turn."""
    pairs, seen, taken, chosen = list(pairs), set(), {}, []
    rng.shuffle(pairs)
    for truth in [True, False] * (2 * count):
        for pair in pairs:
            key = rows.as_text(pair[1])
            if pair[4] == truth and key not in seen and taken.get(pair[0], 0) < per_source:
                seen.add(key)
                taken[pair[0]] = taken.get(pair[0], 0) + 1
                chosen.append(pair)
                break
        if len(chosen) == count:
            return chosen
    raise SystemExit(f"only {len(chosen)} pairs of {count}")


def build():
    rng = random.Random(20261130)
    dev = rows.read_split("dev")
    pairs = (
        list(own_pairs())
        + choose(intent_pairs(dev, rng), 70, rng, 30)
        + choose(tone_pairs(dev), 50, rng, 16)
    )
    record = lambda i, p: {
        "id": f"polarity-{i:03d}",
        "source": p[0],
        "state": p[1],
        "statement": p[2],
        "negation": p[3],
        "holds": p[4],
        "labels": WORDS[i % len(WORDS)],
    }
    return [record(i, pair) for i, pair in enumerate(pairs)]


def assert_not_trained(pairs):
    trained = set()
    for row in rows.read_split("train"):
        trained |= {
            rows.as_text(row["state"]).lower(),
            rows.as_text(row["question"]["instructions"]).lower(),
        }
    for pair in pairs:
        for text in (pair["state"], pair["statement"], pair["negation"]):
            assert rows.as_text(text).lower() not in trained, text


def main():
    path, frozen = HERE / "polarity.jsonl", HERE / "polarity.sha256"
    text = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in build())
    digest = hashlib.sha256(text.encode()).hexdigest()
    if "--check" in sys.argv:
        assert digest == frozen.read_text().strip(), "polarity.jsonl differs from its frozen hash"
        return
    pairs = [json.loads(line) for line in text.splitlines()]
    assert_not_trained(pairs)
    path.write_text(text)
    frozen.write_text(digest + "\n")
    print(len(pairs), sum(p["holds"] for p in pairs), digest)


if __name__ == "__main__":
    main()
