"""Token ids of many questions in flat arrays, and the assembly of sequences in the Laya layout.

A corpus tokenises each distinct head, option and state once. Assembling a shard is arithmetic on
those arrays: every sequence is a list of segments (special token, head, options, state), so a shard of
60,000 questions takes about a second on one core and needs no loader processes."""

import dataclasses
import json

import numpy as np
from tokenizers import Tokenizer

from rows import TYPES, as_text

MAX_LEN, HEAD_MAX, OPTION_MAX, HEAD_ROOM = 512, 256, 48, 16
CLS, SEP, MASK = 0, 1, 2  # numbers of the special tokens among the distinct texts
NOUL_DEFAULTS = {"false": "no, the statement does not hold", "true": "yes, the statement holds"}


def option_texts(question):
    criteria = question.get("criteria")
    if question["type"] == "choice":
        return [k if v in (None, "") else f"{k}: {as_text(v)}" for k, v in criteria.items()]
    if question["type"] == "score":
        return [f"level {i}: {as_text(v)}" for i, v in enumerate(criteria)]
    labels, texts = question.get("labels") or {}, criteria or {}
    return [
        f"{labels.get(side, side)}: {texts.get(side) or NOUL_DEFAULTS[side]}"
        for side in ("false", "true")
    ]


def targets(row, count):
    """Probability per option; a row may carry its own (soft) ones."""
    if "target" in row:
        return row["target"]
    question, answer = row["question"], row["answer"]
    right = (
        list(question["criteria"]).index(answer) if question["type"] == "choice" else int(answer)
    )
    return [float(i == right) for i in range(count)]


