"""Short reports of studies and tests; does the finding answer the question yes, no, or leave it open?"""

from .common import choice, dressed, noul, upper_first

FIELDS = [
    (
        [
            "a low dose of zinc",
            "daily walking",
            "the new bandage",
            "a salt-free diet",
            "telephone coaching",
            "early surgery",
            "vitamin D",
            "a mobile app for reminders",
            "breathing exercises",
            "the shorter course of antibiotics",
            "music in the ward",
            "physiotherapy at home",
        ],
        [
            "the length of stay",
            "pain after the operation",
            "the number of infections",
            "blood pressure",
            "falls",
            "readmissions",
            "anxiety",
            "wound healing time",
            "missed appointments",
            "the need for painkillers",
            "mortality at one year",
            "fatigue",
        ],
        [
            "patients after hip surgery",
            "adults with asthma",
            "children in two clinics",
            "older people in care homes",
            "women after birth",
            "patients with diabetes",
            "intensive care patients",
            "people with back pain",
        ],
    ),
    (
        [
            "the shorter sign-up form",
            "free shipping",
            "a darker button",
            "a reminder mail after two days",
            "the chat window",
            "a price per month",
        ],
        [
            "abandoned carts",
            "support calls",
            "the bounce rate",
            "cancellations",
            "time to purchase",
            "refund requests",
        ],
        [
            "first-time visitors",
            "returning customers",
            "users on mobile phones",
            "small companies",
            "users in the trial period",
        ],
    ),
    (
        [
            "homework in pairs",
            "a later start of school",
            "weekly quizzes",
            "smaller classes",
            "free breakfast",
            "reading aloud at home",
        ],
        [
            "days of absence",
            "spelling mistakes",
            "drop-outs",
            "disruptions in class",
            "time needed for the test",
            "repeat years",
        ],
        [
            "pupils of the fourth grade",
            "evening students",
            "first-year students",
            "children who learn a second language",
        ],
    ),
    (
        [
            "drip irrigation",
            "ground cover",
            "a second weeding",
            "shade nets",
            "compost instead of fertiliser",
        ],
        ["water use", "loss to pests", "frost damage", "soil erosion", "the share of spoilt fruit"],
        ["vineyards on slopes", "small farms", "tomato growers", "orchards in the valley"],
    ),
]
AIMS = [
    "We asked whether {x} lowers {y} in {z}.",
    "The aim was to see if {x} reduces {y} among {z}.",
    "Little is known about {x} and {y} in {z}.",
    "This study looks at the effect of {x} on {y} in {z}.",
    "{X} is often recommended to {z}.",
]
METHODS = [
    "{n} of them were assigned at random to two arms.",
    "We followed {n} cases for {m} months.",
    "Records of {n} cases from {m} sites were reviewed.",
    "A total of {n} took part; the control group went on as before.",
    "In a crossover design, {n} received both conditions.",
]
LOWER = [
    "{Y} fell from {a} to {b} with {x}, while the controls stayed at {a} (p = 0.00{d}).",
    "With {x}, {y} was clearly lower than in the control group ({b} against {a}; p < 0.01).",
    "{Y} was {b} in the treated group and {a} among controls, a significant difference.",
    "Compared with controls, the group with {x} had {r} percent less of {y} (95% interval {r1} to {r2}).",
]
SAME = [
    "{Y} did not differ between the groups ({a} and {a2}; p = 0.{e}).",
    "There was no difference in {y} ({a} with {x}, {a2} without).",
    "{Y} was {a} in one arm and {a2} in the other, which is well within chance (p = 0.{e}).",
    "We found no association between {x} and {y}.",
]
HIGHER = [
    "{Y} rose from {b} to {a} with {x}, but not among controls (p = 0.00{d}).",
    "Contrary to what we expected, {y} was higher with {x} ({a} against {b}; p < 0.01).",
]
MIXED = [
    "{Y} was lower with {x} in one centre but higher in the other, and the interval is wide.",
    "Only {s} cases could be analysed, so the difference in {y} ({b} against {a}; p = 0.0{f}) should be read with care.",
    "A trend towards less of {y} was seen in the younger half only (p = 0.0{f}).",
    "The results for {y} depended on the measure that was used: one improved, the other did not.",
]
RESULTS = {"yes": LOWER, "no": SAME + HIGHER, "maybe": MIXED}
EXTRA = [
    "No serious side effects occurred.",
    "Costs were similar.",
    "Participants were satisfied on the whole.",
    "Follow-up was complete in nine of ten cases.",
    "Age and sex were alike in both groups.",
    "The staff needed about two hours of training.",
    "Data were analysed by a person who did not know the groups.",
]
ASK = [
    "Does {x} reduce {y} in {z}?",
    "Is {x} effective against {y} in {z}?",
    "Can {x} lower {y} among {z}?",
    "Is there less of {y} with {x} in {z}?",
]
SAY = [
    "{X} reduces {y} in {z}.",
    "The findings support {x} as a way to lower {y}.",
    "According to the results, {y} goes down with {x}.",
]
DENY = [
    "{X} does not reduce {y} in {z}.",
    "The findings speak against {x} as a way to lower {y}.",
    "According to the results, {x} makes no improvement to {y}.",
]
OPTIONS = [
    ("yes", "the findings say so"),
    ("no", "the findings say otherwise"),
    ("maybe", "the findings do not settle it"),
]


