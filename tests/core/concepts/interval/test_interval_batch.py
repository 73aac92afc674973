"""The batched mechanism over intervals against the definition, sample by sample."""

import itertools

import numpy as np
import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval import Exponential
from privsc_core.concepts.interval.learners import exponential
from privsc_core.concepts.shared.sample import Sample
from tests import budget
from tests.core.concepts.point.chances import chances_of_range

LEARNER = Exponential()
RUNS = 20_000
# Among them: both labels at a point, the ends of the domain, labels that no threshold fits.
SAMPLES = [
    (2, [1, 1, 2, 2], [0, 1, 1, 1]),
    (2, [1, 2, 3, 4], [0, 1, 0, 1]),
    (2, [4, 4, 4, 4], [1, 1, 1, 1]),
    (2, [1, 1, 1, 1], [0, 0, 0, 0]),
    (3, [8, 1, 8, 1], [1, 0, 1, 0]),
    (3, [2, 3, 6, 7], [1, 1, 0, 0]),
    (1, [2, 1, 1, 2], [1, 1, 0, 0]),
]


def chosen_by(x, y, *, rng, **given):
    """Return the thresholds of all rows."""
    return LEARNER.run_many(x, y, Cell(alpha=0.1, beta=0.1, **given), rng).numbers


def dense(d, x, y, epsilon):
    """Return the probability of every threshold from its definition."""
    mistakes = np.array(
        [sum(int(p < j) != b for p, b in zip(x, y, strict=True)) for j in range(1, 2**d + 2)]
    )
    weights = np.exp(-epsilon / 2 * (mistakes - mistakes.min()))
    return weights / weights.sum()


def chances(x, y, d, epsilon):
    """Return the batch's probabilities of single thresholds, shape (samples, 2^d + 1)."""
    columns = [
        chances_of_range(x, y, d=d, epsilon=epsilon, accurate=(j, j)) for j in range(1, 2**d + 2)
    ]
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
    plain = np.array([
        list(LEARNER.output_distribution(Sample.of(d, xs, ys), Cell(d, epsilon, 0.1, 0.1)).values())
        for xs, ys in zip(x.tolist(), y.tolist(), strict=True)
    ])  # fmt: skip
    assert np.abs(plain - expected).max() <= 1e-12


@pytest.mark.parametrize("block", [1, 50, 1 << 20])
@pytest.mark.parametrize("d", [3, 6, 7, 11])
def test_large_random_samples_in_any_blocks(monkeypatch, d, block):
    monkeypatch.setattr(exponential, "_BLOCK", block)
    rng = np.random.default_rng(d)
    points = rng.integers(1, 2**d + 1, size=4)
    x = points[rng.integers(4, size=(30, 25))]
    x[:10] = rng.integers(1, 2**d + 1, size=(10, 25))
    x[0, :2] = 1, 2**d
    y = rng.integers(2, size=x.shape).astype(np.uint8)
    wanted = [dense(d, *row, 0.7) for row in zip(x.tolist(), y.tolist(), strict=True)]
    for low, high in ((1, 1), (1, 2**d + 1), (3, 6), (int(points[0]), 2**d), (2**d + 1, 2**d + 1)):
        found = chances_of_range(x, y, d=d, epsilon=0.7, accurate=(low, high))
        assert found == pytest.approx([p[low - 1 : high].sum() for p in wanted], rel=1e-12)


@pytest.mark.parametrize(("d", "x", "y"), SAMPLES)
def test_runs_follow_the_law(d, x, y):
    chosen = chosen_by(
        np.tile(np.array(x), (RUNS, 1)), np.tile(np.array(y), (RUNS, 1)), d=d, epsilon=1.0,
        rng=np.random.default_rng(1),
    )  # fmt: skip
    counts = np.bincount(chosen, minlength=2**d + 2)[1:]
    budget.assert_distribution(counts.tolist(), dense(d, x, y, 1.0).tolist(), "the batch")