class Corpus:
    """Rows as arrays. `opt`, `target` are flat over options, cut by `opt_off`.

    `source` gave the question, `second` the state: the same but in rows put together from two sources.
    `mirror`: number of the noul row whose statement this one's is the negation of, or -1.
    `soft`, where present, is what the loss learns instead of `target` (a teacher's answers, trainer.py).
    """

    FIELDS = (
        "flat",
        "off",
        "head",
        "state",
        "tail",
        "opt_off",
        "opt",
        "target",
        "type",
        "source",
        "second",
        "mirror",
        "group",
        "held",
    )

    def __init__(self, arrays, names, groups):
        self.__dict__.update(arrays)
        self.names, self.groups, self.soft = names, groups, None
        self.k = np.diff(self.opt_off)
        self.size = np.diff(self.off)

    @classmethod
    def build(cls, rows, tokenizer_path):
        numbers = {"[CLS]": CLS, "[SEP]": SEP, "[MASK]": MASK}
        number = lambda text: numbers.setdefault(text, len(numbers))
        head, state, opts, target, opt_off = [], [], [], [], [0]
        for row in rows:
            question, texts = row["question"], option_texts(row["question"])
            head.append(number(f"{question['type']} question: {as_text(question['instructions'])}"))
            state.append(number(as_text(row["state"]) or " "))
            opts += [number(" " + text) for text in texts]
            target += targets(row, len(texts))
            opt_off.append(len(opts))
        second = [row.get("second", row["source"]) for row in rows]
        names = sorted({row["source"] for row in rows} | set(second))
        number_of = {name: i for i, name in enumerate(names)}
        groups = sorted({row.get("group", "rows") for row in rows})
        # a mirror in another piece of the corpus is lost
        row_of = {row.get("id"): i for i, row in enumerate(rows)}
        flat, off = encode(list(numbers), tokenizer_path)
        arrays = dict(
            flat=flat,
            off=off,
            head=np.array(head),
            state=np.array(state),
            opt=np.array(opts),
            tail=np.array([isinstance(row["state"], list) for row in rows]),
            opt_off=np.array(opt_off),
            target=np.array(target, np.float32),
            type=np.array([TYPES.index(row["question"]["type"]) for row in rows]),
            source=np.array([number_of[row["source"]] for row in rows]),
            second=np.array([number_of[name] for name in second]),
            mirror=np.array([row_of.get(row.get("mirror") or "", -1) for row in rows]),
            group=np.array([groups.index(row.get("group", "rows")) for row in rows]),
            held=np.array([row.get("held", False) for row in rows]),
        )
        return cls(arrays, names, groups)

    @classmethod
    def joined(cls, parts):
        """Several corpora as one: text numbers and offsets move up, names and groups are merged."""
        names = sorted({n for p in parts for n in p.names})
        groups = sorted({g for p in parts for g in p.groups})
        texts = np.cumsum([0] + [len(p.size) for p in parts])
        ids = np.cumsum([0] + [len(p.flat) for p in parts])
        options = np.cumsum([0] + [len(p.opt) for p in parts])
        rows = np.cumsum([0] + [len(p) for p in parts])
        glue = lambda make: np.concatenate([make(p, i) for i, p in enumerate(parts)])
        number = lambda wanted, own: np.array([wanted.index(x) for x in own])
        arrays = {
            f: glue(lambda p, i: getattr(p, f)) for f in ("flat", "tail", "target", "type", "held")
        }
        arrays |= {f: glue(lambda p, i: getattr(p, f) + texts[i]) for f in ("head", "state", "opt")}
        arrays["off"] = np.append(glue(lambda p, i: p.off[:-1] + ids[i]), ids[-1])
        arrays["opt_off"] = np.append(glue(lambda p, i: p.opt_off[:-1] + options[i]), options[-1])
        arrays["mirror"] = glue(lambda p, i: np.where(p.mirror < 0, -1, p.mirror + rows[i]))
        for field in ("source", "second"):
            arrays[field] = glue(lambda p, i: number(names, p.names)[getattr(p, field)])
        arrays["group"] = glue(lambda p, i: number(groups, p.groups)[p.group])
        return cls(arrays, names, groups)

    def save(self, path):
        np.savez(
            path,
            names=json.dumps(self.names),
            groups=json.dumps(self.groups),
            **{f: getattr(self, f) for f in self.FIELDS},
        )

    @classmethod
    def load(cls, path):
        stored = np.load(path)
        return cls(
            {f: stored[f] for f in cls.FIELDS},
            json.loads(str(stored["names"])),
            json.loads(str(stored["groups"])),
        )

    def without(self, left_out):
        """Rows that touch none of the sources named, neither by question nor by state."""
        out = np.isin(np.array(self.names), sorted(left_out))
        return ~(out[self.source] | out[self.second])

    def __len__(self):
        return len(self.head)


def encode(texts, tokenizer_path):
    """Ids of the texts end to end; the first three are the special tokens, the others plain text."""
    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True  # "[MASK]" written by a user is text
    flat, off = [np.array([tokenizer.token_to_id(t)], np.uint16) for t in texts[:3]], [0, 1, 2, 3]
    for start in range(3, len(texts), 20000):
        for encoding in tokenizer.encode_batch(
            texts[start : start + 20000], add_special_tokens=False
        ):
            flat.append(np.array(encoding.ids, np.uint16))
            off.append(off[-1] + len(encoding.ids))
    return np.concatenate(flat), np.array(off)


@dataclasses.dataclass
class Shard:
    """Sequences laid end to end, in the order given; markers, option numbers and targets per option."""

    tokens: np.ndarray  # int32 [total]
    off: np.ndarray  # int64 [S + 1]
    k: np.ndarray  # options per sequence
    k_off: np.ndarray
    marks: np.ndarray  # position of each option's marker inside its sequence
    opts: np.ndarray  # number of each option inside its row
    target: np.ndarray
    rows: np.ndarray


