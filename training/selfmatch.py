"""Questions that need no labels: which text is closest, which part belongs to the state, which word is missing.

They teach that a marker is compared with the state (without them training can sit on a plateau of uniform
answers) and keep the similarity that the encoder brought along. A row carries the source of its texts, so a
rotation that leaves a source out leaves these rows out as well."""

import collections
import re

import numpy as np
import torch
import torch.nn.functional as F

TEMPERATURE = 0.05  # of the cosine similarities that become soft targets
CLOSEST = [
    "Which text is closest in meaning to the state?",
    "Pick the option most similar to the text.",
    "What is this most like?",
    "Find the best match.",
    "Which of these is about the same thing?",
    "Nearest in meaning",
    "Choose the entry that resembles the text most.",
    "Closest text",
    "Match the state.",
]
REST = [
    "Which option is the rest of the text?",
    "How does the text go on?",
    "Which part belongs to this text?",
    "Pick the continuation.",
    "The text was cut in two. Which is the other half?",
    "What comes next?",
]
CLOZE = [
    "Which word is missing at [gap]?",
    "Fill [gap].",
    "What stands at [gap] in the original?",
    "Choose the word for [gap].",
    "Which word fits the gap best?",
]
DESCRIBES = [
    "Which word describes the text best?",
    "What is this about?",
    "Pick the word that fits.",
    "Which of these comes closest to the state?",
    "Tag the text.",
    "Choose the word nearest to the content.",
    "Keyword for this text",
    "Which label suits the message?",
]
SAYS = [
    "This is about {}.",
    "The text has to do with: {}",
    "{} describes the content.",
    "A fitting keyword is '{}'.",
    "The message concerns {}.",
]
HOLDS = [
    "The text contains: {}",
    "These words are part of the text: {}",
    "The passage says: {}",
    "The statement is taken from the text: {}",
    "{}",
]
WORD = re.compile(r"[A-Za-z]{4,}")
STYLES = [
    lambda n: [str(i + 1) for i in range(n)],
    lambda n: [chr(65 + i) for i in range(n)],
    lambda n: [f"o{i + 1}" for i in range(n)],
    lambda n: [f"text {i + 1}" for i in range(n)],
]


def plain_text(state):
    """The longest string of a state, the text a person would read."""
    if isinstance(state, str):
        return state
    values = state.values() if isinstance(state, dict) else state
    return max(
        (plain_text(v) for v in values if isinstance(v, (str, dict, list))), key=len, default=""
    )


def pools(rows, limit, least, rng):
    """Distinct texts of each source, 3 to 120 words; sources with fewer than `least` are left out."""
    found = collections.defaultdict(dict)
    for row in rows:
        text = " ".join(plain_text(row["state"]).split())
        if 3 <= len(text.split()) <= 120:
            found[row["source"]][text] = None
    return {
        source: rng.sample(list(texts), min(limit, len(texts)))
        for source, texts in sorted(found.items())
        if len(texts) >= least
    }


def word_pools(texts_of, limit, rng):
    """Words of each source that stand in at least two of its texts."""
    out = {}
    for source, texts in texts_of.items():
        counts = collections.Counter(w for t in texts for w in {m.lower() for m in WORD.findall(t)})
        words = sorted(w for w, n in counts.items() if n > 1)
        out[source] = rng.sample(words, min(limit, len(words)))
    return out


@torch.no_grad()
def embed(texts, encoder, tokenizer, device, batch=512):
    """Mean-pooled, normalised sentence vectors, in the order of the texts."""
    tokenizer.enable_truncation(96)
    tokenizer.enable_padding()
    encoder = encoder.to(device, torch.bfloat16 if device == "cuda" else torch.float32).eval()
    order, out = np.argsort([len(t) for t in texts]), np.zeros(
        (len(texts), encoder.embeddings["LayerNorm"].weight.numel()), np.float32
    )
    for start in range(0, len(texts), batch):
        part = order[start : start + batch]
        encoded = tokenizer.encode_batch([texts[i] for i in part])
        ids = torch.tensor([e.ids for e in encoded], device=device)
        seen = torch.tensor([e.attention_mask for e in encoded], device=device, dtype=torch.bool)
        h = encoder(ids, seen[:, None, None, :].expand(-1, 1, ids.shape[1], -1)) * seen[..., None]
        mean = h.float().sum(1) / seen.sum(1, keepdim=True)
        out[part] = F.normalize(mean, dim=-1).cpu().numpy()
    return out


