"""The batched exponential mechanism against the plain one, sample by sample."""

import itertools

import numpy as np
import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import Exponential, exponential
from privsc_core.concepts.shared.sample import Sample
from tests import budget
from tests.core.concepts.point.chances import chances_of_point, simulated
from tests.core.support import law

LEARNER = Exponential()
RUNS = 20_000
# Among them: a point with both labels, every point seen, no positive, only positives.
SAMPLES = [
    (2, [1, 1, 2, 2], [0, 1, 1, 1]),
    (2, [1, 2, 3, 4], [0, 1, 0, 1]),
    (2, [4, 4, 4, 4], [0, 0, 0, 0]),
    (3, [8, 1, 8, 1], [1, 0, 1, 0]),
    (3, [5, 5, 5, 5], [1, 1, 1, 1]),
    (1, [2, 1, 1, 2], [1, 1, 0, 0]),
]


def chosen_by(x, y, *, rng, **given):
    """Return the points of all rows."""
    return LEARNER.run_many(x, y, Cell(alpha=0.1, beta=0.1, **given), rng).numbers


def dense(d, x, y, epsilon):
    """Return the probability of every point from its definition, overflow left to numpy."""
    found = LEARNER.output_distribution(Sample.of(d, list(x), list(y)), Cell(d, epsilon, 0.1, 0.1))
    return np.array([found[j] for j in range(1, 2**d + 1)])


def chances(x, y, d, epsilon):
    """Return the batch's probabilities, shape (samples, 2^d)."""
    columns = [chances_of_point(x, y, d=d, epsilon=epsilon, target=j) for j in range(1, 2**d + 1)]
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 7.0, 3000.0])
@pytest.mark.parametrize(("d", "m"), [(1, 1), (1, 4), (2, 1), (2, 3), (3, 2)])
def test_every_sample_of_a_tiny_domain(d, m, epsilon):
    examples = list(itertools.product(range(1, 2**d + 1), (0, 1)))
    samples = np.array(list(itertools.product(examples, repeat=m)), dtype=np.int64)
    x, y = samples[:, :, 0], samples[:, :, 1].astype(np.uint8)
    expected = np.array(
        [dense(d, *row, epsilon) for row in zip(x.tolist(), y.tolist(), strict=True)]
    )
    assert np.abs(chances(x, y, d, epsilon) - expected).max() <= 1e-12


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
@pytest.mark.parametrize("d", [3, 6, 7, 14, 15, 30, 31])
def test_large_random_samples_in_any_blocks(monkeypatch, d, block):
    monkeypatch.setattr(exponential, "_BLOCK", block)
    rng = np.random.default_rng(d)
    points = rng.integers(1, 2**d + 1, size=4)
    x = points[rng.integers(4, size=(30, 25))]
    x[:10] = rng.integers(1, 2**d + 1, size=(10, 25))
    x[0, :2] = 1, 2**d
    y = rng.integers(2, size=x.shape).astype(np.uint8)
    for target in (1, int(points[0]), 2**d):
        found = chances_of_point(x, y, d=d, epsilon=0.7, target=target)
        for row, (xs, ys) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            net = {p: sum(2 * b - 1 for q, b in zip(xs, ys, strict=True) if q == p) for p in xs}
            total = sum(np.exp(0.35 * n) for n in net.values()) + 2**d - len(net)
            assert found[row] == pytest.approx(np.exp(0.35 * net.get(target, 0)) / total, rel=1e-12)


@pytest.mark.parametrize(("d", "x", "y"), SAMPLES)
def test_runs_follow_the_law(d, x, y):
    rng = np.random.default_rng(1)
    chosen = chosen_by(
        np.tile(np.array(x), (RUNS, 1)), np.tile(np.array(y), (RUNS, 1)), d=d, epsilon=1.0, rng=rng
    )
    counts = np.bincount(chosen, minlength=2**d + 1)[1:]
    budget.assert_distribution(counts.tolist(), dense(d, x, y, 1.0).tolist(), "the batch")


def test_each_row_follows_its_own_law():
    rng = np.random.default_rng(2)
    tiny = [(x, y) for d, x, y in SAMPLES if d <= 2]
    x = np.array([x for x, _ in tiny] * RUNS)
    y = np.array([y for _, y in tiny] * RUNS)
    chosen = chosen_by(x, y, d=2, epsilon=2.0, rng=rng).reshape(RUNS, len(tiny))
    for column, (xs, ys) in enumerate(tiny):
        counts = np.bincount(chosen[:, column], minlength=5)[1:]
        budget.assert_distribution(counts.tolist(), dense(2, xs, ys, 2.0).tolist(), f"row {column}")


