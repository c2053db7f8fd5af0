"""Small helpers of the generators: names, option styles, questions."""

import pathlib

from augment import LABELS

WRITTEN = pathlib.Path(__file__).with_name("written")

PEOPLE = (
    "Aiko Amara Anton Asha Bela Bojan Carla Chidi Dana Dmitri Elif Emeka Farah Felix Gita Goran Hana Hugo Ines Ivo "
    "Jana Jonas Kaito Katya Lars Leila Mateo Mina Nadia Nils Olga Omar Petra Priya Quentin Rosa Ravi Samir Sofia Tariq "
    "Tessa Uma Viktor Wanda Yusuf Zara Bruno Clara Edgar Freya"
).split()
TOWNS = (
    "Lisbon Oslo Turin Ghent Krakow Malmo Porto Bergen Zagreb Tallinn Leeds Bilbao Graz Lyon Izmir Cork Aarhus Basel "
    "Split Varna"
).split()


def written(folder):
    """Blocks of the texts in written/`folder`, each as its lines; a blank line ends a block, "#" begins a remark."""
    for path in sorted((WRITTEN / folder).glob("*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n\n"):
            lines = [line for line in block.splitlines() if line and not line.startswith("#")]
            if lines:
                yield lines


def coded(texts, rng):
    """Texts as options under codes: {"opt1": text, ...}"""
    code = rng.choice(["{}", "o{}", "opt{}", "c{}", "x-{}"])
    return {code.format(i + 1): text for i, text in enumerate(texts)}


def styled(names, texts, rng):
    """Options as {name: text}: plain names, codes with texts, or names with texts."""
    kind = rng.random()
    if kind < 0.4:
        return dict(zip(names, [None] * len(names)))
    if kind < 0.7:
        return coded(texts, rng)
    return dict(zip(names, texts))


def choice(state, question, options, right, rng):
    """options: list of (name, text); right: index."""
    order = rng.sample(range(len(options)), len(options))
    criteria = styled([options[i][0] for i in order], [options[i][1] for i in order], rng)
    return {
        "state": state,
        "question": {"type": "choice", "instructions": question, "criteria": criteria},
        "answer": list(criteria)[order.index(right)],
    }


def noul(state, statement, truth, rng):
    question = {"type": "noul", "instructions": statement, "criteria": None}
    if rng.random() < 0.4:
        question["labels"] = dict(zip(("true", "false"), rng.choice(LABELS)))
    return {"state": state, "question": question, "answer": bool(truth)}


def dressed(text, rng, key=None):
    """A text as it may arrive: raw, in an object, or as a message."""
    kind = rng.random()
    if kind < 0.7:
        return text
    if kind < 0.9:
        return {key or rng.choice(["text", "content", "body", "record", "document", "note"]): text}
    return [{"role": "user", "content": text}]


def upper_first(text):
    return text[:1].upper() + text[1:]