def choice(source, number, kind, state, question, texts, target, rng):
    """Texts as option names when short, else as descriptions of coded options."""
    if len(set(texts)) < len(texts):
        return None
    coded = max(len(t) for t in texts) > 60 or rng.random() < 0.3
    names = rng.choice(STYLES)(len(texts)) if coded else texts
    criteria = dict(zip(names, texts)) if coded else dict.fromkeys(names)
    right = max(range(len(texts)), key=target.__getitem__)
    return {
        "id": f"self-{source}-{kind}-{number}",
        "source": source,
        "group": "self_" + kind,
        "state": state,
        "target": target,
        "question": {"type": "choice", "instructions": question, "criteria": criteria},
        "answer": names[right],
    }


def closest(source, texts, similarity, rng, count):
    for number in range(count):
        i, k = rng.randrange(len(texts)), min(len(texts) - 1, rng.choice([2, 3, 3, 4, 5, 6, 8, 10]))
        near = np.argpartition(-similarity[i], min(12, len(texts) - 1))[:12]
        picked = {int(j) for j in rng.sample(list(near), min(len(near), rng.choice([1, 1, 2])))} - {
            i
        }
        while len(picked) < k:
            picked.add(rng.randrange(len(texts)))
            picked.discard(i)
        picked = rng.sample(sorted(picked), len(picked))
        s = similarity[i][picked] / TEMPERATURE
        p = np.exp(s - s.max())
        yield choice(
            source,
            number,
            "closest",
            texts[i],
            rng.choice(CLOSEST),
            [texts[j] for j in picked],
            [float(v) for v in p / p.sum()],
            rng,
        )


