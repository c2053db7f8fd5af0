"""Random strings that look for trouble in tokenizers. Deterministic for a seed."""

import random
import sys
import unicodedata

SCALARS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
SCRIPTS = [(0x41, 0x5A), (0x61, 0x7A), (0xC0, 0x24F), (0x370, 0x3FF), (0x400, 0x52F), (0x531, 0x58A),
           (0x591, 0x5F4), (0x600, 0x6FF), (0x900, 0x97F), (0x980, 0x9FE), (0xB80, 0xBFA),
           (0xC00, 0xC7F), (0xD00, 0xD7F), (0xE01, 0xE5B), (0xF00, 0xFDA), (0x10A0, 0x10FF),
           (0x1100, 0x11FF), (0x13A0, 0x13FF), (0x1E00, 0x1FFE), (0x2000, 0x206F), (0x20A0, 0x20C0),
           (0x2100, 0x218B), (0x2C00, 0x2DFF), (0x3000, 0x30FF), (0x3400, 0x4DBF), (0x4E00, 0x9FFF),
           (0xA640, 0xA69F), (0xAC00, 0xD7A3), (0xD7B0, 0xD7FB), (0xF900, 0xFAFF), (0xFB00, 0xFDFF),
           (0xFE30, 0xFFEF), (0x10330, 0x1034A), (0x10400, 0x1044F), (0x11100, 0x11147),
           (0x1D165, 0x1D1AD), (0x1D400, 0x1D7FF), (0x1E900, 0x1E95E), (0x20000, 0x2A6DF),
           (0x2F800, 0x2FA1D)]
EMOJI = [chr(c) for c in [*range(0x1F300, 0x1F650), *range(0x1F680, 0x1F700), *range(0x2600, 0x27C0),
                          *range(0x1F900, 0x1FAFF)]]
WORDS = ("the of and to in is you that it he was for on are as with his they I at be this have from or "
         "one had by word but not what all were we when your can said there use an each which she do "
         "how their if will up other about out many then them these so some her would make like him "
         "into time has look two more write go see number no way could people my than first water been "
         "call who oil its now find long down day did get come made may part refund ticket priority "
         "customer escalation Zürich naïve façade don't I'll we've you're it's she'd I'm").split()
TAILS = ["'s", "'S", "'t", "'T", "'re", "'RE", "'rE", "'ve", "'m", "'ll", "'lL", "'d", "'\u017f", "'x"]
SPACES = " \t\n\r\u000b\u000c\u0085\u00a0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000\u200b\ufeff\u2581"


def is_category(c, prefix):
    return unicodedata.category(chr(c)).startswith(prefix)


MARKS = [chr(c) for c in SCALARS if is_category(c, "M")]
UNASSIGNED = [chr(c) for c in SCALARS if is_category(c, "Cn")]
COMPOSED = [chr(c) for c in SCALARS if unicodedata.normalize("NFD", chr(c)) != chr(c)]
PRIVATE = [(0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)]


class RandomText:
    """Strings of 1 to 200 code points; `added_tokens` are the contents to tease the matcher with."""

    def __init__(self, seed, added_tokens):
        self.random = random.Random(seed)
        self.added_tokens = sorted(added_tokens)
        self.kinds = [self.words, self.words, self.ascii, self.script, self.mixed, self.marks,
                      self.decomposed, self.emoji, self.private, self.unassigned, self.anything,
                      self.controls, self.added, self.added, self.space_run, self.numbers]

    def text(self):
        size = self.random.randint(1, self.random.choice([6, 40, 200]))
        parts, total = [], 0
        kinds = self.random.sample(self.kinds, self.random.randint(1, 5))
        while total < size:
            parts.append(self.random.choice(kinds)(self.random.randint(1, 12)))
            total += len(parts[-1])
        return "".join(parts)[:size]

    def pick(self, pool, n):
        return "".join(self.random.choices(pool, k=n))

    def in_range(self, bounds, n):
        return "".join(chr(self.random.randint(*bounds)) for _ in range(n))

    def words(self, n):
        r = self.random
        out = []
        for _ in range(n):
            word = r.choice(WORDS)
            word = r.choice([word, word, word, word.upper(), word.title(), word + r.choice(TAILS)])
            out.append(r.choice([" ", " ", " ", " ", ". ", ", ", "-", "  ", "\n"]) + word)
        return "".join(out)

    def ascii(self, n):
        return self.in_range((0x20, 0x7E), n)

    def script(self, n):
        return self.in_range(self.random.choice(SCRIPTS), n)

    def mixed(self, n):
        return "".join(self.script(1) for _ in range(n))

    def marks(self, n):
        return "".join(self.script(1) + self.pick(MARKS, self.random.choice([1, 1, 2, 5]))
                       for _ in range(1 + n // 3))

    def decomposed(self, n):
        text = unicodedata.normalize("NFD", self.pick(COMPOSED, n))
        return "".join(self.random.sample(text, len(text))) if self.random.random() < 0.2 else text

    def emoji(self, n):
        joiners = ["", "", "\u200d", "\ufe0f", "\U0001F3FD", "\u20e3"]
        return "".join(self.random.choice(EMOJI) + self.random.choice(joiners) for _ in range(n))

    def private(self, n):
        return self.in_range(self.random.choice(PRIVATE), n)

    def unassigned(self, n):
        return self.pick(UNASSIGNED, n)

    def anything(self, n):
        return "".join(map(chr, self.random.choices(SCALARS, k=n)))

    def controls(self, n):
        return self.pick([chr(c) for c in [*range(0x20), *range(0x7F, 0xA0), 0xAD, 0xFFFD, 0xFFFF]], n)

    def added(self, n):
        """A whole added token, or a part of one, with things that strip rules care about around."""
        token = self.random.choice(self.added_tokens)
        if self.random.random() < 0.4:
            token = token[self.random.randrange(len(token)):][:self.random.randint(1, 12)]
        around = ["", "", " ", "  ", "\t ", "\u3000", "a", "_", "\u0301", "\n"]
        return self.random.choice(around) + token + self.random.choice(around)

    def space_run(self, n):
        kind = self.random.choice([" ", "\n", "\t", "\u2581", SPACES])
        return self.pick(kind, self.random.choice([n, n, 3 * n, 10 * n]))

    def numbers(self, n):
        digits = "0123456789"
        return self.pick(self.random.choice([digits, digits, digits + ".,%$ ", "٣४५Ⅷ½²৩"]), n)


def main():
    generator = RandomText(int(sys.argv[1]), ["<mask>", "[MASK]", "  "])
    for _ in range(int(sys.argv[2])):
        print(ascii(generator.text()))


if __name__ == "__main__":
    main()
