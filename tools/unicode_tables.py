#!/usr/bin/env python3
"""Writes src/text/unicode_tables.cc: what the reference tokenizer knows about each code point.

The properties are not taken from a Unicode data file but asked of the `tokenizers` package itself,
code point by code point, because its crates carry different Unicode versions. Needs
tokenizers==0.23.3; takes about two minutes.

    python3 tools/unicode_tables.py > src/text/unicode_tables.cc
"""

import sys
import unicodedata

import tokenizers
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers

REFERENCE = "0.23.3"
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL_SYLLABLES = range(0xAC00, 0xAC00 + 11172)
BLOCK = 128

# Bit order of CodePointFlag in unicode_tables.h.
FLAGS = ["letter", "number", "white_space", "word", "bert_control", "bert_punctuation", "cjk",
         "nonspacing_mark", "decomposes", "nfc_active", "lower_cases"]


def matching(regex):
    """The code points that the regex engine of the pre-tokenizers puts into `regex`."""
    everything = "".join(map(chr, CODE_POINTS))
    rest = pre_tokenizers.Split(Regex(regex), "removed").pre_tokenize_str(everything)
    return set(CODE_POINTS) - {ord(c) for piece, _ in rest for c in piece}


def word_characters():
    """Neighbours that forbid a `single_word` added token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.add_tokens([AddedToken("X", single_word=True, normalized=False)])
    return {c for c in CODE_POINTS if not tokenizer.encode("X" + chr(c)).ids}


def stripped_white_space():
    """What `lstrip` swallows."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.add_tokens([AddedToken("X", lstrip=True, normalized=False)])
    return {c for c in CODE_POINTS if tokenizer.encode("Y" + chr(c) + "X").offsets[-1][0] == 1}


def bert(step):
    """One step of the BERT normaliser alone."""
    steps = ["clean_text", "handle_chinese_chars", "strip_accents", "lowercase"]
    return normalizers.BertNormalizer(**{s: s == step for s in steps}).normalize_str


def combining_classes():
    """Canonical combining classes, seen through the order in which NFD puts two marks.

    One mark of each class value stands for its class; the values themselves come from Python's
    table, and only their order matters.
    """
    nfd = normalizers.NFD().normalize_str
    high = "\u0345"  # of the highest class there is

    def precedes(x, y):
        """Does NFD move x before y?"""
        return x != y and nfd("a" + y + x) == "a" + x + y

    marks = [c for c in CODE_POINTS if nfd(chr(c)) == chr(c) and precedes(chr(c), high)]
    representative = {unicodedata.combining(chr(c)): chr(c) for c in reversed(marks)}
    values = sorted(representative)
    classes = {ord(high): unicodedata.combining(high)}
    for c in marks:
        below = [v for v in values if precedes(representative[v], chr(c))]
        classes[c] = values[len(below)]
        assert below == values[:len(below)], hex(c)
        assert not precedes(chr(c), representative[classes[c]]), hex(c)
    return classes


def compositions(decomposed):
    """(first, second) -> composite, for all pairs that NFC joins (Hangul is arithmetic)."""
    nfc = normalizers.NFC().normalize_str
    pairs = {}
    for c, full in decomposed.items():
        if nfc(chr(c)) != chr(c):
            continue  # excluded from composition
        first, second = nfc(full[:-1]), full[-1]
        assert len(first) == 1 and nfc(first + second) == chr(c), hex(c)
        pairs[ord(first), ord(second)] = c
    return pairs


def hexes(values, per_line=12):
    values = list(values)
    for i in range(0, len(values), per_line):
        yield "    " + ", ".join(values[i:i + per_line]) + ","


def emit(declaration, rows, per_line):
    print(f"{declaration} = {{")
    print("\n".join(hexes(rows, per_line)))
    print("};\n")