def test_the_papers_lump_would_be_noticed():
    # 2^d - m unseen points instead of 2^d minus the number of distinct ones: 4, not 6 of 8.
    x, y = [8, 1, 8, 1], [1, 0, 1, 0]
    right = dense(3, x, y, 1.0)
    weights = np.array([np.exp(1.0), np.exp(-1.0), 4.0])
    assert budget.power(RUNS, float(weights[0] / weights.sum()), float(right[7])) > 1 - 1e-6


@pytest.mark.parametrize("epsilon", [1e-300, 1e4, 1e300, 1.7e308])
def test_no_rate_overflows(epsilon):
    x = np.array([[1, 1, 2, 3], [1, 1, 1, 1], [3, 3, 4, 4]])
    y = np.array([[1, 1, 1, 0], [0, 0, 0, 0], [0, 1, 0, 1]], dtype=np.uint8)
    found = chances(x, y, 2, epsilon)
    assert np.abs(found.sum(axis=1) - 1.0).max() <= 1e-12
    chosen = chosen_by(x, y, d=2, epsilon=epsilon, rng=np.random.default_rng(3))
    if epsilon > 1:
        assert found[0].tolist() == [1.0, 0.0, 0.0, 0.0]
        assert found[1].tolist() == pytest.approx([0.0, 1 / 3, 1 / 3, 1 / 3])
        assert found[2].tolist() == pytest.approx([0.25] * 4)
        assert chosen[0] == 1
        assert chosen[1] != 1
    else:
        assert found == pytest.approx(np.full((3, 4), 0.25))


def test_the_ends_of_the_largest_domain():
    top = 2**62
    x = np.tile(np.array([1, top, top - 1]), (1000, 1))
    y = np.tile(np.array([0, 1, 1]), (1000, 1))
    chosen = chosen_by(x, y, d=62, epsilon=0.5, rng=np.random.default_rng(4))
    assert chosen.min() > 1
    assert chosen.max() < top - 1
    # Unseen points reach both halves of the domain.
    budget.assert_rate(int((chosen > top // 2).sum()), 1000, 0.5, "the upper half")
    sure = chosen_by(x, y, d=62, epsilon=500.0, rng=np.random.default_rng(4))
    budget.assert_rate(int((sure == top).sum()), 1000, 0.5, "the last point")
    assert set(sure.tolist()) == {top - 1, top}


def test_unseen_points_are_uniform_and_unseen():
    rng = np.random.default_rng(5)
    x, y = np.tile(np.array([2, 3, 3, 7]), (RUNS, 1)), np.zeros((RUNS, 4), dtype=np.uint8)
    chosen = chosen_by(x, y, d=3, epsilon=1e3, rng=rng)
    counts = np.bincount(chosen, minlength=9)[1:]
    budget.assert_distribution(counts.tolist(), [0.2, 0, 0, 0.2, 0.2, 0.2, 0, 0.2], "unseen")


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize("label", [np.bool_, np.int64, np.uint64])
def test_any_type_of_whole_numbers(kind, label):
    x, y = np.array([[1, 2, 8]], dtype=kind), np.array([[0, 1, 1]], dtype=label)
    assert chances(x, y, 3, 1.0)[0] == pytest.approx(dense(3, [1, 2, 8], [0, 1, 1], 1.0))


@pytest.mark.parametrize(("m", "d"), [(1, 1), (40, 3), (300, 16), (2000, 10**6)])
def test_simulated_runs_have_the_exact_mean(m, d):
    given = {"m": m, "d": d, "epsilon": 0.5, "alpha": 0.1, "trials": RUNS}
    exact = law(LEARNER, Hard(), m, d, 0.5, 0.1, 0.1)
    smooth = simulated(**given, rng=np.random.default_rng(6))
    budget.assert_mean(smooth, exact, what="given the sample")
    runs = simulated(**given, rng=np.random.default_rng(7), rao_blackwell=False)
    assert set(runs.tolist()) <= {0.0, 1.0}
    budget.assert_rate(int(runs.sum()), RUNS, exact, "sampled runs")
