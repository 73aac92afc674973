"""The batched exponential mechanisms against their definitions, sample by sample."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval.learners import exponential as intervals
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import exponential as points
from privsc_core.concepts.shared.sample import Sample
from tests import budget
from tests.core.concepts.point.chances import chances_of_point, chances_of_range, simulated
from tests.core.support import law
from tests.depth import deep, in_turn, whole

RUNS = 20_000
# Among them: both labels at a point, every point seen, no positive, only positives, the ends of the
# domain, labels that no threshold fits.
SAMPLES = [
    (2, [1, 1, 2, 2], [0, 1, 1, 1]),
    (2, [1, 2, 3, 4], [0, 1, 0, 1]),
    (2, [4, 4, 4, 4], [0, 0, 0, 0]),
    (2, [4, 4, 4, 4], [1, 1, 1, 1]),
    (2, [1, 1, 1, 1], [0, 0, 0, 0]),
    (3, [8, 1, 8, 1], [1, 0, 1, 0]),
    (3, [2, 3, 6, 7], [1, 1, 0, 0]),
    (3, [5, 5, 5, 5], [1, 1, 1, 1]),
    (1, [2, 1, 1, 2], [1, 1, 0, 0]),
]


@dataclass(frozen=True)
class Batch:
    """A learner that runs on many samples at once, and what a hypothesis says of a point."""

    concept: str
    module: ModuleType
    hypotheses: Callable[[int], range]
    says: Callable[[int, int], bool]
    chances_of: Callable[..., Any]  # x, y, d, epsilon, the first and the last hypothesis

    @property
    def learner(self):
        return catalog.learner(self.concept, "exponential")

    def chosen(self, x, y, *, rng, **given):
        """Return the hypotheses of all rows."""
        return self.learner.run_many(x, y, Cell(alpha=0.1, beta=0.1, **given), rng).numbers

    def dense(self, d, x, y, epsilon):
        """Return the probability of every hypothesis from its definition."""
        mistakes = np.array([
            sum(self.says(j, p) != b for p, b in zip(x, y, strict=True)) for j in self.hypotheses(d)
        ])  # fmt: skip
        weights = np.exp(-epsilon / 2 * (mistakes - mistakes.min()))
        return weights / weights.sum()

    def chances(self, x, y, d, epsilon):
        """Return the batch's probabilities of single hypotheses, a row for each sample."""
        return np.stack([self.chances_of(x, y, d, epsilon, (j, j)) for j in self.hypotheses(d)], 1)

    def counts(self, chosen, d):
        return np.bincount(chosen, minlength=len(self.hypotheses(d)) + 1)[1:].tolist()


def chances_of_points(x, y, d, epsilon, ends):
    targets = range(ends[0], ends[1] + 1)
    return sum(chances_of_point(x, y, d=d, epsilon=epsilon, target=j) for j in targets)


def chances_of_thresholds(x, y, d, epsilon, ends):
    return chances_of_range(x, y, d=d, epsilon=epsilon, accurate=ends)


POINT = Batch("point", points, lambda d: range(1, 2**d + 1), lambda j, p: p == j, chances_of_points)
INTERVAL = Batch(
    "interval", intervals, lambda d: range(1, 2**d + 2), lambda j, p: p < j, chances_of_thresholds
)
BOTH = pytest.mark.parametrize("batch", [POINT, INTERVAL], ids=lambda batch: batch.concept)


@BOTH
@pytest.mark.parametrize("epsilon", [0.01, whole(1.0), 7.0, 3000.0])
@pytest.mark.parametrize(("d", "m"), [(1, 1), (1, 4), whole(2, 1), (2, 3), (3, 2)])
def test_every_sample_of_a_tiny_domain(batch, d, m, epsilon):
    examples = list(itertools.product(range(1, 2**d + 1), (0, 1)))
    samples = np.array(list(itertools.product(examples, repeat=m)), dtype=np.int64)
    x, y = samples[:, :, 0], samples[:, :, 1].astype(np.uint8)
    rows = list(zip(x.tolist(), y.tolist(), strict=True))
    expected = np.array([batch.dense(d, *row, epsilon) for row in rows])
    assert np.abs(batch.chances(x, y, d, epsilon) - expected).max() <= 1e-12
    at = Cell(d, epsilon, 0.1, 0.1)
    plain = [batch.learner.output_distribution(Sample.of(d, *row), at) for row in rows]
    plain = np.array([[found[j] for j in batch.hypotheses(d)] for found in plain])
    assert np.abs(plain - expected).max() <= 1e-12