def ranges(counts):
    """0..c-1 for every count, end to end."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)


def all_options(corpus, rows):
    """Option numbers of rows in stored order: (flat numbers inside the row, count per row)."""
    k = corpus.k[rows]
    return ranges(k), k


def shuffled_options(corpus, rows, rng, drop_share):
    """Choice options in random order; some rows with more than three lose wrong options."""
    number, k = all_options(corpus, rows)
    row = np.repeat(np.arange(len(rows)), k)
    target = corpus.target[corpus.opt_off[rows][row] + number]
    choice = corpus.type[rows] == 0
    hard = np.maximum.reduceat(target, np.cumsum(k) - k) == 1
    drop = choice & hard & (k > 3) & (rng.random(len(rows)) < drop_share)
    keep_count = np.where(drop, rng.integers(2, np.maximum(k, 3)), k)
    # first order: the right option leads, so that dropping cuts wrong ones only
    key = np.where(target == 1, -1.0, rng.random(len(number)))
    order = np.lexsort((key, row))
    kept = np.zeros(len(number), bool)
    kept[order] = ranges(k) < np.repeat(keep_count, k)
    number, row = number[kept], row[kept]
    key = np.where(choice[row], rng.random(len(number)), number)
    return number[np.lexsort((key, row))], keep_count


def lengths(corpus, rows, number, k):
    """Cut lengths of the parts by the layout's rules: (option lengths, head, state)."""
    row = np.repeat(np.arange(len(rows)), k)
    first = np.cumsum(k) - k
    text = corpus.opt[corpus.opt_off[rows][row] + number]
    option = np.minimum(corpus.size[text], OPTION_MAX) + 1
    room = HEAD_MAX - np.add.reduceat(option, first)
    per = np.where(room < HEAD_ROOM, np.maximum(4, (HEAD_MAX - HEAD_ROOM) // k), MAX_LEN)
    option = np.minimum(option, per[row])
    used = np.add.reduceat(option, first)
    head = np.minimum(corpus.size[corpus.head[rows]], np.maximum(8, HEAD_MAX - used))
    state = np.minimum(
        corpus.size[corpus.state[rows]], np.maximum(0, MAX_LEN - (3 + head + used) - 1)
    )
    return text, option, used, head, state


def assemble(corpus, rows, number, k):
    """The shard of `rows`, each with the option numbers given (flat, k per row)."""
    text, option, used, head, state = lengths(corpus, rows, number, k)
    row, first = np.repeat(np.arange(len(rows)), k), np.cumsum(k) - k
    parts = 2 * k + 6
    base = np.cumsum(parts) - parts
    start, size = np.zeros(parts.sum(), np.int64), np.ones(parts.sum(), np.int64)

    def put(position, begin, length=1):
        start[position], size[position] = begin, length

    put(base, corpus.off[CLS])
    put(base + 1, corpus.off[corpus.head[rows]], head)
    put(base + 2, corpus.off[SEP])
    at = base[row] + 3 + 2 * ranges(k)
    put(at, corpus.off[MASK])
    put(at + 1, corpus.off[text], option - 1)
    put(base + 2 * k + 3, corpus.off[SEP])
    cut = np.where(
        corpus.tail[rows], corpus.size[corpus.state[rows]] - state, 0
    )  # arrays keep their end
    put(base + 2 * k + 4, corpus.off[corpus.state[rows]] + cut, state)
    put(base + 2 * k + 5, corpus.off[SEP])

    tokens = corpus.flat[np.repeat(start, size) + ranges(size)].astype(np.int32)
    before = np.cumsum(option) - option
    marks = 2 + head[row] + before - before[first][row]
    total = 3 + head + used + state + 1
    return Shard(
        tokens,
        np.concatenate([[0], np.cumsum(total)]),
        k,
        np.concatenate([[0], np.cumsum(k)]),
        marks,
        number,
        learned(corpus, corpus.opt_off[rows][row] + number, first, k),
        rows,
    )


def learned(corpus, at, first, k):
    """Targets of the options at the flat places given; a teacher's are made to add up over the options shown."""
    if corpus.soft is None:
        return corpus.target[at]
    soft = corpus.soft[at]
    return (soft / np.repeat(np.add.reduceat(soft, first), k)).astype(np.float32)
