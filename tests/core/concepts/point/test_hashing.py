"""The hash learner draws as from all its buckets, without listing them."""

import math
from collections import Counter

import numpy as np
import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.distributions import Bystanders, Hard, Single
from privsc_core.concepts.point.learners import Hash
from privsc_core.concepts.point.learners.hashing import Buckets, bucket_of
from privsc_core.concepts.shared.sample import Sample
from privsc_core.evaluate.microscope import examine
from tests import budget
from tests.core.support import law

EPSILON = 1.3
# (rows of the hash, d, points, labels): few buckets occupied, bucket 0 and the last among them;
# two points that share one; all buckets occupied; an inconsistent sample.
SAMPLES = [
    ((1, 2, 4), 3, [1, 8, 8], [0, 1, 1]),
    ((3, 3, 5), 3, [4, 1, 7, 7], [1, 0, 0, 1]),
    ((1,), 2, [1, 2, 2, 4], [0, 1, 1, 0]),
    ((5, 2), 3, [6, 6, 6], [1, 0, 1]),
]
EACH = pytest.mark.parametrize(("rows", "d", "x", "y"), SAMPLES)


class Fixed(Hash):
    """The learner with given rows in place of random ones."""

    def draw_rows(self, *_):
        return list(self.rows)

    @classmethod
    def of(cls, rows):
        learner = cls(bits=len(rows))
        object.__setattr__(learner, "rows", rows)
        return learner


def listed(rows, x, y):
    """Return the law over all buckets from the definition: every one gets its own weight."""
    weights = []
    for bucket in range(2 ** len(rows)):
        wrong = sum((bucket_of(a, rows) == bucket) != b for a, b in zip(x, y, strict=True))
        weights.append(math.exp(-EPSILON * wrong / 2))
    return [weight / sum(weights) for weight in weights]


def drawn(learner, sample, trials, seed):
    rng = np.random.default_rng(seed)
    cell = {"epsilon": EPSILON, "alpha": 0.1, "beta": 0.1}
    words = (learner.run(sample, Cell(sample.d, **cell), rng).description for _ in range(trials))
    return Counter(int(text.rpartition(" ")[2], 2) for text in words)


@EACH
def test_the_law_is_that_of_all_buckets_listed(rows, d, x, y):
    found = Fixed.of(rows).output_distribution(Sample.of(d, x, y), Cell(d, EPSILON, 0.1, 0.1))
    assert list(found) == list(range(2 ** len(rows)))
    assert list(found.values()) == pytest.approx(listed(rows, x, y), rel=1e-13)


@EACH
def test_a_run_draws_from_all_buckets_listed(rows, d, x, y):
    trials = 6000
    counts = drawn(Fixed.of(rows), Sample.of(d, x, y), trials, seed=11)
    assert set(counts) <= set(range(2 ** len(rows)))
    for bucket, chance in enumerate(listed(rows, x, y)):
        budget.assert_rate(counts[bucket], trials, chance, f"bucket {bucket} of {rows}")


def test_the_check_of_the_draw_rejects_a_lump_that_forgets_its_size(monkeypatch):
    rows, d, x, y = SAMPLES[0]
    whole = Buckets.log_weights

    def light(self, epsilon):
        return np.append(whole(self, epsilon)[:-1], 0.0)

    monkeypatch.setattr(Buckets, "log_weights", light)
    counts = drawn(Fixed.of(rows), Sample.of(d, x, y), 6000, seed=11)
    wanted = listed(rows, x, y)
    assert not all(budget.agrees(counts[bucket], 6000, p) for bucket, p in enumerate(wanted))


@pytest.mark.parametrize(("alpha", "beta"), [(1e-4, 1e-6), (0.1, 1e-40), (1e-100, 1e-300)])
def test_no_alpha_and_beta_ask_for_more_than_a_sort(alpha, beta):
    """4 / (alpha beta) buckets are 2^36 and more here: no list of them fits into memory."""
    learner = Hash()
    assert learner.efficient
    sample = Sample.of(64, [1, 2, 2**64], [0, 0, 1])
    found = learner.run(sample, Cell(sample.d, 1e4, alpha, beta), np.random.default_rng(3))  # fmt: skip
    # So little privacy that only the bucket without a mistake is ever drawn.
    assert [found.predict(x) for x in sample.points] == [0, 0, 1]
    for distribution in (Hard(), Single(), Bystanders(8)):
        value = law(learner, distribution, 50, 16, 1e4, alpha, beta)
        assert 0.0 <= value <= 1.0
        assert value > 0.99 or not isinstance(distribution, Single)


def test_a_run_with_many_buckets_is_taken_apart():
    run = examine(
        concept="point", learner="hash", m=60, d=40, epsilon=2.0, alpha=0.05, beta=1e-9, seed=2
    )
    rows = next(step.shows.rows for step in run.steps if step.title == "The scores")
    assert rows[-1].name.endswith("other buckets")
    assert math.fsum(math.exp(row.log_share) for row in rows) == pytest.approx(1.0)
    (one,) = (row for row in rows if row.drawn)
    assert ("target" in one.name) == (run.hypothesis.predict(2**40) == 1)
