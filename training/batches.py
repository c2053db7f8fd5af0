"""Batches for the device: shards assembled in a background thread, sorted by length, cut by token budget."""

import concurrent.futures

import numpy as np
import torch

import corpus as corpuslib

SHARD_ROWS = 40000
MAX_SEQUENCES = 1024


def sample_rows(corpus, allowed, weights, cap, caps, rng):
    """Row numbers of one epoch: each source gives at most `cap` rows of a group, times the group's weight."""
    picked, usual = [], cap
    for source, of in enumerate(corpus.names):
        cap = caps.get(of, usual)
        of_source = allowed & (corpus.source == source)
        for number, name in enumerate(corpus.groups):
            found = np.flatnonzero(of_source & (corpus.group == number))
            weight = weights.get(name, weights.get(name.split("_")[0], 1.0))
            count = min(int(round(len(found) * min(weight, 1))), int(cap * weight))
            if count:
                picked.append(rng.choice(found, count, replace=False))
    return rng.permutation(np.concatenate(picked))


def mean_length(corpus, rows):
    number, k = corpuslib.all_options(corpus, rows)
    _, _, options, head, state = corpuslib.lengths(corpus, rows, number, k)
    return float((4 + options + head + state).mean())


def make_shard(corpus, rows, rng, drop_share, pair_share):
    """Training sequences of the rows, sorted by length, and which of them are seconds of the one before.

    With `pair_share` some choice rows appear twice, in two orders, and each negation is followed by its statement.
    The options of a second carry the numbers of the first's options that they should agree with: the same text, or,
    for a negation, the other side."""
    mirrored = (corpus.mirror[rows] >= 0) & (pair_share > 0)
    doubled = mirrored | ((corpus.type[rows] == 0) & (rng.random(len(rows)) < pair_share))
    number, k = corpuslib.shuffled_options(corpus, rows, rng, drop_share)
    used = corpuslib.lengths(corpus, rows, number, k)
    order = np.argsort(3 + used[2] + used[3] + used[4], kind="stable")
    first = np.cumsum(k) - k
    copies = np.repeat(order, np.where(doubled[order], 2, 1))
    flat = np.repeat(first[copies], k[copies]) + corpuslib.ranges(k[copies])
    number = number[flat]
    second = np.concatenate([[False], copies[1:] == copies[:-1]])
    mirror = second & mirrored[copies]
    each = lambda flags: np.repeat(flags, k[copies])
    key = np.where(each(second & ~mirror), rng.random(len(number)), corpuslib.ranges(k[copies]))
    number = number[np.lexsort((key, np.repeat(np.arange(len(copies)), k[copies])))]
    shown = np.where(mirror, corpus.mirror[rows[copies]], rows[copies])
    shard = corpuslib.assemble(corpus, shown, number, k[copies])
    shard.opts = np.where(each(mirror), 1 - number, number)
    return shard, second


def cut(shard, second, budget):
    """Ranges [a, b) of sequences whose padded size stays in the budget; a second stays with the one before."""
    size, cuts, a, widest = np.diff(shard.off), [], 0, 0
    for b in range(1, len(size) + 1):
        widest = max(widest, size[b - 1])
        if b < len(size) and second[b]:
            continue
        with_next = max(widest, size[b : b + 2].max(initial=0)) * (b + 2 - a)
        if b == len(size) or with_next > budget or b - a >= MAX_SEQUENCES - 1:
            cuts.append((a, b))
            a, widest = b, 0
    return cuts


class DeviceShard:
    """A shard on the device; a batch is cut out of it there, so a step moves nothing but two numbers."""

    def __init__(self, corpus, shard, second, device):
        move = lambda v: torch.from_numpy(np.ascontiguousarray(v)).to(device)
        self.size, self.k, self.second = np.diff(shard.off), shard.k, second
        self.tokens, self.off, self.k_off = move(shard.tokens), move(shard.off), move(shard.k_off)
        self.marks, self.opts, self.target = move(shard.marks), move(shard.opts), move(shard.target)
        self.type, self.seconds = move(corpus.type[shard.rows]), move(second)

    def batch(self, a, b):
        width, options = (int(self.size[a:b].max()) + 15) // 16 * 16, int(self.k[a:b].max())
        size, k = (
            self.off[a + 1 : b + 1] - self.off[a:b],
            self.k_off[a + 1 : b + 1] - self.k_off[a:b],
        )
        ids = cut_out(self.tokens, self.off[a:b], size, width, 0).long()
        option = lambda values, fill: cut_out(values, self.k_off[a:b], k, options, fill)
        return {
            "ids": ids,
            "size": size,
            "k": k,
            "type": self.type[a:b],
            "second": self.seconds[a:b],
            "marks": option(self.marks, 0),
            "opts": option(self.opts, 1 << 20),
            "target": option(self.target, 0),
        }


def cut_out(values, start, count, width, fill):
    """Rows of different length as one matrix."""
    place = torch.arange(width, device=values.device)[None]
    taken = values[(start[:, None] + place).clamp(max=len(values) - 1)]
    return taken.masked_fill(place >= count[:, None], fill)


def training(corpus, rows, seed, budget, drop_share, pair_share, device):
    """Yields (rows in the batch, batch) over `rows`; the next shard is assembled while this one trains."""
    rng = np.random.default_rng(seed)
    parts = [rows[i : i + SHARD_ROWS] for i in range(0, len(rows), SHARD_ROWS)]
    seeds = rng.integers(1 << 60, size=len(parts))
    make = lambda i: make_shard(
        corpus, parts[i], np.random.default_rng(seeds[i]), drop_share, pair_share
    )
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        coming = pool.submit(make, 0)
        for i in range(len(parts)):
            shard, second = coming.result()
            coming = pool.submit(make, i + 1) if i + 1 < len(parts) else None
            ranges, moved = cut(shard, second, budget), DeviceShard(corpus, shard, second, device)
            for j in rng.permutation(len(ranges)):
                a, b = ranges[j]
                yield b - a - int(second[a:b].sum()), moved.batch(a, b)


def evaluation(corpus, rows, budget, device, backwards=False):
    """Yields (row numbers, option numbers per row flat, batch); options in stored order or reversed for choice."""
    number, k = corpuslib.all_options(corpus, rows)
    if backwards:
        turned = np.repeat(corpus.type[rows] == 0, k)
        number = np.where(turned, np.repeat(k, k) - 1 - number, number)
    used = corpuslib.lengths(corpus, rows, number, k)
    order = np.argsort(used[2] + used[3] + used[4], kind="stable")
    first = np.cumsum(k) - k
    flat = np.repeat(first[order], k[order]) + corpuslib.ranges(k[order])
    shard = corpuslib.assemble(corpus, rows[order], number[flat], k[order])
    second = np.zeros(len(order), bool)
    moved = DeviceShard(corpus, shard, second, device)
    for a, b in cut(shard, second, budget):
        yield shard.rows[a:b], shard.opts[shard.k_off[a] : shard.k_off[b]], moved.batch(a, b)