def test_each_row_follows_its_own_law():
    tiny = [(x, y) for d, x, y in SAMPLES if d == 2]
    x, y = np.array([x for x, _ in tiny] * RUNS), np.array([y for _, y in tiny] * RUNS)
    chosen = chosen_by(x, y, d=2, epsilon=2.0, rng=np.random.default_rng(2))
    for column, (xs, ys) in enumerate(tiny):
        counts = np.bincount(chosen.reshape(RUNS, len(tiny))[:, column], minlength=6)[1:]
        budget.assert_distribution(counts.tolist(), dense(2, xs, ys, 2.0).tolist(), f"row {column}")


def test_one_run_follows_the_law_too():
    rng = np.random.default_rng(3)
    for d, x, y in SAMPLES[:3] + SAMPLES[4:6]:
        sample = Sample.of(d, x, y)
        chosen = [LEARNER.run(sample, Cell(sample.d, 1.0, 0.1, 0.1), rng).j for _ in range(4_000)]
        counts = np.bincount(chosen, minlength=2**d + 2)[1:]
        budget.assert_distribution(counts.tolist(), dense(d, x, y, 1.0).tolist(), "one run")


def test_a_segment_that_is_one_too_long_would_be_noticed():
    # Segments end at the sample point: threshold x still says 0 at x.
    right, wrong = (
        dense(3, [2, 3, 6, 7], [1, 1, 0, 0], 1.0),
        dense(3, [1, 2, 5, 6], [1, 1, 0, 0], 1.0),
    )
    assert max(budget.power(RUNS, p, q) for p, q in zip(wrong, right, strict=True)) > 1 - 1e-6


@pytest.mark.parametrize("epsilon", [1e-300, 1e4, 1e300, 1.7e308])
def test_no_rate_overflows(epsilon):
    x = np.array([[1, 1, 2, 3], [4, 4, 4, 4], [1, 2, 3, 4]])
    y = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 1, 1]], dtype=np.uint8)
    found = chances(x, y, 2, epsilon)
    assert np.abs(found.sum(axis=1) - 1.0).max() <= 1e-12
    chosen = chosen_by(x, y, d=2, epsilon=epsilon, rng=np.random.default_rng(3))
    if epsilon > 1:
        assert found.tolist() == [[0, 0, 1, 0, 0], [0, 0, 0, 0, 1], [0.5, 0, 0, 0, 0.5]]
        assert chosen[:2].tolist() == [3, 5]
        assert chosen[2] in (1, 5)
    else:
        assert found == pytest.approx(np.full((3, 5), 0.2))


def test_the_ends_of_the_largest_domain():
    top = 2**62
    x, y = np.tile(np.array([1, top]), (1000, 1)), np.tile(np.array([1, 0]), (1000, 1))
    chosen = chosen_by(x, y, d=62, epsilon=500.0, rng=np.random.default_rng(4))
    assert chosen.min() > 1
    assert chosen.max() <= top
    budget.assert_rate(int((chosen > top // 2).sum()), 1000, 0.5, "the upper half")
    last = chosen_by(x, np.ones_like(y), d=62, epsilon=500.0, rng=np.random.default_rng(4))
    assert set(last.tolist()) == {top + 1}
    first = chosen_by(x, np.zeros_like(y), d=62, epsilon=500.0, rng=np.random.default_rng(4))
    assert set(first.tolist()) == {1}
    half = chances_of_range(x[:1], y[:1], d=62, epsilon=500.0, accurate=(1, top // 2))
    assert half == pytest.approx([0.5])
    weak = chances_of_range(x[:1], y[:1], d=62, epsilon=1e-9, accurate=(top + 1, top + 1))
    assert weak[0] == pytest.approx(2.0**-62, rel=1e-6)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64])
@pytest.mark.parametrize("label", [np.bool_, np.int64, np.uint64])
def test_any_type_of_whole_numbers(kind, label):
    x, y = np.array([[1, 2, 8]], dtype=kind), np.array([[0, 1, 1]], dtype=label)
    assert chances(x, y, 3, 1.0)[0] == pytest.approx(dense(3, [1, 2, 8], [0, 1, 1], 1.0))
