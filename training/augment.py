"""Variants of a row that keep or flip its answer by rule: other label words, negation, other question types.

Every variant is a new row with a `group` name, so that a run can weigh the groups."""

import re

LABELS = [
    ("true", "false"),
    ("yes", "no"),
    ("correct", "incorrect"),
    ("right", "wrong"),
    ("agree", "disagree"),
    ("applies", "does not apply"),
    ("supported", "unsupported"),
    ("accept", "reject"),
    ("y", "n"),
    ("1", "0"),
    ("valid", "invalid"),
    ("affirmative", "negative"),
    ("pass", "fail"),
    ("True", "False"),
    ("Yes", "No"),
    ("it is so", "it is not so"),
    ("given", "not given"),
    ("fits", "does not fit"),
    ("YES", "NO"),
]
LEAD = re.compile(
    r"^(?:decide:|from the text:|based on the state:|read the record\.|look at the case\.|"
    r"using only what is given,|given the information,|true or not:|statement:|claim:|hypothesis:) ",
    re.I,
)
ASKED = re.compile(
    r"\?|^(?:is|are|was|were|does|do|did|can|could|has|have|had|will|would|should|may|how|what|which|"
    r"who|whom|whose|where|when|why) ",
    re.I,
)
CLOSING = re.compile(
    r" (?:choose one|pick the best option|select exactly one option|answer from the state only|"
    r"use the descriptions)\.?$",
    re.I,
)
NEGATIVE = re.compile(
    r"n't|\b(?:not|no|never|none|nothing|nobody|neither|nor|any|every|all|each|some|only|both|either|"
    r"always|if|unless|because|or|but|cannot|without|few|hardly|who|which|that|when|false|wrong)\b",
    re.I,
)
AUXILIARY = re.compile(
    r"^((?:\S+ ){1,6}?)(is|are|was|were|can|could|will|would|should|must|may|does|do|did) (?!not\b)"
)
VERB = re.compile(
    r"^((?:the|this|that) (?:user|customer|speaker|writer|message|text|reply|comment|post|author|person|"
    r"passage|record|reviewer|action|request|state|sentence|review)(?:'s \w+)? )(\w+?)(s) ",
    re.I,
)
WRAPPED = [
    "It is not true that {}",
    "It is false that {}",
    "It is not the case that {}",
    "The following does not hold: {}",
    "This is wrong: {}",
    "It would be a mistake to say that {}",
    "Not so: {}",
    "The claim '{}' is incorrect.",
]
ANSWER_IS = [
    "The right answer to '{q}' is '{o}'.",
    "{q} Answer: {o}.",
    "'{o}' is the best answer. Question: {q}",
    "{q} It is {o}.",
    "Asked '{q}', '{o}' would be right.",
    "The best option is: {o}. ({q})",
    "Is '{o}' the right answer to this: {q}",
    "Proposed answer: {o}. {q}",
]
ANSWER_IS_NOT = [
    "The right answer to '{q}' is not '{o}'.",
    "'{o}' is the wrong answer. Question: {q}",
    "{q} It is anything but {o}.",
    "Asked '{q}', '{o}' would be wrong.",
]
NONE_NAMES = [
    "none of these",
    "None of the above",
    "none_of_these",
    "other",
    "something else",
    "noneOfThese",
    "no match",
    "None",
]
NONE_TEXTS = [
    None,
    "no other option fits",
    "none of the options listed fits",
    "something that is not listed here",
    "use this when nothing else applies",
]
CODE = re.compile(r"^(?:[A-Za-z]?-?\d+|[A-Za-z]|\w{1,3}-?\d+)$")


def bare(text):
    """The question itself, without the lead-ins and closing phrases of the data."""
    return CLOSING.sub("", LEAD.sub("", LEAD.sub("", text))).strip()


def lower_first(text):
    return text if text[:2].isupper() or text[:2] == "I " else text[:1].lower() + text[1:]


def base_form(verb):
    return (
        verb[:-2] + "y"
        if verb.endswith("ie")
        else verb[:-1] if re.search(r"(?:ss|sh|ch|x)e$", verb) else verb
    )


def negate_plainly(statement):
    """'The user wants to pay.' -> 'The user does not want to pay.'; None where no safe rule applies."""
    if NEGATIVE.search(statement) or len(statement.split()) > 22:
        return None
    if AUXILIARY.match(statement):
        return AUXILIARY.sub(r"\1\2 not ", statement, count=1)
    if VERB.match(statement):
        return VERB.sub(lambda m: f"{m[1]}does not {base_form(m[2])} ", statement, count=1)
    return None


def derived(row, group, question, answer, **more):
    return {
        **row,
        "mirror": None,
        "id": f"{row['id']}/{group}",
        "group": group,
        "question": question,
        "answer": answer,
        **more,
    }


def with_labels(row, rng):
    true, false = rng.choice(LABELS)
    return derived(
        row, "labels", {**row["question"], "labels": {"true": true, "false": false}}, row["answer"]
    )


def negated(row, rng):
    text = bare(row["question"]["instructions"])
    if ASKED.search(text):
        return None
    plain = negate_plainly(text)
    if plain is None or rng.random() < 0.3:
        plain = rng.choice(WRAPPED).format(lower_first(text))
    question = {"type": "noul", "instructions": plain, "criteria": None}
    if rng.random() < 0.5:
        question["labels"] = dict(zip(("true", "false"), rng.choice(LABELS)))
    return derived(row, "negated", question, not row["answer"], mirror=row["id"])


