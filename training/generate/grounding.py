"""Replies that a source supports, contradicts, does not cover, or that claim nothing; sources are public passages."""

import re

from .common import PEOPLE, choice, noul

PASSAGE_SOURCES = {"condaqa", "fool_me_twice", "strategyqa", "health_questions", "conjnli", "qasc"}
OPENERS = [
    "",
    "",
    "",
    "Yes, ",
    "I think ",
    "Well, ",
    "From what I read, ",
    "Actually, ",
    "Oh, I know that one: ",
    "As far as I know, ",
    "Did you know that ",
]
CLOSERS = [
    "",
    "",
    "",
    " Isn't that interesting?",
    " What do you think?",
    " I really like that.",
    " Do you want to know more?",
]
GENERIC = [
    "That is a good question!",
    "I am not sure, what do you think?",
    "Oh, I love talking about this.",
    "Yes, tell me more about it.",
    "Haha, that is funny.",
    "I have never thought about that before.",
    "I see what you mean.",
    "Do you like it as well?",
    "Sorry, I do not know.",
    "Wow, really?",
    "I agree with you.",
    "Hello, how are you today?",
    "That sounds great to me.",
]
INVENTED = [
    "It was founded by {p} in {y}.",
    "{p} wrote a book about it in {y}.",
    "My cousin {p} saw it in {y}.",
    "It won a prize in {y}.",
    "It has been closed since {y}.",
    "About {n} percent of people disagree with it.",
    "It is the largest of its kind.",
    "It costs more than {n} dollars.",
    "{p} is said to have invented it.",
]
QUESTIONS = [
    "Is the reply supported by the source?",
    "Every claim of the reply is backed by the source.",
    "The answer is grounded in the document.",
    "The reply sticks to what the text says.",
    "Can the reply be traced back to the given text?",
]
NEGATED = [
    "The reply claims something that the source does not support.",
    "The answer goes beyond the document.",
    "The reply is not backed by the source.",
]
KINDS = [
    ("supported", "the source says what the reply says"),
    ("unsupported", "the reply claims something that the source does not say"),
    ("no claim", "the reply only chats and claims nothing about the subject"),
]
ASK = [
    "How does the reply relate to the source?",
    "Judge the reply against the source.",
    "Is the answer grounded?",
    "Which verdict fits the reply?",
]
STATES = [
    ("source", "reply"),
    ("document", "answer"),
    ("knowledge", "response"),
    ("context", "reply"),
    ("passage", "assistant"),
]
NUMBER = re.compile(r"\b\d{1,4}\b")


def passages(train):
    found = {}
    for row in train:
        if row["source"] in PASSAGE_SOURCES:
            text = (
                row["state"]
                if isinstance(row["state"], str)
                else (
                    " ".join(str(v) for v in row["state"].values())
                    if isinstance(row["state"], dict)
                    else ""
                )
            )
            sentences = [
                s
                for s in re.split(r"(?<=[a-z)][.!?]) (?=[A-Z])", text)
                if 5 <= len(s.split()) <= 40
            ]
            if len(sentences) >= 2:
                found[text] = sentences
    return list(found.values())


def shortened(sentence, rng):
    """A front part that ends before a comma or a relative clause, or the sentence."""
    cut = re.split(r", (?:which|who|and|but|where|while)|; | \(", sentence)[0]
    return (cut.rstrip(".") + ".") if len(cut.split()) >= 5 and rng.random() < 0.6 else sentence


def altered(sentence, rng):
    """The sentence with another number or with its claim turned round; None where no rule applies."""
    numbers = NUMBER.findall(sentence)
    if numbers and rng.random() < 0.7:
        old = rng.choice(numbers)
        return sentence.replace(old, str(int(old) + rng.choice([-7, -3, 2, 5, 11, 40])), 1)
    turned = re.sub(
        r"\b(is|are|was|were|can|has been|have been|will)\b(?! not)", r"\1 not", sentence, count=1
    )
    return turned if turned != sentence else None


def reply_of(kind, sentences, others, rng):
    sentence = rng.choice(sentences)
    if kind == "supported":
        return shortened(sentence, rng)
    if kind == "no claim":
        return rng.choice(GENERIC)
    way = rng.random()
    if way < 0.4:
        return altered(sentence, rng)
    if way < 0.7:
        return shortened(rng.choice(others), rng)
    invented = rng.choice(INVENTED).format(
        p=rng.choice(PEOPLE), y=rng.randrange(1890, 2024), n=rng.randrange(5, 95)
    )
    return invented if rng.random() < 0.6 else shortened(sentence, rng) + " " + invented


def rows(train, rng, count):
    pool = passages(train)
    for _ in range(count if len(pool) > 20 else 0):
        sentences, others = rng.choice(pool), rng.choice(pool)
        number = rng.choice([0, 0, 1, 1, 2])
        text = reply_of(KINDS[number][0], sentences, others, rng)
        if not text or others is sentences:
            continue
        reply = text if number == 2 else rng.choice(OPENERS) + text + rng.choice(CLOSERS)
        first, second = rng.choice(STATES)
        shown = sentences[: rng.randrange(2, 7)] if number else sentences
        state = {first: " ".join(shown)[:1100], second: reply}
        if rng.random() < 0.3:
            state = {
                first: state[first],
                "message": rng.choice(
                    [
                        "Tell me something about it.",
                        "What do you know about this?",
                        "Really?",
                        "I love this topic.",
                    ]
                ),
                second: reply,
            }
        if rng.random() < 0.5:
            yield choice(state, rng.choice(ASK), KINDS, number, rng)
        elif number < 2:
            negative = rng.random() < 0.35
            yield noul(
                state,
                rng.choice(NEGATED if negative else QUESTIONS),
                (number == 0) != negative,
                rng,
            )
