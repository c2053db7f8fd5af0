"""Two outputs for one instruction: which one does what was asked? Rules decide; the wrong one is often the nicer text."""

from .common import PEOPLE, TOWNS, noul

WORDS = (
    "river lamp cloud stone garden bread window train forest candle mirror bridge music paper winter orange silver "
    "planet bottle harbour kitten ladder pepper basket thunder velvet"
).split()
ANIMALS = "otter heron lynx badger falcon salmon beetle camel goat whale".split()
NICE = ["Sure! ", "Of course, here it is: ", "Great question! ", "Happy to help. ", "Certainly. "]
TAILS = [
    " I hope this helps!",
    " Let me know if you need anything else.",
    " It is a fascinating subject with a long history.",
    " There is much more to say about this.",
]


def arithmetic(rng):
    a, b = rng.randrange(3, 60), rng.randrange(3, 60)
    sign, result = rng.choice([("+", a + b), ("-", a - b), ("times", a * b)])
    return (
        f"What is {a} {sign} {b}?",
        str(result),
        str(result + rng.choice([-10, -2, -1, 1, 2, 10])),
    )


def sorting(rng):
    words = rng.sample(WORDS, rng.randrange(3, 6))
    right, wrong = sorted(words), rng.sample(words, len(words))
    ask = rng.choice(["Sort these words alphabetically: {}", "Put into alphabetical order: {}"])
    return (
        ask.format(", ".join(words)),
        ", ".join(right),
        ", ".join(wrong if wrong != right else right[::-1]),
    )


def counting(rng):
    kind, count = rng.choice(
        [("animals", ANIMALS), ("words", WORDS), ("towns", TOWNS), ("first names", PEOPLE)]
    ), rng.randrange(2, 6)
    ask = rng.choice(["Name {} {}.", "Give me exactly {} {}.", "List {} {}, nothing more."])
    return (
        ask.format(count, kind[0]),
        ", ".join(rng.sample(kind[1], count)),
        ", ".join(rng.sample(kind[1], count + rng.choice([-1, 1, 2]))),
    )


def casing(rng):
    sentence = f"the {rng.choice(WORDS)} is near the {rng.choice(WORDS)}"
    return f"Write in capital letters: {sentence}", sentence.upper(), sentence.capitalize() + "."


def selecting(rng):
    animal, word = rng.choice(ANIMALS), rng.sample(WORDS, 3)
    items = rng.sample(word + [animal], 4)
    return (
        f"Which of these is an animal: {', '.join(items)}?",
        f"The {animal}.",
        f"The {rng.choice(word)}.",
    )


def repeating(rng):
    word, count = rng.choice(WORDS), rng.randrange(2, 6)
    return (
        f"Write the word '{word}' {count} times.",
        " ".join([word] * count),
        rng.choice(
            [
                f"The word '{word}' has {len(word)} letters and {count} meanings.",
                " ".join([word] * (count + rng.choice([-1, 1, 2]))),
            ]
        ),
    )


def replacing(rng):
    name, other, town = rng.choice(PEOPLE), rng.choice(PEOPLE), rng.choice(TOWNS)
    text = f"{name} took the early train to {town} and came back in the evening."
    return (
        f"Replace the name {name} by {other}: {text}",
        text.replace(name, other),
        rng.choice(
            [
                text,
                f"{other} is a nice name, and {town} is a lovely town.",
                text.replace(town, other),
            ]
        ),
    )


def quoting(rng):
    name, town, thing = rng.choice(PEOPLE), rng.choice(TOWNS), rng.choice(WORDS)
    text = f"{name} lost a {thing} in {town} on the way to work."
    part = rng.choice(
        [
            ("Who lost something", name, town),
            ("In which town did it happen", town, name),
            ("What was lost", f"A {thing}", town),
        ]
    )
    return f"{text} {part[0]}?", part[1] + ".", part[2] + "."


