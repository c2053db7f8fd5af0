"""A smaller WordPiece vocabulary: the tokens that most sources of the training rows use, in a tokenizer of their own.

A word whose token is left out is written in smaller pieces; the single characters of Latin text stay, so that every
such word still can be."""

import collections
import json

from tokenizers import Tokenizer

import rows as rowlib
from corpus import option_texts

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROWS_OF_SOURCE = 400


def texts_by_source():
    """{source: texts} of the first training rows of each source, by the MD5 of their id."""
    found = {}
    for row in sorted(rowlib.read_split("train"), key=rowlib.row_hash):
        texts, count = found.setdefault(row["source"], (set(), [0]))
        if row["source"] not in rowlib.NEVER_TRAINED and count[0] < ROWS_OF_SOURCE:
            count[0] += 1
            question = row["question"]
            texts |= {rowlib.as_text(row["state"]), rowlib.as_text(question["instructions"])}
            texts |= set(option_texts(question))
    return {source: sorted(texts) for source, (texts, _) in found.items()}


def is_plain_character(token):
    bare = token.removeprefix("##")
    return len(bare) == 1 and (ord(bare) < 0x250 or 0x2010 <= ord(bare) <= 0x2122)


def kept_tokens(tokenizer_path, count, texts_of):
    """Numbers of `count` tokens, rising: special ones, characters, then by the number of sources that use them."""
    tokenizer = Tokenizer.from_file(str(tokenizer_path))
    used = collections.Counter()
    for texts in texts_of.values():
        encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        used.update({number for e in encoded for number in e.ids})
    vocabulary = tokenizer.get_vocab()
    first = {n for t, n in vocabulary.items() if t in SPECIAL or is_plain_character(t)}
    # where as many sources use two tokens, the more frequent one of BERT's own corpus has the lower number
    others = sorted(set(vocabulary.values()) - first, key=lambda n: (-used[n], n))
    return sorted(first | set(others[: count - len(first)]))


def write_tokenizer(source, kept, path):
    """The tokenizer file with only the tokens `kept`, numbered in their order."""
    tokenizer = json.loads(source.read_text())
    tokenizer["truncation"] = tokenizer["padding"] = None
    name_of = {n: t for t, n in tokenizer["model"]["vocab"].items()}
    number = {name_of[old]: new for new, old in enumerate(kept)}
    tokenizer["model"]["vocab"] = number
    for token in tokenizer["added_tokens"]:
        token["id"] = number[token["content"]]
    for token in tokenizer["post_processor"]["special_tokens"].values():
        token["ids"] = [number[t] for t in token["tokens"]]
    path.write_text(json.dumps(tokenizer, ensure_ascii=False))
