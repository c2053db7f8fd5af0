"""Rule-based rows of further kinds; every label follows from how the row was made."""

from . import facts, findings, grounding, judging, lookalikes, notes

SIZES = {
    "gen_facts": (facts.rows, 12000),
    "gen_findings": (findings.rows, 7000),
    "gen_grounding": (grounding.rows, 9000),
    "gen_judging": (judging.rows, 8000),
    "gen_lookalikes": (lookalikes.rows, 4000),
    "gen_notes": (notes.rows, 7000),
}


def build(train, rng, scale=1.0):
    """Rows of every generator; those that need public texts take them from the training rows given."""
    made = []
    for name, (make, count) in SIZES.items():
        for number, row in enumerate(make(train, rng, max(20, int(count * scale)))):
            made.append({"id": f"{name}-{number}", "source": name, **row})
    return made
