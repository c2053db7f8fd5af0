"""Short records of invented facts; statements that they confirm, deny or leave open, plain and negated."""

from .common import PEOPLE, TOWNS, choice, dressed, noul, upper_first

THINGS = [
    "a bicycle",
    "a violin",
    "a red car",
    "two cats",
    "a parrot",
    "a small boat",
    "an old piano",
    "a drone",
    "a camera",
    "three goats",
    "a greenhouse",
    "a motorbike",
    "a telescope",
    "a sewing machine",
]
JOBS = [
    "nurse",
    "carpenter",
    "teacher",
    "pilot",
    "baker",
    "lawyer",
    "gardener",
    "plumber",
    "engineer",
    "librarian",
    "cook",
    "driver",
    "electrician",
    "painter",
    "dentist",
]
FOODS = [
    "rice",
    "fish",
    "cheese",
    "apples",
    "bread",
    "soup",
    "olives",
    "noodles",
    "beans",
    "cake",
    "mushrooms",
    "eggs",
]
SUBJECTS = [
    "history",
    "chess",
    "chemistry",
    "sailing",
    "painting",
    "botany",
    "geometry",
    "swimming",
    "singing",
    "law",
]
TONGUES = [
    "Polish",
    "Arabic",
    "Spanish",
    "Turkish",
    "Hindi",
    "Greek",
    "Korean",
    "French",
    "Swahili",
    "Danish",
]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
NUMBERS = [str(n) for n in range(2, 40)]
COLOURS = ["green", "blue", "white", "black", "yellow", "grey", "brown", "purple"]
STATES = [
    "open",
    "broken",
    "empty",
    "locked",
    "full",
    "clean",
    "sold out",
    "under repair",
    "ready",
    "overdue",
]
OBJECTS = [
    "gate",
    "lift",
    "printer",
    "north hall",
    "order",
    "kitchen",
    "server",
    "pool",
    "bus",
    "report",
    "ticket",
    "parcel",
]
CAUSES = [
    "illness",
    "heavy rain",
    "a strike",
    "a power cut",
    "missing parts",
    "a public holiday",
    "a storm",
    "low demand",
]

# (values, ways to say it, statements, their negations, question, is one value the only one)
PERSON = [
    (
        THINGS,
        ["{p} owns {v}.", "{p} has had {v} for years.", "{v} belongs to {p}."],
        ["{p} owns {v}", "{v} is in {p}'s possession", "{p} has {v}"],
        ["{p} does not own {v}", "{p} has never owned {v}", "{v} is not {p}'s"],
        "What does {p} own?",
        False,
    ),
    (
        JOBS,
        ["{p} works as a {v}.", "{p} earns a living as a {v}.", "By trade {p} is a {v}."],
        ["{p} is a {v}", "{p} works as a {v}", "The job of {p} is that of a {v}"],
        ["{p} is not a {v}", "{p} does not work as a {v}", "{p} has another job than {v}"],
        "What is {p}'s job?",
        True,
    ),
    (
        TOWNS,
        ["{p} lives in {v}.", "{p}'s home is {v}.", "{p} moved to {v} last spring and stayed."],
        ["{p} lives in {v}", "{v} is where {p} lives", "{p} resides in {v}"],
        [
            "{p} does not live in {v}",
            "{p} lives somewhere else than {v}",
            "{v} is not the home of {p}",
        ],
        "Where does {p} live?",
        True,
    ),
    (
        FOODS,
        ["{p} cannot stand {v}.", "{p} hates {v}.", "{v} is the one food that {p} refuses."],
        ["{p} dislikes {v}", "{p} would rather not eat {v}", "{v} is not to {p}'s taste"],
        ["{p} likes {v}", "{p} is fond of {v}", "{p} enjoys {v}"],
        "Which food does {p} dislike?",
        False,
    ),
    (
        SUBJECTS,
        ["{p} teaches {v}.", "{p} gives lessons in {v}.", "{p}'s pupils learn {v}."],
        ["{p} teaches {v}", "One can learn {v} from {p}"],
        ["{p} does not teach {v}", "{v} is not what {p} teaches"],
        "What does {p} teach?",
        True,
    ),
    (
        TONGUES,
        ["{p} speaks {v} fluently.", "{p} grew up with {v}.", "{p} is fluent in {v}."],
        ["{p} speaks {v}", "{p} understands {v}", "{v} is a language that {p} knows"],
        ["{p} speaks no {v}", "{p} does not speak {v}", "{p} cannot follow a talk in {v}"],
        "Which language does {p} speak?",
        False,
    ),
    (
        DAYS,
        ["{p} is free on {v} only.", "{p}'s only day off is {v}.", "{p} works every day but {v}."],
        ["{p} has time on {v}", "{p} does not work on {v}", "{v} is {p}'s day off"],
        ["{p} works on {v}", "{p} has no time on {v}", "{p} is busy on {v}"],
        "On which day is {p} free?",
        True,
    ),
    (
        NUMBERS,
        ["{p} is {v} years old.", "{p} turned {v} in May.", "{p}'s age is {v}."],
        ["{p} is {v} years old", "{p}'s age is {v}"],
        ["{p} is not {v} years old", "{p} is of another age than {v}"],
        "How old is {p}?",
        True,
    ),
    (
        TOWNS,
        [
            "{p} has never been to {v}.",
            "{p} has yet to see {v}.",
            "A trip to {v} is still a dream of {p}'s.",
        ],
        ["{p} has not visited {v} so far", "{v} is unknown to {p}"],
        ["{p} has been to {v}", "{p} has already visited {v}"],
        "Which town has {p} not seen yet?",
        False,
    ),
]
THING = [
    (
        STATES,
        ["The {o} is {v}.", "Right now the {o} is {v}.", "We found the {o} {v}."],
        ["The {o} is {v}", "At the moment the {o} is {v}"],
        ["The {o} is not {v}", "It would be wrong to call the {o} {v}"],
        "In what state is the {o}?",
        False,
    ),
    (
        COLOURS,
        [
            "The {o} is painted {v}.",
            "The colour of the {o} is {v}.",
            "Somebody gave the {o} a coat of {v} paint.",
        ],
        ["The {o} is {v}", "The {o} has the colour {v}"],
        ["The {o} is not {v}", "The {o} has another colour than {v}"],
        "What colour is the {o}?",
        True,
    ),
    (
        DAYS,
        [
            "The {o} was checked on {v}.",
            "On {v} somebody inspected the {o}.",
            "The check of the {o} took place on {v}.",
        ],
        ["The {o} was inspected on {v}", "{v} was the day of the check of the {o}"],
        [
            "The {o} was not inspected on {v}",
            "The check of the {o} took place on another day than {v}",
        ],
        "When was the {o} checked?",
        True,
    ),
    (
        CAUSES,
        [
            "The {o} was closed because of {v}.",
            "{v} was the reason why nobody could use the {o}.",
            "Owing to {v}, the {o} was out of use.",
        ],
        ["{v} kept the {o} out of use", "The {o} could not be used because of {v}"],
        ["{v} had nothing to do with the {o}", "The {o} was not closed because of {v}"],
        "Why was the {o} out of use?",
        True,
    ),
    (
        NUMBERS,
        [
            "There are {v} people waiting at the {o}.",
            "{v} complaints came in about the {o}.",
            "The {o} cost {v} euros.",
        ],
        None,
        None,
        None,
        True,
    ),
]
OPEN = ["not stated", "unknown", "cannot be told", "the text does not say", "no information"]


