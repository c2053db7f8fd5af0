#!/usr/bin/env python3
"""Writes varied decision requests, one JSON line each, as `dikast decide --ndjson` reads them.

The lines hold at least --questions questions that a reference-parity reader should answer, and
malformed requests beside them that it must refuse. The same seed gives the same lines.
"""

import argparse
import json
import random
import sys

from texts import ENGLISH, LABELS, ODD, SCRIPTS, TOKENS

NUMBERS = [
    "0", "-0", "7", "-12", "12345678901234567890123", "0.1", "-0.0", "1e2", "1E+2", "1.5e-7", "1e16",
    "1e-5", "0.0001", "123456789.123456789", "1e400", "-1e400", "1e-400", "5e-324", "3.10", "100.0",
    "9007199254740993", "1.7976931348623157e308", "0.30000000000000004", "NaN", "Infinity", "-Infinity",
]  # fmt: skip


class Raw(str):
    """JSON text written as it stands."""


class Pairs(list):
    """An object as (key, value) pairs, so that keys may repeat."""


class Writer:
    """Serialises with varying spelling: spaces, escapes, member order as given."""

    def __init__(self, rng):
        self.rng = rng

    def string(self, text):
        return json.dumps(text, ensure_ascii=self.rng.random() < 0.3)

    def value(self, value):
        if isinstance(value, Raw):
            return str(value)
        if isinstance(value, str):
            return self.string(value)
        if isinstance(value, dict):
            value = Pairs(value.items())
        comma, colon = self.rng.choice([(",", ":"), (", ", ": "), (" , ", " :\t")])
        if isinstance(value, Pairs):
            members = (self.string(key) + colon + self.value(item) for key, item in value)
            return "{" + comma.join(members) + "}"
        if isinstance(value, list):
            return "[" + comma.join(map(self.value, value)) + "]"
        return json.dumps(value)


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)

    def chance(self, p):
        return self.rng.random() < p

    def words(self, least, most):
        """A run of words; mostly English, now and then of any script, odd or a token literal."""
        out = []
        while len(out) < most:
            pool = self.rng.choices([ENGLISH, SCRIPTS, ODD, TOKENS], [6, 2, 1, 0.6])[0]
            out += self.rng.choice(pool).split(" ")
        return " ".join(out[: self.rng.randint(least, most)])

    def number(self):
        return Raw(self.rng.choice(NUMBERS))

    def json_value(self, depth=2):
        kind = self.rng.randrange(8 if depth else 5)
        if kind == 0:
            return self.number()
        if kind == 1:
            return self.rng.choice([True, False, None])
        if kind < 5:
            return self.words(1, 8)
        if kind == 5:
            return [self.json_value(depth - 1) for _ in range(self.rng.randrange(4))]
        return self.json_object(depth)

    def json_object(self, depth):
        keys = [
            self.rng.choice(["id", "text", "Größe", "amount", "a b", "", "键"]) for _ in range(4)
        ]
        members = Pairs((key, self.json_value(depth - 1)) for key in keys[: self.rng.randrange(5)])
        return members

    def state(self, longest):
        kind = self.rng.random()
        if kind < 0.5:
            return self.words(1, 60)
        if kind < 0.62:
            return self.words(longest // 2, longest)
        if kind < 0.8:
            return Pairs([("ticket", self.words(3, 40)), ("meta", self.json_object(2))])
        if kind < 0.9:
            turns = self.rng.choice([2, 3, longest // 20])
            return [{"role": "user", "content": self.words(3, 30)} for _ in range(turns)]
        if kind < 0.94:
            return self.rng.choice(ODD + TOKENS)
        value = self.json_value() if kind < 0.98 else self.number()
        return False if value is None else value

    def instructions(self):
        if self.chance(0.15):
            value = self.rng.choice([self.json_object(2), [self.words(2, 8)], self.number(), True])
            return value if value != Pairs() else self.words(2, 9)
        return self.words(2, 90 if self.chance(0.1) else 14) + "?"

    def description(self):
        if self.chance(0.7):
            return self.words(1, 90 if self.chance(0.08) else 12)
        return self.rng.choice([None, "", Raw("0"), False, self.number(), self.json_value(2)])

    def count(self):
        return self.rng.choice([1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 11, 14, 20, 40, 60])

    def labels(self, count):
        labels = self.rng.sample(LABELS, min(count, len(LABELS)))
        labels += [f"{self.rng.choice(ENGLISH)} variant {i}" for i in range(count - len(labels))]
        return labels

    def choice(self):
        count = self.count()
        labels = self.labels(count)
        if self.chance(0.35):
            if self.chance(0.4):
                one = self.rng.choice([Raw("1"), True])  # equal for Python: never both
                extra = [one, "1", "", *map(Raw, ("2.5", "1e22", "0.1", "-0.0", "-7"))]
                labels = self.rng.sample(extra, self.rng.randint(2, 8)) + labels
            return {"type": "choice", "criteria": labels}, len(labels)
        criteria = Pairs((label, self.description()) for label in labels)
        if self.chance(0.05):
            criteria.append((labels[0], "a second description of the first label"))
        return {"type": "choice", "criteria": criteria}, count

    def score(self):
        count = self.rng.choice([1, 2, 3, 4, 5, 5, 7, 10, 11, 25])
        levels = [self.description() for _ in range(count)]
        levels = ["none" if level is None else level for level in levels]
        return {"type": "score", "criteria": levels}, count

    def noul(self):
        question = {"type": "noul"}
        if self.chance(0.5):
            sides = self.rng.choice(
                [("true", "false"), ("false", "true"), ("True",), ("FALSE",), ()]
            )
            question["criteria"] = Pairs((side, self.description()) for side in sides)
        elif self.chance(0.2):
            question["criteria"] = None
        if self.chance(0.3):
            question["labels"] = self.rng.choice(
                [{"false": "no", "true": " yes "}, {"true": "对", "false": "错"}, None]
            )
        return question, 2

    def question(self):
        question, count = self.rng.choice([self.choice, self.choice, self.score, self.noul])()
        if self.chance(0.2):
            question["option_order"] = self.rng.sample(range(count), count)
        members = list(question.items()) + [("instructions", self.instructions())]
        self.rng.shuffle(members)
        return Pairs(members)

    def questions(self):
        names = ["q", "urgency", "it's", "größe", "a/b~c", "問", "two words", '"quoted"']
        count = self.rng.choice([1, 1, 1, 2, 3])
        chosen = self.rng.sample(names, count)
        if self.chance(0.03):
            chosen.append(chosen[0])  # the reference keeps the first place and the last value
        return Pairs((name, self.question()) for name in chosen)

    def malformed(self, index):
        """A request that must be refused; all causes come round in turn."""
        plain = {"type": "choice", "instructions": "Which?", "criteria": ["a", "b"]}
        noul = {"type": "noul", "instructions": "Is it?"}
        score = {"type": "score", "instructions": "How?", "criteria": ["low", "high"]}
        bad = [
            plain | {"type": "pick"},
            plain | {"type": None},
            {"type": "choice", "criteria": ["a"]},
            plain | {"instructions": None},
            plain | {"instructions": " \t\n"},
            plain | {"instructions": []},
            plain | {"instructions": {}},
            plain | {"criteria": []},
            plain | {"criteria": {}},
            plain | {"criteria": "a, b"},
            {"type": "choice", "instructions": "Which?"},
            plain | {"criteria": ["a", None]},
            plain | {"criteria": ["a", ["b"]]},
            plain | {"criteria": [{"a": 1}, "b"]},
            plain | {"criteria": ["a", "b", "a"]},
            plain | {"criteria": [Raw("1"), Raw("1.0")]},
            plain | {"criteria": [True, Raw("1")]},
            plain | {"criteria": [Raw("0"), Raw("-0.0")]},
            plain | {"labels": {"false": "x", "true": "y"}},
            plain | {"labels": None},
            score | {"labels": None},
            score | {"criteria": []},
            score | {"criteria": {"0": "low"}},
            score | {"criteria": ["low", None]},
            score | {"criteria": Raw("3")},
            noul | {"criteria": []},
            noul | {"criteria": ""},
            noul | {"criteria": False},
            noul | {"criteria": {"yes": "a", "no": "b"}},
            noul | {"labels": {"false": "x"}},
            noul | {"labels": {"false": "x", "true": " x "}},
            noul | {"labels": {"false": "", "true": "y"}},
            noul | {"labels": {"false": Raw("0"), "true": "y"}},
            noul | {"labels": ["x", "y"]},
            plain | {"option_order": None},
            plain | {"option_order": [0]},
            plain | {"option_order": [0, 0]},
            plain | {"option_order": [1, 2]},
            plain | {"option_order": [Raw("0.0"), 1]},
            plain | {"option_order": [False, True]},
            plain | {"option_order": "01"},
            noul | {"option_order": [0, 1, 2]},
            plain | {"criteria": [f"option {i}" for i in range(600)]},
            plain | {"criteria": ["a", Raw('"\\ud800"')]},
            [plain],
            "Which?",
            None,
        ]
        requests = [
            Pairs([("state", "x"), ("questions", {"good": noul, "bad": question})])
            for question in bad
        ]
        requests += [
            Pairs([("questions", {"q": noul})]),
            Pairs([("state", None), ("questions", {"q": noul})]),
            Pairs([("state", "x"), ("questions", [noul])]),
            Pairs([("state", "x"), ("questions", None)]),
            Pairs([("state", "x")]),
            Pairs([("state", "x"), ("questions", {"": noul})]),
            Pairs([("state", "x"), ("questions", {"  ": noul})]),
            Pairs([("state", Raw('"lone \\udc00 half"')), ("questions", {"q": noul})]),
            [],
            "text",
            Raw("{"),
            Raw('{"state": "x", "questions": {"q": {"type": "noul", "instructions": "Is it?"}}} x'),
            Raw('{"state": "x", "questions": {"q": {"type": "noul", "instructions": "Is it?"}},}'),
            Raw("{'state': 'x'}"),
            Raw('{"state": 01, "questions": {}}'),
            Raw('{"state": "tab\there", "questions": {}}'),
            Raw('{"state": "x" "questions": {}}'),
            Raw("nul"),
        ]
        return requests[index % len(requests)]

    def request(self, longest):
        members = [("state", self.state(longest)), ("questions", self.questions())]
        self.rng.shuffle(members)
        return Pairs(members)


MALFORMED = 65  # causes in Generator.malformed: 47 questions, 18 requests


def lines(questions, seed, longest, malformed):
    """Yields the lines; malformed requests are spread evenly among the others."""
    generator = Generator(seed)
    writer = Writer(generator.rng)
    requests, asked = [Pairs([("state", "nothing asked"), ("questions", {})])], 0
    while asked < questions:
        requests.append(generator.request(longest))
        asked += len(dict(dict(requests[-1])["questions"]))  # ids that repeat count once
    step = max(1, len(requests) // max(1, malformed))
    for index in range(malformed):
        requests.insert(index * (step + 1), generator.malformed(index))
    for index, request in enumerate(requests):
        if isinstance(request, Pairs):
            request = Pairs([("id", f"r{index}"), *request])
        yield writer.value(request)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--malformed", type=int, default=MALFORMED)
    parser.add_argument("--longest", type=int, default=700, help="words of the longest states")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for line in lines(args.questions, args.seed, args.longest, args.malformed):
        sys.stdout.buffer.write(line.encode("utf-8") + b"\n")


if __name__ == "__main__":
    main()
