"""The checks are worth something: learners and bounds that are slightly wrong do not pass."""

from dataclasses import replace

import numpy as np
import pytest

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell, Estimate
from privsc_core.concepts.interval.bounds import finite, guesses
from privsc_core.concepts.point.bounds.lower import Packing
from privsc_core.concepts.point.bounds.upper import FiniteClass
from privsc_core.concepts.point.distributions import Bystanders, Hard
from privsc_core.concepts.point.learners import Exponential, Hash, Noise
from privsc_core.concepts.point.learners.noise import NoiseFamily
from tests import budget
from tests.classes import inequality
from tests.core.support import enumerated_success, law, runs, setting


class TwoPercentTooHigh(Exponential):
    """The real algorithm beside a law that is off by two percent."""

    def success(self, distribution, setting):
        right = super().success(distribution, setting)
        value = right.value * 0.98
        return Estimate(value, value, value, right.method)


class LazyFlips(Noise):
    """The real law beside an algorithm that flips a tenth as often."""

    def run(self, sample, at: Cell, rng):
        return NoiseFamily.run(_FewFlips(), sample, at, rng)


class _FewFlips(Noise):
    def rates(self, epsilon, alpha, beta, profile):
        right = super().rates(epsilon, alpha, beta, profile)
        return replace(right, flip=right.flip / 10)


class PaperLump(Exponential):
    """Lemma 3.4's lump as printed: 2^d - m points, wrong when points repeat."""

    def output_distribution(self, sample, at, public=0):
        lost = sample.size - len(sample.points)
        right = dict(super().output_distribution(sample, at, public))
        unseen = [j for j in right if j not in sample.points]
        for j in unseen:
            right[j] *= max(len(unseen) - lost, 0) / len(unseen)
        total = sum(right.values())
        return {j: p / total for j, p in right.items()}


CELL = (300, 8, 1.0, 0.1, 0.1)


def test_a_law_that_is_two_percent_off_is_rejected_by_simulation():
    learner, trials = TwoPercentTooHigh(), 4_000
    claimed, truth = law(learner, Hard(), *CELL), law(Exponential(), Hard(), *CELL)
    assert budget.power(trials, claimed, truth) > 1 - 1e-6, "the stated power"
    hits = int(runs(learner, Hard(), *CELL, trials=trials).sum())
    budget.assert_rate(hits, trials, truth, "the same runs against the right law")
    with pytest.raises(AssertionError, match="expected"):
        budget.assert_rate(hits, trials, claimed, "the planted law")


def test_an_algorithm_that_flips_too_little_is_rejected_by_simulation():
    cell, trials = (1_000, 5, 1.0, 0.4, 0.2), 6_000
    member = Bystanders(12)
    claimed, truth = law(Noise(), member, *cell), law(_FewFlips(), member, *cell)
    assert budget.power(trials, claimed, truth) > 1 - 1e-6
    hits = int(runs(LazyFlips(), member, *cell, trials=trials).sum())
    with pytest.raises(AssertionError, match="expected"):
        budget.assert_rate(hits, trials, claimed, "lazy flips")


def test_the_papers_lump_is_rejected_by_enumeration():
    cell = (3, 2, 1.0, 0.3, 0.2)
    right = law(Exponential(), Hard(), *cell)
    assert enumerated_success(Exponential(), Hard(), *cell) == pytest.approx(right, abs=1e-12)
    assert abs(enumerated_success(PaperLump(), Hard(), *cell) - right) > 1e-3


@pytest.mark.parametrize(("concept", "entry", "off"), [
    ("point", Packing(), 1), ("point", FiniteClass(), -1),
    ("interval", finite.Packing(), 1), ("interval", finite.FiniteClass(), -1),
    ("interval", guesses.LittlestoneQuarter(), 1), ("interval", finite.Lemma52(), 1),
])  # fmt: skip
def test_a_bound_that_is_one_off_is_rejected_by_its_own_inequality(concept, entry, off):
    cell = {"d": 12, "epsilon": 0.7, "alpha": 0.15, "beta": 0.1}
    m = entry.least(Cell(**cell)).m
    holds = inequality(catalog.concept(concept), entry.name)
    assert holds(m, **cell)
    assert not holds(m - 1, **cell)
    shifted = m + off
    assert not holds(shifted, **cell) or holds(shifted - 1, **cell)


def test_the_hash_of_a_full_domain_is_not_treated_as_independent():
    # d = 2 with three bystanders: the target's hash is the sum of theirs. With d = 3 it is not.
    wide = Hash(bits=1).success(Bystanders(3), setting(3, 3, 1.0, 0.3, 0.3, trials=20_000))
    full = Hash(bits=1).success(Bystanders(3), setting(3, 2, 1.0, 0.3, 0.3, trials=20_000))
    # recipe: tests/core/evaluate/test_routes.py, hash_success: 0.50559 and 0.35499.
    assert np.abs(full.value - 0.50559) < 0.02
    assert np.abs(wide.value - 0.35499) < 0.02