def halves(text, rng):
    words = text.split()
    cut = rng.randrange(len(words) // 3, 2 * len(words) // 3 + 1)
    return " ".join(words[:cut]), " ".join(words[cut:])


def rest_of_text(source, texts, similarity, rng, count):
    long = [i for i, t in enumerate(texts) if len(t.split()) >= 12]
    similarity = similarity[np.ix_(long, long)]
    for number in range(count if len(long) >= 40 else 0):
        place, k = rng.randrange(len(long)), rng.choice([2, 3, 4, 5, 6])
        near = np.argpartition(-similarity[place], min(3 * k, len(long) - 1))[: 3 * k]
        others = [long[j] for j in rng.sample([int(j) for j in near if j != place], k - 1)]
        first, second = halves(texts[long[place]], rng)
        options = [second] + [halves(texts[j], rng)[1] for j in others]
        if rng.random() < 0.3:
            yield statement(source, number, first, options, rng)
        else:
            yield choice(
                source,
                number,
                "rest",
                first,
                rng.choice(REST),
                options,
                [1.0] + [0.0] * (k - 1),
                rng,
            )


def statement(source, number, first, options, rng):
    """The other half as a noul question: does it belong to this text?"""
    right = rng.random() < 0.5
    text = rng.choice(
        [
            "The text goes on like this: {}",
            "This belongs to the same text: {}",
            "The state continues with: {}",
        ]
    ).format(options[0 if right else 1])
    return {
        "id": f"self-{source}-on-{number}",
        "source": source,
        "group": "self_rest",
        "state": first,
        "answer": right,
        "question": {"type": "noul", "instructions": text, "criteria": None},
    }


def fitting_word(source, texts, similarity, words, rng, count):
    """Words for a text: near ones and any others, as options or as a statement; targets are soft."""
    if len(words) < 100:
        return
    for number in range(count):
        i, k = rng.randrange(len(texts)), rng.choice([2, 2, 3, 4, 5, 6, 8, 10])
        near = np.argpartition(-similarity[i], 20)[:20]
        picked = {int(j) for j in rng.sample(list(near), rng.choice([1, 1, 2]))}
        while len(picked) < k:
            picked.add(rng.randrange(len(words)))
        picked = rng.sample(sorted(picked), len(picked))
        s = similarity[i][picked] / TEMPERATURE
        p = np.exp(s - s.max())
        target = [float(v) for v in p / p.sum()]
        names = [words[j] for j in picked]
        if k == 2 and rng.random() < 0.6:
            yield said_word(source, number, texts[i], names, target, rng)
        else:
            row = choice(
                source, number, "word", texts[i], rng.choice(DESCRIBES), names, target, rng
            )
            yield row


def said_word(source, number, text, names, target, rng):
    """One of two words as a statement about the text; as true as the word beats the other."""
    side = rng.randrange(2)
    return {
        "id": f"self-{source}-says-{number}",
        "source": source,
        "group": "self_word",
        "state": text,
        "question": {
            "type": "noul",
            "instructions": rng.choice(SAYS).format(names[side]),
            "criteria": None,
        },
        "answer": target[side] > 0.5,
        "target": [1 - target[side], target[side]],
    }


def missing_word(source, texts, rng, count):
    words = sorted({w.lower() for t in texts for w in WORD.findall(t)})
    for number in range(count if len(words) >= 100 else 0):
        text = rng.choice(texts)
        found = list(WORD.finditer(text))
        if len(found) < 3:
            continue
        match = rng.choice(found)
        others = rng.sample(words, rng.choice([1, 2, 3, 4, 5]))
        options = [match[0].lower()] + [w for w in others if w != match[0].lower()]
        gapped = text[: match.start()] + "[gap]" + text[match.end() :]
        if len(options) > 1:
            yield choice(
                source,
                number,
                "cloze",
                gapped,
                rng.choice(CLOZE),
                options,
                [1.0] + [0.0] * (len(options) - 1),
                rng,
            )


def contained(source, texts, rng, count):
    """A run of words from the text, from another text, or from the text with one word exchanged."""
    long = [t for t in texts if len(t.split()) >= 15]
    words = [w for t in long for w in t.split() if len(w) > 3]
    for number in range(count if len(long) >= 20 else 0):
        text, kind = rng.choice(long), rng.choice(["same", "same", "other", "edited"])
        origin = (rng.choice(long) if kind == "other" else text).split()
        start = rng.randrange(len(origin) - 8)
        part = origin[start : start + rng.randrange(5, 12)]
        if kind == "edited":
            part[rng.randrange(len(part))] = rng.choice(words)
        said = " ".join(part)
        yield {
            "id": f"self-{source}-in-{number}",
            "source": source,
            "group": "self_contained",
            "state": text,
            "question": {
                "type": "noul",
                "instructions": rng.choice(HOLDS[:-1]).format(said),
                "criteria": None,
            },
            "answer": said in " ".join(text.split()),
        }


def vectors_of(texts_of, encoder, tokenizer, device):
    """Sentence vectors of every pool, as one pass over all texts."""
    texts = [t for pool in texts_of.values() for t in pool]
    vectors, start, out = embed(texts, encoder, tokenizer, device), 0, {}
    for source, pool in texts_of.items():
        out[source] = vectors[start : start + len(pool)]
        start += len(pool)
    return out


def of_source(source, texts, vectors, words, word_vectors, rng, per_source):
    """Self-labelled rows over the texts of one source."""
    similarity = vectors @ vectors.T
    made = [
        *closest(source, texts, similarity, rng, per_source),
        *fitting_word(source, texts, vectors @ word_vectors.T, words, rng, per_source),
        *rest_of_text(source, texts, similarity, rng, per_source // 2),
        *missing_word(source, texts, rng, per_source // 3),
        *contained(source, texts, rng, per_source // 3),
    ]
    return [row for row in made if row]
