"""Many small tasks of different kinds, each with a handful of states whose answers were written with them.

The texts stand in written/tasks (form: written/README.md). What counts is the number of tasks: an epoch asks each
state ROUNDS times, in different wordings, with the options under their names, their texts or codes. One task in eight
is never trained on; these are a test of kinds of questions that are new.
"""

import functools
import hashlib
import json
from typing import NamedTuple

from augment import CODE

from .common import coded, dressed, noul, written

ROUNDS = 4
KEPT_SHARE = 8  # one task in so many is kept for the test
# the letters of the rotations; rules and workflows are in none of them, like `workflows` and gen_policies
KINDS = {"A": "tone", "B": "reasoning", "C": "matching", "O": "policy"}


class Task(NamedTuple):
    type: str  # choice, noul or score
    kind: str  # one of KINDS
    questions: list  # wordings of the one question
    options: list  # (name, text or None)
    states: list  # (answer, text)


@functools.cache
def tasks():
    out = []
    for first, *lines in written("tasks"):
        kind_of_question, letter = first.split()
        part = lambda mark: [line[2:] for line in lines if line[0] == mark]
        options = [option.partition(": ") for option in part("-")]
        states = [state.partition(" | ") for state in part("=")]
        out.append(
            Task(
                kind_of_question,
                KINDS[letter],
                part("?"),
                [(name.strip(), text.strip() or None) for name, _, text in options],
                [(answer.strip(), text.strip()) for answer, _, text in states],
            )
        )
    return out


def kept_for_test(task):
    return int(hashlib.md5(task.questions[0].encode()).hexdigest(), 16) % KEPT_SHARE == 0


def state_of(text, rng):
    """An object where the text is JSON, else the text as it may arrive."""
    if text[:1] in "{[":
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            pass
    return dressed(text, rng)


def chosen(question, options, answer, rng):
    """The choice as written, or, where every option has a text, under codes."""
    options = rng.sample(options, len(options))
    names = [name for name, _ in options]
    if all(text for _, text in options) and rng.random() < 0.25:
        criteria = coded([text for _, text in options], rng)
        answer = list(criteria)[names.index(answer)]
        return {"type": "choice", "instructions": question, "criteria": criteria}, answer
    # names that say something can stand without their texts now and then
    bare = rng.random() < 0.15 and not any(CODE.match(name) for name in names)
    criteria = {name: None if bare else text for name, text in options}
    return {"type": "choice", "instructions": question, "criteria": criteria}, answer


def row(task, answer, text, rng):
    wording, state = rng.choice(task.questions), state_of(text, rng)
    if task.type == "noul":
        made = noul(state, wording, answer == "true", rng)
        if task.options:
            made["question"]["criteria"] = dict(task.options)
        return {**made, "key": text}
    if task.type == "score":
        levels = [f"{name}: {more}" if more else name for name, more in task.options]
        question, answer = {"type": "score", "instructions": wording, "criteria": levels}, int(
            answer
        )
    else:
        question, answer = chosen(wording, task.options, answer, rng)
    return {"state": state, "question": question, "answer": answer, "key": text}


def asked(kind):
    """[(task, answer, text)] of the tasks of one kind that are trained on."""
    found = [task for task in tasks() if task.kind == kind and not kept_for_test(task)]
    return [(task, answer, text) for task in found for answer, text in task.states]


def rows_of(kind):
    """A generator of rows of one kind: every state of every task in turn, until there are `count`."""

    def rows(train, rng, count):
        states = asked(kind)
        for i in range(count):
            if i % len(states) == 0:
                rng.shuffle(states)
            yield row(*states[i % len(states)], rng)

    return rows


def test_rows(rng):
    """Every state of the tasks that are kept out of training, once."""
    for number, task in enumerate(filter(kept_for_test, tasks())):
        for place, (answer, text) in enumerate(task.states):
            made = row(task, answer, text, rng)
            yield {"id": f"task-{number}-{place}", "source": f"gen_tasks_{task.kind}", **made}


ROWS = {kind: rows_of(kind) for kind in KINDS.values()}
