"""A ladder of ladders on tiny domains: mistakes by counting, scores by their definition, and what one example moves."""

import itertools
import math

import numpy as np
import pytest

from privsc_core.concepts.interval.nodes import Scale, candidates_most
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.ladders import DEPTHS, ladders, rungs

GIVEN = {
    "law": "cascade", "d": 6, "m": 7000, "seed": 1, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1, "delta": 1e-6,
    "depth": "2", "change": "move", "example": 3, "place": 40,
}  # fmt: skip


class Definition:
    """Depth 2 on a sample, straight from its definition."""

    def __init__(self, d, x, y, theta):
        self.n, self.end, self.theta = d + 1, 2 << d, theta
        self.pairs = list(zip(x, y, strict=True))
        self.length = 1 + math.ceil(math.log2(self.n))

    def sides(self, t):
        t = min(t, self.end // 2 + 1)
        return sum(b for a, b in self.pairs if a >= t), sum(1 - b for a, b in self.pairs if a < t)

    def difference(self, t):
        ends = {0: math.inf, self.end: -math.inf}
        positives, negatives = self.sides(t)
        return ends.get(t, positives - negatives)

    def mistakes(self, t):
        return math.inf if t in {0, self.end} else max(self.sides(t))

    def least(self, level):
        return min(map(self.mistakes, range(0, self.end + 1, 1 << level)))

    def centred(self, c):
        if c <= 0 or c >= 2 * self.n:
            return math.inf if c else -math.inf
        if c % 2:
            return sorted([self.centred(c - 1), self.centred(c + 1), 0.0])[1]
        return self.least(c // 2) - self.theta

    def scores(self, most):
        """Return all thresholds that a path leads to, with their scores."""
        for power in range(self.length):
            size = 2 << power
            for a in range(0, 1 << self.length, size):
                margin = min(-self.centred(a), self.centred(a + size))
                level = (a + (size >> 1) + 1) // 2
                if margin > 0 and 1 <= level <= self.n:
                    yield from self.below(level, margin, most, alone=not power)

    def below(self, level, margin, most, *, alone):
        for a in range(0, self.end, 1 << level):
            b = a + (1 << level)
            if self.difference(a) > 0 > self.difference(b):
                for t in [(a + b) // 2] if alone else [a, b]:
                    cell = min(self.difference(a) / 2, -self.difference(b) / 2)
                    score = min(margin, cell, most - self.mistakes(t))
                    if score > 0:
                        yield t, score


def samples(count):
    rng = np.random.default_rng(41)
    for _ in range(count):
        d, m = int(rng.integers(2, 5)), int(rng.integers(4, 60))
        j = int(rng.integers(1, (1 << d) + 2))
        x = rng.integers(1, (1 << d) + 1, size=m)
        y = (x < j).astype(int)
        wrong = rng.random(m) < rng.choice([0.0, 0.1])
        yield d, x.tolist(), (y ^ wrong).tolist()


def test_mistakes_levels_and_scores_are_those_of_their_definition():
    met = 0
    for d, x, y in samples(60):
        scale = Scale(0.5, 1.0, 1, 3, (2,))  # u = 1, v = 3, theta = 2
        found = rungs(Sample.of(d, x, y), scale)
        known = Definition(d, x, y, 2)
        assert found.stages[0].tolist() == [known.mistakes(t) for t in range(1, (1 << d) + 2)]
        assert found.stages[1].tolist() == [known.least(level) for level in range(d + 2)]
        scores = sorted(known.scores(3))
        shown = zip(found.threshold.tolist(), found.score.tolist(), strict=True)
        assert sorted(pair for pair in shown if pair[1] > 0) == scores
        met += len(scores)
    assert met > 20


@pytest.mark.parametrize("depth", DEPTHS)
def test_no_score_moves_by_more_than_1_and_some_do_by_1(depth):
    scale, moves = Scale.of(d=2, epsilon=3.0, beta=0.4, delta=0.4, depth=int(depth)), []
    rng = np.random.default_rng(7)
    for _ in range(40):
        x = rng.integers(1, 5, size=18).tolist()
        y = [int(a < 3) for a in x]
        here = rungs(Sample.of(2, x, y), scale).score
        for a, b in itertools.product(range(1, 5), (0, 1)):
            there = rungs(Sample.of(2, [a, *x[1:]], [b, *y[1:]]), scale).score
            moves.append(np.abs(here - there).max())
        assert (here > 0).sum() <= candidates_most(int(depth), 2)[0]
    assert max(moves) == 1.0


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_figures_show_the_numbers_of_both_samples(depth):
    found = ladders(**(GIVEN | {"depth": depth}))
    assert 0.0 <= found.moved <= 1.0
    assert found.bars == candidates_most(int(depth), 6)[0]
    assert "→ (40, " in found.changed
    table = found.scores.table
    moved = np.abs(np.array(table["score"]) - np.array(table["after"]))
    assert moved.max() == found.moved
    assert max(table["score"]) > 0
    assert len(set(found.stages.table["stage"])) == int(depth)
    alone = ladders(**(GIVEN | {"depth": depth, "change": "none"}))
    assert (alone.changed, alone.moved) == ("", 0.0)
    assert "after" not in alone.scores.table


@pytest.mark.parametrize(
    ("given", "said"),
    [({"law": "no"}, "law must be one of"), ({"depth": "4"}, "depth must be one of"), ({"d": 9}, "d must be in"),
     ({"change": "x"}, "change must be one of"), ({"delta": 0.0}, "delta must be in")],
)  # fmt: skip
def test_what_does_not_exist_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        ladders(**(GIVEN | given))
