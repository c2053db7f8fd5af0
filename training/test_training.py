"""Checks of the arithmetic: layout against a plain program, joined corpora, stored forms, rounding in training, layers
and vocabulary that are cut, variants, loss of two orders and of a statement with its negation, a teacher's targets, what a
rotation leaves out, the form of the written texts and that none is in the polarity set or on both sides of a split.

usage: python3 -m unittest test_training   (needs models/dikast-mini-v1/tokenizer of the project)"""

import json
import pathlib
import random
import re
import tempfile
import types
import unittest

import numpy as np
import torch
from tokenizers import Tokenizer

import affine
import augment
import batches
import corpus as c
import generate
import metrics
import model as modellib
import rows
import smoke_encoder
import teacher
import trainer
import vocabulary
from generate import notes, tasks

TOKENIZER = str(rows.HERE.parent / "models/dikast-mini-v1/tokenizer/tokenizer.json")


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

    def test_a_negation_is_followed_by_its_statement_with_the_sides_exchanged(self):
        made = generate.build([], random.Random(2), scale=0.005, names=["gen_notes"])
        parts = [c.Corpus.build(part, TOKENIZER) for part in (made[:40], made[40:])]
        corpus, every = c.Corpus.joined(parts), np.arange(len(made))
        shard, second = batches.make_shard(corpus, every, np.random.default_rng(1), 0.5, 0.4)
        self.assertEqual(second.sum(), len(made) / 2)
        size = np.diff(shard.off)
        cuts = batches.cut(shard, second, 1000)
        self.assertEqual([a for a, _ in cuts], [0] + [b for _, b in cuts[:-1]])
        self.assertEqual(cuts[-1][1], len(size))
        for a, b in cuts:
            self.assertLessEqual(size[a:b].max() * (b - a), 1000)
            self.assertFalse(second[a])
        part = lambda values, i: values[shard.k_off[i] : shard.k_off[i + 1]].tolist()
        for i in np.flatnonzero(second):
            self.assertEqual(shard.rows[i], shard.rows[i - 1] - 1)
            self.assertEqual((part(shard.opts, i - 1), part(shard.opts, i)), ([0, 1], [1, 0]))
            self.assertEqual(part(shard.target, i), part(shard.target, i - 1)[::-1])
        # with the sides exchanged, opposite answers agree
        p = torch.tensor([[0.9, 0.1], [0.1, 0.9], [0.9, 0.1]]).log()
        batch = {
            "k": torch.tensor([2, 2, 2]),
            "type": torch.tensor([2, 2, 2]),
            "target": p.exp(),
            "opts": torch.tensor([[0, 1], [1, 0], [1, 0]]),
        }
        for seconds, costs in (([False, True, False], False), ([False, True, True], True)):
            batch["second"] = torch.tensor(seconds)
            plain, paired = (trainer.loss_of(p, batch, 0, w, 0).item() for w in (0, 1))
            self.assertEqual(paired > plain + 1e-6, costs)

    def test_int8_form_stays_within_half_a_step(self):
        weight = torch.randn(64, 128, generator=torch.Generator().manual_seed(2))
        packed, scales, biases = affine.quantise(weight)
        error = (affine.expand(packed, scales, biases) - weight).abs().reshape(64, -1, 64)
        step = scales.float().abs()[..., None]
        self.assertLess(
            (error / step).max().item(), 0.7
        )  # half a step, and the ends that FP16 rounding moves

    def test_four_bit_form_is_what_training_rounds_to(self):
        weight = torch.randn(64, 128, generator=torch.Generator().manual_seed(2))
        packed, scales, biases = affine.quantise(weight, 4)
        self.assertEqual(tuple(packed.shape), (64, 16))
        meant = affine.expand(packed, scales, biases, 4)
        seen = affine.rounded(weight.view(-1, affine.GROUP), 4).view_as(weight)
        torch.testing.assert_close(meant, seen)
        first = packed[0, 0].item() & 0xFFFFFFFF
        codes = [(first >> 4 * i) & 15 for i in range(8)]
        group = scales.float()[0, 0] * torch.tensor(codes) + biases.float()[0, 0]
        torch.testing.assert_close(meant[0, :8], group)
        # a weight that is already a point of the form stays there, but for the FP16 scale
        again = affine.rounded(meant.half().float().view(-1, affine.GROUP), 4).view_as(weight)
        step = scales.float().repeat_interleave(affine.GROUP, 1)
        self.assertLess(((again - meant) / step).abs().max().item(), 0.02)

    def test_rounded_weights_move_by_their_masters(self):
        config = {**smoke_encoder.CONFIG, "vocab_size": 100, "num_hidden_layers": 1}
        args = types.SimpleNamespace(
            bits=4, compile=False, lr=1e-3, head_lr=1e-3, layer_decay=1.0, dropout=0.0, ordinal=1.0
        )
        args.order_weight = args.pairs = args.smooth = args.anchor = 0
        made = trainer.Trainer(modellib.Decider(config, 0), args, "cpu")
        place = made.names.index("scorer.1.weight")
        of = lambda w: affine.rounded(w.view(-1, affine.GROUP), 4).view_as(w)
        before = made.master[place].clone()
        batch = {
            "ids": torch.arange(24).view(2, 12),
            "size": torch.tensor([12, 12]),
            "marks": torch.tensor([[2, 5], [3, 6]]),
            "k": torch.tensor([2, 2]),
            "type": torch.tensor([0, 0]),
            "target": torch.tensor([[1.0, 0], [0, 1.0]]),
        }
        torch.testing.assert_close(made.work[place].detach(), of(before))
        made.step(batch, 1.0)
        self.assertGreater((made.master[place] - before).abs().max().item(), 0)
        torch.testing.assert_close(made.work[place].detach(), of(made.master[place]))
        norm = made.names.index("scorer.0.weight")
        torch.testing.assert_close(made.work[norm].detach(), made.master[norm])
        model, average = made.averaged_model(), made.average[place]
        torch.testing.assert_close(model.scorer[1].weight, of(average).half().float())

    def test_layers_of_an_encoder_are_taken_in_order(self):
        names = ["encoder.layer.0.output.dense.bias", "encoder.layer.9.output.dense.bias", "x"]
        stored = {name: torch.full((1,), float(i)) for i, name in enumerate(names)}
        taken = modellib.renumbered(stored, [9])
        self.assertEqual(
            {k: v.item() for k, v in taken.items()},
            {"encoder.layer.0.output.dense.bias": 1.0, "x": 2.0},
        )

    def test_a_cut_vocabulary_writes_every_word(self):
        texts = {
            "a": ["The cat sat down."],
            "b": ["The cat saw a photosynthesis zebra!"],
            "c": ["The"],
        }
        whole = Tokenizer.from_file(TOKENIZER)
        kept = vocabulary.kept_tokens(TOKENIZER, 400, texts)
        self.assertEqual((len(kept), kept[0]), (400, 0))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tokenizer.json"
            vocabulary.write_tokenizer(pathlib.Path(TOKENIZER), kept, path)
            cut = Tokenizer.from_file(str(path))
        same = cut.encode("the cat", add_special_tokens=False)
        self.assertEqual(
            [kept[n] for n in same.ids], whole.encode("the cat", add_special_tokens=False).ids
        )
        rare = cut.encode("Chrysanthemum, 12", add_special_tokens=False)
        self.assertEqual("".join(t.removeprefix("##") for t in rare.tokens), "chrysanthemum,12")
        self.assertEqual(cut.encode("the").ids[0], kept.index(101))

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

    def test_written_texts_hold_no_text_of_the_polarity_set(self):
        lines = (rows.HERE / "polarity/polarity.jsonl").read_text().splitlines()
        text = lambda value: rows.as_text(value).lower()
        frozen = {text(json.loads(x)[k]) for x in lines for k in ("state", "statement", "negation")}
        for note, said in notes.blocks():
            for part in (note, *(side for line in said for side in (line[0], line[2] or ""))):
                self.assertFalse(part.lower() in frozen, part)
        for _, _, questions, _, answers in tasks.tasks():
            for part in (*questions, *(state for _, state in answers)):
                self.assertFalse(part.lower() in frozen, part)
        made = list(notes.rows([], random.Random(6), 3000))
        self.assertAlmostEqual(sum(row["answer"] for row in made) / len(made), 0.5, places=3)
        for row in made:
            self.assertFalse(text(row["question"]["instructions"]) in frozen, row)
            self.assertFalse(text(row["state"]) in frozen, row)

    def test_no_written_text_is_on_both_sides(self):
        made = generate.build([], random.Random(3), scale=0.05, names=["gen_notes"])
        asked = list(tasks.ROWS["tone"]([], random.Random(3), 800))
        kept = {row["key"] for row in tasks.test_rows(random.Random(3))}
        self.assertFalse(kept & {row["key"] for row in asked})
        held = {row["key"] for row in made + asked if rows.kept_for_calibration(row)}
        self.assertTrue(held)
        for row in made + asked:
            self.assertEqual(rows.kept_for_calibration(row), row["key"] in held)

    def test_written_notes_have_their_form(self):
        slots, alternatives = re.compile(r"\{([^}]*)\}"), re.compile(r"\[([^\]]*)\]")
        seen = set()
        for note, said in notes.blocks():
            self.assertNotIn(note, seen)
            seen.add(note)
            self.assertEqual({truth for _, truth, _ in said}, {True, False}, note)
            for part in (note, *(side for line in said for side in (line[0], line[2] or ""))):
                self.assertLessEqual(set(slots.findall(part)), set("ABTn"), part)
                self.assertTrue(all("/" in found for found in alternatives.findall(part)), part)
                self.assertNotIn(" => ", part)

    def test_written_tasks_have_their_form(self):
        for kind, _, questions, options, answers in tasks.tasks():
            names = [name for name, _ in options]
            if kind == "noul":
                self.assertIn(names, ([], ["true", "false"]), questions)
                names = ["true", "false"]
            elif kind == "score":
                names = [str(level) for level in range(len(options))]
            self.assertTrue(questions)
            self.assertEqual(len(set(names)), len(names), questions)
            self.assertGreaterEqual(len(answers), 4, questions)
            self.assertEqual(len({state for _, state in answers}), len(answers), questions)
            self.assertGreater(len({name for name, _ in answers}), 1, questions)
            self.assertLessEqual({name for name, _ in answers}, set(names), questions)

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