def noul_as_choice(row, rng):
    criteria, names = row["question"].get("criteria") or {}, rng.choice(LABELS)
    sides = [(names[0], criteria.get("true")), (names[1], criteria.get("false"))]
    rng.shuffle(sides)
    question = {
        "type": "choice",
        "instructions": row["question"]["instructions"],
        "criteria": dict(sides),
    }
    return derived(row, "as_choice", question, names[0] if row["answer"] else names[1])


def option_phrase(name, text):
    if text in (None, ""):
        return name.replace("_", " ")
    return str(text) if CODE.match(name) else f"{name} ({text})"


def choice_as_noul(row, rng):
    criteria, right = row["question"]["criteria"], row["answer"]
    wrong = [name for name in criteria if name != right]
    said_right, negative = rng.random() < 0.5 or not wrong, rng.random() < 0.25
    name = right if said_right else rng.choice(wrong)
    text = rng.choice(ANSWER_IS_NOT if negative else ANSWER_IS).format(
        q=bare(row["question"]["instructions"]), o=option_phrase(name, criteria[name])
    )
    question = {"type": "noul", "instructions": text, "criteria": None}
    if rng.random() < 0.5:
        question["labels"] = dict(zip(("true", "false"), rng.choice(LABELS)))
    return derived(row, "as_noul", question, said_right != negative)


def with_none(row, rng):
    """Adds 'none of these'; half of the time the right option is taken away and 'none' is right."""
    criteria, right = dict(row["question"]["criteria"]), row["answer"]
    if len(criteria) < 3 or any(
        "none" in name.lower() or "other" in name.lower() for name in criteria
    ):
        return None
    name, text = rng.choice(NONE_NAMES), rng.choice(NONE_TEXTS)
    if rng.random() < 0.5:
        del criteria[right]
        right = name
    criteria[name] = text
    return derived(row, "none", {**row["question"], "criteria": criteria}, right)


def score_as_choice(row, rng):
    levels = [str(level) for level in row["question"]["criteria"]]
    if len(set(levels)) < len(levels) or len(levels) < 2:
        return None
    order = rng.sample(levels, len(levels))
    return derived(
        row,
        "as_choice",
        {**row["question"], "type": "choice", "criteria": dict.fromkeys(order)},
        levels[row["answer"]],
    )


def score_as_noul(row, rng):
    levels, answer = row["question"]["criteria"], row["answer"]
    if len(levels) < 2:
        return None
    bound, above = rng.randrange(1, len(levels)), rng.random() < 0.5
    side = f"at least '{levels[bound]}'" if above else f"below '{levels[bound]}'"
    scale = ", ".join(str(level) for level in levels)
    text = f"{bare(row['question']['instructions'])} It is {side} on the scale: {scale}."
    return derived(
        row,
        "as_noul",
        {"type": "noul", "instructions": text, "criteria": None},
        (answer >= bound) == above,
    )


def reversed_scale(row, rng):
    levels = row["question"]["criteria"]
    return derived(
        row,
        "reversed",
        {**row["question"], "criteria": levels[::-1]},
        len(levels) - 1 - row["answer"],
    )


RULES = {
    "noul": [(0.35, with_labels), (0.40, negated), (0.25, noul_as_choice)],
    "choice": [(0.30, choice_as_noul), (0.10, with_none)],
    "score": [(0.30, score_as_choice), (0.30, score_as_noul), (0.15, reversed_scale)],
}


def variants(row, rng):
    """Zero to three variants of a training row."""
    made = (
        rule(row, rng) for share, rule in RULES[row["question"]["type"]] if rng.random() < share
    )
    return [variant for variant in made if variant]


def unknowable(row, other):
    """The question about a state of another kind: every option is as likely as the next."""
    return foreign(row, other, "unknowable")


def foreign(row, other, group):
    criteria = row["question"]["criteria"]
    count = len(criteria) if criteria and row["question"]["type"] != "noul" else 2
    return derived(
        row,
        group,
        row["question"],
        row["answer"],
        state=other["state"],
        second=other["source"],
        target=[1 / count] * count,
    )


FITS = [
    "Which option fits the state best?",
    "What does this go with?",
    "Choose what applies.",
    "Pick the entry that suits the text.",
    "Which of these describes it?",
    "best match",
    "Sort this into one of the options.",
    "Label the text.",
]


def mixed(row, other, rng):
    """A row that only a teacher can answer: the question of `row` about the state of `other`, or, where both are
    choices, the options of both. Its targets are even; a run without a teacher gives the group no weight.
    """
    both = row["question"]["type"] == other["question"]["type"] == "choice"
    if not both or rng.random() < 0.5:
        return foreign(row, other, "mixed")
    pool = {**row["question"]["criteria"], **other["question"]["criteria"]}
    names = rng.sample(sorted(pool), min(len(pool), rng.choice([2, 3, 4, 5, 6, 8])))
    asked = rng.choice([row["question"]["instructions"], rng.choice(FITS)])
    question = {
        "type": "choice",
        "instructions": asked,
        "criteria": {name: pool[name] for name in names},
    }
    target = [1 / len(names)] * len(names)
    return derived(
        row,
        "mixed",
        question,
        names[0],
        state=other["state"],
        second=other["source"],
        target=target,
    )
