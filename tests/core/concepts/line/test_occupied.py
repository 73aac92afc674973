"""How often examples meet on a line's points, and how blocks vote there: against plain loops."""

import collections

import numpy as np
import pytest

from privsc_core.catalog import distribution
from privsc_core.catalog import learner as learner_of
from privsc_core.concepts.line import votes
from privsc_core.concepts.line.bounds import blind
from privsc_core.concepts.line.laws import FEW, occupied
from privsc_core.concepts.line.plane import LARGEST
from privsc_core.evaluate.success import success


@pytest.mark.parametrize("size", [67, 127, 4093, (1 << 40) - 87])
@pytest.mark.parametrize("hits", [[0, 5, 0, 300, 1], [0, 0], [40] * 20, [2000]])
def test_points_are_counted_as_one_by_one(size, hits):
    found = occupied(np.array(hits), size, np.random.default_rng(5))
    points = np.random.default_rng(5).integers(size, size=sum(hits)).tolist()
    rows, first = [], []
    for row, many in enumerate(hits):
        seen = collections.Counter(points[:many])
        del points[:many]
        first.append(seen[0])
        rows += [(row, *pair) for pair in sorted(collections.Counter(seen.values()).items())]
    columns = found.rows.tolist(), found.counts.tolist(), found.many.tolist()
    assert list(zip(*columns, strict=True)) == rows
    assert found.first.tolist() == first


def test_of_few_points_every_example_is_counted():
    hits = np.array([0, 30, 500])
    found = occupied(hits, FEW - 3, np.random.default_rng(6))
    total = np.bincount(found.rows, found.counts * found.many, hits.size)
    assert total.tolist() == hits.tolist()
    assert (found.first <= hits).all()
    assert found.first[2] > 0


def test_candidates_stay_below_as_one_by_one():
    rng = np.random.default_rng(7)
    at, of = np.sort(rng.normal(3.0, 4.0, size=(5, 6)), axis=0), rng.integers(5, size=40)
    rows, counts, many = (
        rng.integers(40, size=70),
        rng.integers(1, 9, size=70),
        rng.integers(1, 4, size=70),
    )
    found = votes._below(at, of, 0.4, rows, counts, many)
    for row in range(40):
        chance = np.ones(6)
        for place in np.flatnonzero(rows == row):
            x = at[of[row]] - 0.4 * counts[place]
            below = np.where(x < 0.0, 0.5 * np.exp(x), 1.0 - 0.5 * np.exp(-x))
            chance *= below ** many[place]
        assert found[row] == pytest.approx(chance, rel=1e-12)


def test_no_mixture_that_is_not_searched_excludes_more():
    pairs = [(d, epsilon) for d in (3, 9, 40, 500) for epsilon in (0.05, 0.5, 4.0)]
    for alpha, beta in ((0.05, 0.1), (0.3, 0.02)):
        together = blind._bests(LARGEST, pairs, alpha, beta)
        for (d, epsilon), best in zip(pairs, together, strict=True):
            few = blind._candidates(LARGEST, d, alpha, epsilon, beta)
            assert (few is None) == (best is None)
            for place in range(0 if few is None else few.logs.size):
                # No mixture excludes the number that is told.
                limit = blind._limit(
                    np.array([best.m]), few.logs[place : place + 1], few.masses[place : place + 1],
                    few.shares[place : place + 1], np.array(epsilon), 40.0, lost=True,
                )  # fmt: skip
                assert best.m == 0 or limit.item() <= beta * (1 + 1e-9)


def test_votes_of_as_many_blocks_are_drawn_once_and_say_what_each_says_alone():
    law, learner = distribution("line", "spread"), learner_of("line", "vote")
    m = np.array([[30, 31, 400], [405, 33, 1000]])
    over = {"d": 16, "alpha": 0.2, "trials": 60, "seed": 3}
    epsilon = np.array([[0.5], [2.0]])
    together = success(learner, law, m=m, epsilon=epsilon, **over)
    votes._known.clear()
    for place in np.ndindex(m.shape):
        alone = success(learner, law, m=m[place], epsilon=epsilon[place[0], 0], **over)
        assert alone.value == together.value[place]
        assert (alone.low, alone.high) == (together.low[place], together.high[place])
    other = success(learner, law, m=m, epsilon=epsilon, **over | {"seed": 4})
    assert (other.value[together.value < 0.99] != together.value[together.value < 0.99]).all()