def values(rng):
    a = rng.randrange(20, 90)
    b = int(a * rng.uniform(0.4, 0.8))
    r = rng.randrange(15, 60)
    return {
        "a": a,
        "b": b,
        "a2": a + rng.choice([-1, 0, 1]),
        "d": rng.randrange(1, 9),
        "e": rng.randrange(21, 95),
        "f": rng.randrange(6, 9),
        "n": rng.randrange(40, 900),
        "m": rng.randrange(2, 24),
        "s": rng.randrange(9, 24),
        "r": r,
        "r1": r - 9,
        "r2": r + 8,
    }


def report(verdict, names, rng):
    fill = lambda form: upper_first(form.format(**names))
    body = [fill(rng.choice(AIMS)), fill(rng.choice(METHODS)), fill(rng.choice(RESULTS[verdict]))]
    for extra in rng.sample(EXTRA, rng.choice([0, 1, 2])):
        body.insert(rng.randrange(2, len(body) + 1), extra)
    if rng.random() < 0.25:
        labels = ["BACKGROUND", "METHODS"] + ["RESULTS"] * (len(body) - 2)
        return " ".join(
            f"{l}: {s}" if i == labels.index(l) else s for i, (l, s) in enumerate(zip(labels, body))
        )
    return " ".join(body)


def rows(train, rng, count):
    for _ in range(count):
        treatments, outcomes, groups = rng.choice(FIELDS)
        names = {
            "x": rng.choice(treatments),
            "y": rng.choice(outcomes),
            "z": rng.choice(groups),
            **values(rng),
        }
        names.update(X=upper_first(names["x"]), Y=upper_first(names["y"]))
        verdict = rng.choice(["yes", "no", "yes", "no", "maybe"])
        state, kind = (
            dressed(
                report(verdict, names, rng), rng, rng.choice(["abstract", "report", "summary"])
            ),
            rng.random(),
        )
        if kind < 0.45:
            options = OPTIONS if verdict == "maybe" or rng.random() < 0.6 else OPTIONS[:2]
            yield choice(
                state,
                rng.choice(ASK).format(**names),
                options,
                ["yes", "no", "maybe"].index(verdict),
                rng,
            )
        elif verdict == "maybe":
            settled = rng.random() < 0.5
            yield noul(
                state,
                (
                    "The findings settle the question."
                    if settled
                    else "The question stays open after this study."
                ),
                not settled,
                rng,
            )
        elif kind < 0.7:
            yield noul(state, rng.choice(ASK).format(**names), verdict == "yes", rng)
        else:
            negative = rng.random() < 0.4
            yield noul(
                state,
                rng.choice(DENY if negative else SAY).format(**names),
                (verdict == "yes") != negative,
                rng,
            )