@BOTH
@pytest.mark.parametrize(("d", "block"), in_turn([3, 6, 7, 11], [1, 50, 1 << 20]))
def test_large_random_samples_in_any_blocks(monkeypatch, batch, d, block):
    monkeypatch.setattr(batch.module, "_BLOCK", block)
    rng = np.random.default_rng(d)
    some = rng.integers(1, 2**d + 1, size=4)
    x = some[rng.integers(4, size=(30, 25))]
    x[:10] = rng.integers(1, 2**d + 1, size=(10, 25))
    x[0, :2] = 1, 2**d
    y = rng.integers(2, size=x.shape).astype(np.uint8)
    wanted = [batch.dense(d, *row, 0.7) for row in zip(x.tolist(), y.tolist(), strict=True)]
    last = len(batch.hypotheses(d))
    for low, high in (
        (1, 1),
        (3, 6),
        (int(some[0]), int(some[0])),
        (last, last),
        (1, min(9, last)),
    ):
        found = batch.chances_of(x, y, d, 0.7, (low, high))
        assert found == pytest.approx([p[low - 1 : high].sum() for p in wanted], rel=1e-12)


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
@pytest.mark.parametrize("d", [14, 15, 30, 31])
def test_points_of_a_large_domain(monkeypatch, d, block):
    monkeypatch.setattr(points, "_BLOCK", block)
    rng = np.random.default_rng(d)
    x = rng.integers(1, 2**d + 1, size=4)[rng.integers(4, size=(30, 25))]
    x[0, :2] = 1, 2**d
    y = rng.integers(2, size=x.shape).astype(np.uint8)
    for target in (1, int(x[1, 1]), 2**d):
        found = chances_of_point(x, y, d=d, epsilon=0.7, target=target)
        for row, (xs, ys) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            net = {p: sum(2 * b - 1 for q, b in zip(xs, ys, strict=True) if q == p) for p in xs}
            total = sum(np.exp(0.35 * n) for n in net.values()) + 2**d - len(net)
            assert found[row] == pytest.approx(np.exp(0.35 * net.get(target, 0)) / total, rel=1e-12)


@BOTH
@pytest.mark.parametrize(("d", "x", "y"), SAMPLES)
def test_runs_follow_the_law(batch, d, x, y):
    rows = (np.tile(np.array(row), (RUNS, 1)) for row in (x, y))
    chosen = batch.chosen(*rows, d=d, epsilon=1.0, rng=np.random.default_rng(1))
    wanted = batch.dense(d, x, y, 1.0).tolist()
    budget.assert_distribution(batch.counts(chosen, d), wanted, "the batch")


@BOTH
def test_each_row_follows_its_own_law(batch):
    tiny = [(x, y) for d, x, y in SAMPLES if d <= 2]
    x, y = (np.array(rows * RUNS) for rows in zip(*tiny, strict=True))
    chosen = batch.chosen(x, y, d=2, epsilon=2.0, rng=np.random.default_rng(2))
    for column, row in enumerate(tiny):
        counts = batch.counts(chosen.reshape(RUNS, len(tiny))[:, column], 2)
        wanted = batch.dense(2, *row, 2.0).tolist()
        budget.assert_distribution(counts, wanted, f"row {column}")


@BOTH
def test_one_run_follows_the_law_too(batch):
    rng = np.random.default_rng(3)
    for d, x, y in SAMPLES[:3] + SAMPLES[5:7]:
        sample, at = Sample.of(d, x, y), Cell(d, 1.0, 0.1, 0.1)
        chosen = [batch.learner.run(sample, at, rng).j for _ in range(deep(1_200, 4_000))]
        wanted = batch.dense(d, x, y, 1.0).tolist()
        budget.assert_distribution(batch.counts(chosen, d), wanted, "one run")


def test_the_papers_lump_would_be_noticed():
    # 2^d - m unseen points instead of 2^d minus the number of distinct ones: 4, not 6 of 8.
    right = POINT.dense(3, [8, 1, 8, 1], [1, 0, 1, 0], 1.0)
    weights = np.array([np.exp(1.0), np.exp(-1.0), 4.0])
    assert budget.power(RUNS, float(weights[0] / weights.sum()), float(right[7])) > 1 - 1e-6


def test_a_segment_that_is_one_too_long_would_be_noticed():
    # Segments end at the sample point: threshold x still says 0 at x.
    right, wrong = (INTERVAL.dense(3, x, [1, 1, 0, 0], 1.0) for x in ([2, 3, 6, 7], [1, 2, 5, 6]))
    assert max(budget.power(RUNS, p, q) for p, q in zip(wrong, right, strict=True)) > 1 - 1e-6