def main():
    if tokenizers.__version__ != REFERENCE:
        sys.exit(f"needs tokenizers=={REFERENCE}, found {tokenizers.__version__}")

    nfc = normalizers.NFC().normalize_str
    nfd = normalizers.NFD().normalize_str
    decomposed = {c: nfd(chr(c)) for c in CODE_POINTS
                  if c not in HANGUL_SYLLABLES and nfd(chr(c)) != chr(c)}
    ccc = combining_classes()
    pairs = compositions(decomposed)
    seconds = {second for _, second in pairs} | set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))

    def nfc_active(c):
        """False when NFC keeps c and nothing before c can join it or move past it."""
        first = ord(nfd(chr(c))[0])
        return nfc(chr(c)) != chr(c) or c in ccc or c in seconds or first in ccc or first in seconds

    clean, chinese, lower = bert("clean_text"), bert("handle_chinese_chars"), bert("lowercase")
    strip = bert("strip_accents")
    lowered = {c: lower(chr(c)) for c in CODE_POINTS if lower(chr(c)) != chr(c)}
    bert_pieces = pre_tokenizers.BertPreTokenizer().pre_tokenize_str
    pieces = {c: len(bert_pieces("a" + chr(c) + "a")) for c in CODE_POINTS}
    white_space = matching(r"\s")
    assert white_space == stripped_white_space()  # one notion of white space in the whole reference
    assert white_space == {c for c in CODE_POINTS if pieces[c] == 2}
    control = {c for c in CODE_POINTS if clean(chr(c)) == ""}
    assert {c for c in CODE_POINTS if clean(chr(c)) == " "} == white_space - control
    sets = {
        "letter": matching(r"\p{L}"),
        "number": matching(r"\p{N}"),
        "white_space": white_space,
        "word": word_characters(),
        "bert_control": control,
        "bert_punctuation": {c for c in CODE_POINTS if pieces[c] == 3},
        "cjk": {c for c in CODE_POINTS if chinese(chr(c)) != chr(c)},
        "nonspacing_mark": {c for c in CODE_POINTS if nfd(chr(c)) == chr(c) and strip(chr(c)) == ""},
        "decomposes": set(decomposed) | set(HANGUL_SYLLABLES),
        "nfc_active": {c for c in CODE_POINTS if nfc_active(c)},
        "lower_cases": set(lowered),
    }

    flags = [0] * 0x110000
    for bit, name in enumerate(FLAGS):
        for c in sets[name]:
            flags[c] |= 1 << bit
    palette = sorted(set(flags))
    index = {value: i for i, value in enumerate(palette)}
    blocks, stage1 = {}, []
    for start in range(0, 0x110000, BLOCK):
        block = tuple(index[f] for f in flags[start:start + BLOCK])
        stage1.append(blocks.setdefault(block, len(blocks)))
    assert len(palette) <= 256 and len(blocks) <= 65536

    print("// Generated by tools/unicode_tables.py from the behaviour of Hugging Face tokenizers "
          f"{REFERENCE}.\n// Do not edit. Long file: it is data.")
    print("// clang-format off\n#include \"text/unicode_tables.h\"\n\nnamespace dikast::unicode {\n")
    emit(f"const uint16_t kPalette[{len(palette)}]", [f"0x{f:x}" for f in palette], 14)
    emit(f"const uint16_t kBlockOf[{len(stage1)}]", map(str, stage1), 24)
    emit(f"const uint8_t kBlocks[{len(blocks)}][{BLOCK}]",
         ["{" + ",".join(map(str, b)) + "}" for b in blocks], 1)

    pool, entries = [], []
    for c, text in sorted(decomposed.items()):
        entries.append(f"{{0x{c:x}, {len(pool)}, {len(text)}}}")
        pool += [f"0x{ord(x):x}" for x in text]
    emit(f"static const char32_t kDecompositionPool[{len(pool)}]", pool, 12)
    emit(f"static const Decomposition kDecompositionRows[{len(entries)}]", entries, 6)

    entries = [f"{{0x{c:x}, {value}}}" for c, value in sorted(ccc.items())]
    emit(f"static const CombiningClass kCombiningRows[{len(entries)}]", entries, 8)
    entries = [f"{{0x{a:x}, 0x{b:x}, 0x{c:x}}}" for (a, b), c in sorted(pairs.items())]
    emit(f"static const Composition kCompositionRows[{len(entries)}]", entries, 5)
    assert max(map(len, lowered.values())) <= 2
    entries = [f"{{0x{c:x}, 0x{ord(t[0]):x}, 0x{ord(t[1]) if len(t) > 1 else 0:x}}}"
               for c, t in sorted(lowered.items())]
    emit(f"static const LowerCase kLowerRows[{len(entries)}]", entries, 5)

    print("const std::span<const char32_t> kDecompositionCodePoints = kDecompositionPool;")
    print("const std::span<const Decomposition> kDecompositions = kDecompositionRows;")
    print("const std::span<const CombiningClass> kCombiningClasses = kCombiningRows;")
    print("const std::span<const Composition> kCompositions = kCompositionRows;")
    print("const std::span<const LowerCase> kLowerCases = kLowerRows;")
    print("\n}  // namespace dikast::unicode\n// clang-format on")


if __name__ == "__main__":
    main()
