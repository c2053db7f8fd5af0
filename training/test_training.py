"""Checks of the arithmetic: layout against a plain program, joined corpora, int8 form, variants, loss of two orders,
a teacher's targets, what a rotation leaves out, notes against the polarity set.

usage: python3 -m unittest test_training   (needs models/dikast-mini/tokenizer of the project)"""

import json
import pathlib
import random
import tempfile
import unittest

import numpy as np
import torch
from tokenizers import Tokenizer

import augment
import batches
import corpus as c
import export
import metrics
import rows
import teacher
import trainer
from generate import notes

TOKENIZER = str(rows.HERE.parent / "models/dikast-mini/tokenizer/tokenizer.json")


def sample(count, seed=3):
    return random.Random(seed).sample(
        rows.read(rows.DATA / "dev-1.jsonl.xz") + rows.read(rows.DATA / "dev-2.jsonl.xz"), count
    )


def plain_sequence(row, tokenizer):
    """The layout's rules as written, one row at a time: (ids, markers)."""
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    question = row["question"]
    options = [[103] + ids(" " + text)[:48] for text in c.option_texts(question)]
    room = 256 - sum(map(len, options))
    if room < 16:
        per = max(4, (256 - 16) // len(options))
        options = [o[:per] for o in options]
        room = 256 - sum(map(len, options))
    head = ids(f"{question['type']} question: {rows.as_text(question['instructions'])}")[
        : max(8, room)
    ]
    front, marks = [101, *head, 102], []
    for option in options:
        marks.append(len(front))
        front += option
    front.append(102)
    state, room = ids(rows.as_text(row["state"])), max(0, 512 - len(front) - 1)
    state = state[max(0, len(state) - room) :] if isinstance(row["state"], list) else state[:room]
    return (front + state + [102])[:512], marks


class TrainingTest(unittest.TestCase):
    def test_layout_follows_the_rules(self):
        found, tokenizer = sample(300), Tokenizer.from_file(TOKENIZER)
        corpus = c.Corpus.build(found, TOKENIZER)
        every = np.arange(len(corpus))
        shard = c.assemble(corpus, every, *c.all_options(corpus, every))
        for i, row in enumerate(found):
            ids, marks = plain_sequence(row, tokenizer)
            self.assertEqual(shard.tokens[shard.off[i] : shard.off[i + 1]].tolist(), ids)
            self.assertEqual(shard.marks[shard.k_off[i] : shard.k_off[i + 1]].tolist(), marks)

    def test_joined_corpora_equal_one(self):
        found = sample(120)
        one = c.Corpus.build(found, TOKENIZER)
        joined = c.Corpus.joined(
            [c.Corpus.build(found[a:b], TOKENIZER) for a, b in ((0, 50), (50, 51), (51, 120))]
        )
        every = np.arange(len(one))
        a, b = (c.assemble(x, every, *c.all_options(x, every)) for x in (one, joined))
        np.testing.assert_array_equal(a.tokens, b.tokens)
        np.testing.assert_array_equal(a.target, b.target)
        self.assertEqual(
            [one.names[i] for i in one.source], [joined.names[i] for i in joined.source]
        )

    def test_two_orders_hold_the_same_options(self):
        corpus = c.Corpus.build(sample(200), TOKENIZER)
        shard, second = batches.make_shard(
            corpus, np.arange(200), np.random.default_rng(1), 0.5, 1.0
        )
        part = lambda values, i: values[shard.k_off[i] : shard.k_off[i + 1]]
        self.assertGreater(second.sum(), 50)
        for i in range(len(second)):
            self.assertAlmostEqual(part(shard.target, i).sum(), 1.0, places=5)
            if second[i]:
                self.assertEqual(shard.rows[i], shard.rows[i - 1])
                self.assertEqual(set(part(shard.opts, i)), set(part(shard.opts, i - 1)))

    def test_int8_form_stays_within_half_a_step(self):
        weight = torch.randn(64, 128, generator=torch.Generator().manual_seed(2))
        packed, scales, biases = export.quantise(weight)
        error = (export.expand(packed, scales, biases) - weight).abs().reshape(64, -1, 64)
        step = scales.float().abs()[..., None]
        self.assertLess(
            (error / step).max().item(), 0.7
        )  # half a step, and the ends that FP16 rounding moves

    def test_negation_flips_the_answer(self):
        self.assertEqual(
            augment.negate_plainly("The user wants to pay."), "The user does not want to pay."
        )
        self.assertEqual(augment.negate_plainly("The door is open."), "The door is not open.")
        self.assertIsNone(augment.negate_plainly("All doors are open."))
        row = {
            "id": "x",
            "question": {"type": "noul", "instructions": "The door is open.", "criteria": None},
            "answer": True,
        }
        self.assertFalse(augment.negated(row, random.Random(1))["answer"])

    def test_a_rotation_leaves_out_states_of_its_sources_too(self):
        a, b = sample(2)
        found = [a, {**a, "second": "elsewhere"}, {**b, "source": "elsewhere"}]
        corpus = c.Corpus.build(found, TOKENIZER)
        self.assertEqual(corpus.without({"elsewhere"}).tolist(), [True, False, False])

    def test_a_teachers_answer_is_blended_and_adds_up(self):
        found = [{**row, "group": "rows" if i % 2 else "mixed"} for i, row in enumerate(sample(60))]
        corpus = c.Corpus.build(found, TOKENIZER)
        logits = np.random.default_rng(5).normal(size=len(corpus.target)).astype(np.float16)
        logits[: corpus.opt_off[2]] = np.nan  # rows 0 and 1 were not asked
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "teacher.npz"
            np.savez(path, logits=logits)
            corpus.soft = teacher.blend(corpus, [path], 0.25, 2.0)
        for i in range(len(corpus)):
            part = slice(corpus.opt_off[i], corpus.opt_off[i + 1])
            expected = corpus.target[part]
            if i > 1:
                share = 0.25 if i % 2 else 1.0
                own = metrics.softmax(logits[part].astype(float) / 2)
                expected = (1 - share) * expected + share * own
            np.testing.assert_allclose(corpus.soft[part], expected, atol=1e-5)
        shard, _ = batches.make_shard(corpus, np.arange(60), np.random.default_rng(1), 1.0, 0.5)
        sums = np.add.reduceat(shard.target, shard.k_off[:-1])
        np.testing.assert_allclose(sums, 1.0, atol=1e-5)

    def test_notes_hold_no_text_of_the_polarity_set(self):
        lines = (rows.HERE / "polarity/polarity.jsonl").read_text().splitlines()
        frozen = {str(json.loads(x)[k]) for x in lines for k in ("state", "statement", "negation")}
        made = list(notes.rows([], random.Random(6), 3000))
        self.assertAlmostEqual(sum(row["answer"] for row in made) / len(made), 0.5, places=3)
        for row in made:
            self.assertNotIn(row["question"]["instructions"], frozen)
            self.assertNotIn(str(row["state"]), frozen)

    def test_agreeing_orders_cost_nothing(self):
        z = torch.tensor([[2.0, 0.5, -1.0], [-1.0, 2.0, 0.5]])
        batch = {
            "k": torch.tensor([3, 3]),
            "type": torch.zeros(2, dtype=torch.long),
            "second": torch.tensor([False, True]),
            "opts": torch.tensor([[0, 1, 2], [2, 0, 1]]),
            "target": torch.tensor([[1.0, 0, 0], [0, 1.0, 0]]),
        }
        plain, paired = (trainer.loss_of(z, batch, 1.0, weight, 0.0) for weight in (0.0, 5.0))
        self.assertAlmostEqual(plain.item(), paired.item(), places=5)
        self.assertGreater(
            trainer.loss_of(z.flip(1), batch, 1.0, 5.0, 0.0),
            trainer.loss_of(z.flip(1), batch, 1.0, 0.0, 0.0) + 0.1,
        )

    def test_temperature_is_found_again(self):
        rng = np.random.default_rng(4)
        z = rng.normal(size=(4000, 4))
        answer = np.array([rng.choice(4, p=p) for p in metrics.softmax(z)])
        self.assertAlmostEqual(metrics.best_temperature(3 * z, answer), 3.0, delta=0.5)


if __name__ == "__main__":
    unittest.main()