def negative(rng):
    word = rng.choice(WORDS)
    return (
        f"Write a sentence without the word '{word}'.",
        f"The {rng.choice([w for w in WORDS if w != word])} was left on the table.",
        f"The {word} was left on the table, and it looked beautiful.",
    )


def short(rng):
    town = rng.choice(TOWNS)
    return (
        f"Describe {town} in at most five words.",
        rng.choice(["A lively old town.", "Quiet streets, good food.", "Hills, trams and light."]),
        f"{town} is a wonderful place with many streets, a great market, friendly people and a long history that goes back centuries.",
    )


RULES = [
    arithmetic,
    sorting,
    counting,
    casing,
    selecting,
    repeating,
    replacing,
    quoting,
    negative,
    short,
]


def knowledge(train):
    """Public science questions with a right and a wrong answer."""
    found = []
    for row in train:
        question = row["question"]
        if row["source"] in ("openbookqa", "qasc") and question["type"] == "choice":
            texts = {name: text or name for name, text in question["criteria"].items()}
            ask = (
                row["state"]
                if isinstance(row["state"], str)
                else row["state"].get("question") if isinstance(row["state"], dict) else None
            )
            wrong = [t for n, t in texts.items() if n != row["answer"] and "none" not in t.lower()]
            if ask and wrong:
                found.append((ask, texts[row["answer"]], wrong[0]))
    return found


KEYS = [
    ("output_a", "output_b"),
    ("answer_1", "answer_2"),
    ("response A", "response B"),
    ("first", "second"),
]
ASK = [
    "Which output follows the instruction?",
    "Which answer is better?",
    "Pick the output that does what was asked.",
    "Which one is correct?",
    "Compare the two answers. Which one serves the task?",
    "Which response should be preferred?",
]


def rows(train, rng, count):
    facts = knowledge(train)
    for _ in range(count):
        ask, good, bad = (
            rng.choice(facts) if facts and rng.random() < 0.25 else rng.choice(RULES)(rng)
        )
        if rng.random() < 0.35:
            bad = rng.choice(NICE) + bad + rng.choice(TAILS)
        elif rng.random() < 0.2:
            good = rng.choice(NICE) + good
        first, keys = rng.random() < 0.5, rng.choice(KEYS)
        outputs = dict(zip(keys, (good, bad) if first else (bad, good)))
        task = rng.choice(["instruction", "task", "request", "prompt"])
        kind = rng.random()
        if kind < 0.35:  # the outputs are the options
            names = rng.choice(
                [("A", "B"), ("1", "2"), ("first", "second"), ("output_1", "output_2")]
            )
            criteria = dict(zip(names, outputs.values()))
            yield {
                "state": {task: ask} if rng.random() < 0.5 else ask,
                "answer": names[0 if first else 1],
                "question": {
                    "type": "choice",
                    "instructions": rng.choice(ASK),
                    "criteria": criteria,
                },
            }
        elif kind < 0.75:
            criteria = (
                dict.fromkeys(keys)
                if rng.random() < 0.5
                else {
                    keys[0]: "the first one does what was asked",
                    keys[1]: "the second one does what was asked",
                }
            )
            yield {
                "state": {task: ask, **outputs},
                "answer": keys[0 if first else 1],
                "question": {
                    "type": "choice",
                    "instructions": rng.choice(ASK),
                    "criteria": criteria,
                },
            }
        else:
            shown, negative_form = rng.random() < 0.5, rng.random() < 0.3
            text = rng.choice(
                [
                    "The output does what the instruction asks.",
                    "The answer is right.",
                    "Is the task solved correctly?",
                ]
            )
            if negative_form:
                text = rng.choice(
                    [
                        "The output fails to do what was asked.",
                        "The answer is wrong.",
                        "The instruction was not followed.",
                    ]
                )
            yield noul(
                {task: ask, "output": good if shown else bad}, text, shown != negative_form, rng
            )