SURE = {  # x, y and the sure hypotheses of each row
    "point": (
        [[1, 1, 2, 3], [1, 1, 1, 1], [3, 3, 4, 4]], [[1, 1, 1, 0], [0, 0, 0, 0], [0, 1, 0, 1]],
        [{1}, {2, 3, 4}, {1, 2, 3, 4}],
    ),
    "interval": (
        [[1, 1, 2, 3], [4, 4, 4, 4], [1, 2, 3, 4]], [[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 1, 1]],
        [{3}, {5}, {1, 5}],
    ),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("epsilon", [1e-300, 1e4, 1e300, 1.7e308])
def test_no_rate_overflows(batch, epsilon):
    x, y = (np.array(rows) for rows in SURE[batch.concept][:2])
    found = batch.chances(x, y, 2, epsilon)
    assert np.abs(found.sum(axis=1) - 1.0).max() <= 1e-12
    chosen = batch.chosen(x, y, d=2, epsilon=epsilon, rng=np.random.default_rng(3))
    every = batch.hypotheses(2)
    for row, j, sure in zip(found, chosen, SURE[batch.concept][2], strict=True):
        likely = sure if epsilon > 1 else set(every)
        assert row == pytest.approx([(j in likely) / len(likely) for j in every])
        assert j in likely


def test_the_ends_of_the_largest_domain_of_points():
    top = 2**62
    x = np.tile(np.array([1, top, top - 1]), (1000, 1))
    y = np.tile(np.array([0, 1, 1]), (1000, 1))
    chosen = POINT.chosen(x, y, d=62, epsilon=0.5, rng=np.random.default_rng(4))
    assert chosen.min() > 1
    assert chosen.max() < top - 1
    # Unseen points reach both halves of the domain.
    budget.assert_rate(int((chosen > top // 2).sum()), 1000, 0.5, "the upper half")
    sure = POINT.chosen(x, y, d=62, epsilon=500.0, rng=np.random.default_rng(4))
    budget.assert_rate(int((sure == top).sum()), 1000, 0.5, "the last point")
    assert set(sure.tolist()) == {top - 1, top}


def test_the_ends_of_the_largest_domain_of_intervals():
    top = 2**62
    x, y = np.tile(np.array([1, top]), (1000, 1)), np.tile(np.array([1, 0]), (1000, 1))

    def chosen(labels):
        return INTERVAL.chosen(x, labels, d=62, epsilon=500.0, rng=np.random.default_rng(4))

    between = chosen(y)
    assert between.min() > 1
    assert between.max() <= top
    budget.assert_rate(int((between > top // 2).sum()), 1000, 0.5, "the upper half")
    assert set(chosen(np.ones_like(y)).tolist()) == {top + 1}
    assert set(chosen(np.zeros_like(y)).tolist()) == {1}
    half = chances_of_range(x[:1], y[:1], d=62, epsilon=500.0, accurate=(1, top // 2))
    assert half == pytest.approx([0.5])
    weak = chances_of_range(x[:1], y[:1], d=62, epsilon=1e-9, accurate=(top + 1, top + 1))
    assert weak[0] == pytest.approx(2.0**-62, rel=1e-6)


def test_unseen_points_are_uniform_and_unseen():
    rng = np.random.default_rng(5)
    x, y = np.tile(np.array([2, 3, 3, 7]), (RUNS, 1)), np.zeros((RUNS, 4), dtype=np.uint8)
    chosen = POINT.chosen(x, y, d=3, epsilon=1e3, rng=rng)
    wanted = [0.2, 0, 0, 0.2, 0.2, 0.2, 0, 0.2]
    budget.assert_distribution(POINT.counts(chosen, 3), wanted, "unseen")


@BOTH
@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize("label", [np.bool_, np.int64, np.uint64])
def test_any_type_of_whole_numbers(batch, kind, label):
    x, y = np.array([[1, 2, 8]], dtype=kind), np.array([[0, 1, 1]], dtype=label)
    wanted = batch.dense(3, [1, 2, 8], [0, 1, 1], 1.0)
    assert batch.chances(x, y, 3, 1.0)[0] == pytest.approx(wanted)


@pytest.mark.parametrize(("m", "d"), [(1, 1), (40, 3), (300, 16), (2000, 10**6)])
def test_simulated_runs_have_the_exact_mean(m, d):
    given = {"m": m, "d": d, "epsilon": 0.5, "alpha": 0.1, "trials": RUNS}
    exact = law(POINT.learner, Hard(), m, d, 0.5, 0.1, 0.1)
    smooth = simulated(**given, rng=np.random.default_rng(6))
    budget.assert_mean(smooth, exact, what="given the sample")
    runs = simulated(**given, rng=np.random.default_rng(7), rao_blackwell=False)
    assert set(runs.tolist()) <= {0.0, 1.0}
    budget.assert_rate(int(runs.sum()), RUNS, exact, "sampled runs")
