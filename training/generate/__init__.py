"""Generated rows of further kinds; a label follows from how the row was made, or was written with its text."""

from . import facts, findings, grounding, judging, lookalikes, notes, tasks

SIZES = {
    "gen_facts": (facts.rows, 12000),
    "gen_findings": (findings.rows, 7000),
    "gen_grounding": (grounding.rows, 9000),
    "gen_judging": (judging.rows, 8000),
    "gen_lookalikes": (lookalikes.rows, 4000),
    "gen_notes": (notes.rows, 40000),
    **{
        f"gen_tasks_{kind}": (rows, tasks.ROUNDS * len(tasks.asked(kind)))
        for kind, rows in tasks.ROWS.items()
    },
}


def build(train, rng, scale=1.0, names=tuple(SIZES)):
    """Rows of the generators named; those that need public texts take them from the training rows given."""
    made = []
    for name in names:
        make, count = SIZES[name]
        for number, row in enumerate(make(train, rng, max(20, int(count * scale)))):
            mirror = f"{name}-{number - 1}" if row.pop("mirrors_last", False) else None
            made.append({"id": f"{name}-{number}", "source": name, "mirror": mirror, **row})
    return made
