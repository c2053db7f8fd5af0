"""Short notes, what follows from them in other words, and the opposite of that: statement and negation as a pair.

The texts stand in written/notes (form: written/README.md). They teach the step from a short text to a statement that
shares few words with it, and that a statement and its negation cannot both hold. No text of the polarity set occurs
in them.
"""

import re

import augment

from .common import PEOPLE, TOWNS, dressed, noul, written

CHOSEN = re.compile(r"\[([^\]]+)\]")
STARTERS = ["", "", "", "", "Statement: ", "Claim: ", "Does this follow? ", "From the text: "]
PLACES = [
    "It was written last week.",
    "The note was found in the shared inbox.",
    "Somebody forwarded this.",
    "There was no subject line.",
    "More details may come later.",
    "This is all that is known so far.",
]
REPORTS = [
    "It follows that {}",
    "One can tell from this that {}",
    "The text lets one conclude that {}",
]

PAST = dict(
    pair.split(":")
    for pair in (
        "gave:give kept:keep slept:sleep told:tell left:leave came:come broke:break went:go found:find won:win "
        "took:take sold:sell bought:buy wrote:write met:meet got:get ran:run led:lead drew:draw spent:spend grew:grow "
        "knew:know upset:upset reached:reach called:call tried:try stayed:stay helped:help owned:own liked:like "
        "enjoyed:enjoy failed:fail passed:pass moved:move answered:answer watered:water asked:ask received:receive "
        "followed:follow solved:solve survived:survive travelled:travel replaced:replace interviewed:interview "
        "happened:happen worked:work ended:end changed:change fell:fall stood:stand ate:eat opened:open"
    ).split()
)
PRESENT = dict(
    pair.split(":")
    for pair in (
        "owns:own knows:know works:work costs:cost pays:pay plays:play eats:eat lives:live wants:want needs:need "
        "wishes:wish meets:meet earns:earn praises:praise complains:complain recommends:recommend stands:stand lies:lie "
        "gets:get runs:run leads:lead belongs:belong orders:order smokes:smoke thanks:thank asks:ask refuses:refuse "
        "confirms:confirm expects:expect differs:differ applies:apply freezes:freeze goes:go comes:come fits:fit "
        "avoids:avoid thinks:think understands:understand opens:open likes:like happens:happen stays:stay takes:take "
        "shows:show looks:look passes:pass ends:end saves:save owes:owe crashes:crash"
    ).split()
)
HAPPENS = re.compile(r"^((?:\S+ ){1,5}?)(" + "|".join([*PAST, *PRESENT]) + r")(?= |\.)")


def blocks():
    """[(note, [(statement, truth, negation or None)])]"""
    out = []
    for lines in written("notes"):
        said = []
        for line in lines[1:]:
            text, _, negation = line[2:].partition(" => ")
            said.append((text, line[0] == "T", negation or None))
        out.append((lines[0], said))
    return out


def filled(text, values, picks):
    """Slots and alternatives of a text; the same alternative wherever it is written in the same way."""

    def pick(match):
        options = match[1].split("/")
        return options[picks.setdefault(match[0], values["rng"].randrange(len(options)))]

    text = CHOSEN.sub(pick, text)
    for slot in "ABTn":
        text = text.replace("{" + slot + "}", values[slot])
    return text


def negate(statement):
    """A plain negation, or None where no safe rule applies."""
    found = HAPPENS.match(statement)
    if augment.NEGATIVE.search(statement) or not found:
        return augment.negate_plainly(statement)
    verb = found[2]
    helper = f"did not {PAST[verb]}" if verb in PAST else f"does not {PRESENT[verb]}"
    if statement.split()[0] in ("They", "Both"):
        helper = helper.replace("does", "do")
    return found[1] + helper + statement[found.end() :]


def inside(text):
    """A statement as part of a sentence."""
    return text if text.split()[0].strip("',.") in PEOPLE else augment.lower_first(text)


def negation_of(statement, given, rng):
    if given and rng.random() < 0.8:
        return given
    plain = negate(statement)
    if plain is None or rng.random() < 0.2:
        plain = rng.choice(augment.WRAPPED).format(inside(statement))
    return plain


def values_of(rng):
    a, b = rng.sample(PEOPLE, 2)
    return {"A": a, "B": b, "T": rng.choice(TOWNS), "n": str(rng.randrange(3, 10)), "rng": rng}


def worded(text, rng):
    if rng.random() < 0.12:
        return rng.choice(REPORTS).format(inside(text))
    return rng.choice(STARTERS) + text


def rows(train, rng, count):
    """Pairs of rows over one note: a statement and its negation."""
    notes, made = blocks(), 0
    while made < count:
        note, said = rng.choice(notes)
        values, picks = values_of(rng), {}
        state = filled(note, values, picks)
        if rng.random() < 0.3:
            parts = [state, rng.choice(PLACES)]
            state = " ".join(parts if rng.random() < 0.5 else parts[::-1])
        state = dressed(state, rng)
        for text, truth, given in rng.sample(said, min(len(said), 2)):
            statement = filled(text, values, picks)
            opposite = negation_of(statement, given and filled(given, values, picks), rng)
            yield {**noul(state, worded(statement, rng), truth, rng), "key": note}
            mirror = {"key": note, "mirrors_last": True}
            yield {**noul(state, worded(opposite, rng), not truth, rng), **mirror}
            made += 2