def record(rng):
    """Facts of one state: [(slot, subject, value)] with distinct slots per subject."""
    people, objects = rng.sample(PEOPLE, rng.choice([1, 2, 2, 3])), rng.sample(
        OBJECTS, rng.choice([0, 1, 1, 2])
    )
    found = []
    for kinds, names in ((PERSON, people), (THING, objects)):
        for name in names:
            for slot in rng.sample(kinds, rng.choice([1, 2, 2, 3])):
                found.append((slot, name, rng.choice(slot[0])))
    rng.shuffle(found)
    return found


def fill(form, name, value):
    return upper_first(form.format(p=name, o=name, v=value))


def asked(facts, rng):
    """A slot that can be asked about, with the subject and its value in the text (None: left open)."""
    usable = [f for f in facts if f[0][2]]
    if not usable:
        return None
    slot, name, value = rng.choice(usable)
    if rng.random() < 0.2:  # ask the same about somebody of whom the text says nothing
        pool = PEOPLE if slot in PERSON else OBJECTS
        name = rng.choice([n for n in pool if n not in [f[1] for f in facts]])
        value = None
    return slot, name, value


def truth_of(slot, value, said):
    """True, False or None (open): a second job is ruled out, a second possession is not."""
    if value is None:
        return None
    return True if said == value else False if slot[5] else None


def statement_row(state, slot, name, value, rng):
    said = value if value and rng.random() < 0.5 else rng.choice([v for v in slot[0] if v != value])
    truth, negative = truth_of(slot, value, said), rng.random() < 0.45
    text = fill(rng.choice(slot[3] if negative else slot[2]), name, said)
    if rng.random() < 0.55:
        if truth is None:
            return None
        text = text + rng.choice(["", ".", "."])
        return noul(state, text, truth != negative, rng)
    verdict = 2 if truth is None else int(truth == negative)
    options = [
        ("confirmed", "the text says so"),
        ("denied", "the text says otherwise"),
        (rng.choice(OPEN), "the text leaves it open"),
    ]
    ask = rng.choice(
        [
            "Check: {}.",
            "{}. True, false or open?",
            "Does the record confirm this: {}?",
            "What does the text say about this: {}?",
        ]
    )
    return choice(state, ask.format(text), options, verdict, rng)


def value_row(state, slot, name, value, rng):
    wrong = rng.sample([v for v in slot[0] if v != value], rng.choice([1, 2, 3, 4]))
    names = (
        ([value] if value else [])
        + wrong
        + ([rng.choice(OPEN)] if value is None or rng.random() < 0.5 else [])
    )
    return choice(
        state, fill(slot[4], name, ""), [(n, n) for n in names], 0 if value else len(names) - 1, rng
    )


def rows(train, rng, count):
    made = 0
    while made < count:
        facts = record(rng)
        state = dressed(" ".join(fill(rng.choice(s[1]), n, v) for s, n, v in facts), rng)
        for _ in range(3):
            pick = asked(facts, rng)
            row = pick and (value_row if rng.random() < 0.3 else statement_row)(state, *pick, rng)
            if row:
                made += 1
                yield row
