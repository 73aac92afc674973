"""Hashed lines: reference values of the guarantee, the law of large p against all hypotheses, faults."""

import math

import numpy as np
import pytest

from privsc_core import catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.line.bounds.lower import asked
from privsc_core.concepts.line.distributions import Anchor, Mixture, Pair, Spread
from privsc_core.concepts.line.hashes import Hash, design, designed, gains, hash_line_law
from privsc_core.concepts.line.learners import HashLine
from privsc_core.concepts.line.plane import LARGEST, Plane
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from tests import budget
from tests.core.concepts.line.hashes_by_hand import enumerated
from tests.core.support import runs, setting

AT = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
BOUND = catalog.bound("line", "hash-line")


# recipe: the least of 2^-t/a + p 2^t r^m over t, a and eps', of another program; alpha = beta = 0.1
@pytest.mark.parametrize(("d", "m", "t"), [
    (16, 1066, 13), (32, 1579, 13), (64, 2593, 14), (128, 4602, 15), (256, 8597, 16),
    (1024, 32455, 18),
])  # fmt: skip
def test_what_hashed_lines_guarantee(d, m, t):
    assert BOUND.samples(d=d, **AT).m == m
    assert design(LARGEST, d, *AT.values()).bits == t


def test_what_they_guarantee_at_another_epsilon_and_at_given_primes():
    assert BOUND.samples(d=64, **AT | {"epsilon": 1}).m == 1452
    found = designed(math.log(257), 7, 1.0, 0.2, 0.2)
    assert (found.bits, math.ceil(found.least(0.2))) == (7, 276)
    assert not designed(math.log(31), 3, 1.0, 0.2, 0.2).promises
    assert BOUND.samples(d=5, epsilon=1, alpha=0.2, beta=0.2).m is None


def test_they_win_against_the_finite_class_from_sixteen_bits_on():
    finite = catalog.bound("line", "finite-class")
    both = [tuple(b.samples(d=d, **AT).m for b in (BOUND, finite)) for d in (15, 16)]
    assert both == [(1034, 1033), (1066, 1095)]


def test_ten_thousand_bits_of_p_are_answered():
    lower = catalog.bound("line", "blind-guess").samples(d=10**4, **AT).m
    assert lower < BOUND.samples(d=10**4, **AT).m < 2.5 * lower


# recipe: plain simulation of another program (theory-fx14.md), p = 31, t = 3, epsilon = 1, alpha = .2
@pytest.mark.parametrize(("m", "value"), [(26, 0.497), (52, 0.983)])
def test_the_law_on_a_mixture_at_reference_values(m, value):
    cell = setting(m, 5, 1.0, 0.2, 0.2, trials=1_000)
    found = enumerated(Mixture().profile(31, 0.2), 31, cell, 3)
    assert float(found.value) == pytest.approx(value, abs=0.03)


@pytest.mark.parametrize("distribution", [Anchor(), Pair()], ids=lambda x: x.name)
@pytest.mark.parametrize("d", [3, 5])
def test_laws_agree_with_runs(distribution, d):
    learner, cell = HashLine(), (40, d, 0.8, 0.15, 0.1)
    wanted = learner.success(distribution, setting(*cell, trials=4_000))
    hits = runs(learner, distribution, *cell, trials=200)
    slack = float(wanted.high - wanted.low)
    assert slack <= 0.02
    # The law's own error is small beside that of the runs.
    budget.assert_rate(int(hits.sum()), hits.size, float(wanted.value), f"{distribution.name}, {d}")


@pytest.mark.parametrize("distribution", [Anchor(), Pair()], ids=lambda x: x.name)
@pytest.mark.parametrize(("p", "t"), [(5, 1), (13, 2)])
def test_closed_forms_are_those_of_all_hypotheses(distribution, p, t):
    for alpha in (0.15, 0.4):
        cell = setting(20, p.bit_length(), 0.8, alpha, 0.1, trials=750)
        every = enumerated(distribution.profile(p, alpha), p, cell, t)
        found = float(
            hash_line_law(distribution.profile(p, alpha), float(p), cell, HashLine(t)).value
        )
        # Twice a 95% interval, and the law's own.
        assert abs(float(every.value) - found) <= 3 * float(every.high - every.value) + 0.01


def test_heights_share_a_bucket_as_rarely_as_they_should():
    for p, t in ((13, 2), (31, 3)):
        plane = Plane(p)
        hashes = [Hash(plane, r, shift, t) for r in range(1, p) for shift in range(p)]
        shared = np.mean([g.of(0) == g.of(1) for g in hashes])
        assert 0.5 * 2.0**-t < shared <= 2.0**-t
        assert sum(hashes[5].size(bucket) for bucket in range(1 << t)) == p


def test_gains_are_those_of_the_hypotheses():
    rng = np.random.default_rng(4)
    sample = Sample.of(
        6, (1 + rng.integers(64, size=20)).tolist(), rng.integers(2, size=20).tolist()
    )
    found = Hash.drawn(LARGEST.plane(6), 1, rng)
    table = gains(sample, found)
    points = [sample.points[i] for i in sample.index.tolist()]
    for a in range(found.plane.p):
        for bucket in (0, 1):
            labels = [found.of((y - a * x) % found.plane.p) == bucket and x < found.plane.p
                      for x, y in (divmod(point - 1, found.plane.p) for point in points)]  # fmt: skip
            right = sum(
                (2 * y - 1) * hit for y, hit in zip(sample.labels.tolist(), labels, strict=True)
            )
            assert table[a, bucket] == right


def test_who_is_good_for_many_targets_passes_a_bound_that_is_only_shown():
    """Spread is hard for proper learners only: a blind guess is good there for many lines."""
    blind = catalog.bound("line", "blind-guess")
    assert blind.samples(d=9, **AT).m == 131
    assert runs(HashLine(), Spread(), 100, 9, 0.5, 0.1, 0.1, trials=20).mean() > 0.9
    assert blind.samples(d=64, **AT).m == 961
    assert blind.passed(HashLine(), Spread())
    assert not blind.passed(catalog.learner("line", "exponential"), Spread())
    assert not catalog.bound("line", "packing").passed(HashLine(), Spread())


# recipe: assets/checks/fx14-claim-6-3.py, and 16 / 0.05 ln(4 * 11 / 0.1) = 1948 to choose
def test_what_theorem_6_1_asks_for():
    found = catalog.bound("line", "theorem-6.1").samples(d=64, **AT, delta=1e-6)
    assert found.m == 11 * 395 * 2**28 + 1948
    assert "1.3e+24" in found.note
    assert asked(Cell(64, 0.5, 0.1, 0.1, 1e-6), 16.0) == 11 * 395 * 2**68 + 1948
    assert catalog.bound("line", "theorem-6.1").samples(d=64, **AT).m is None


class DoubleScore(HashLine):
    """epsilon in place of epsilon / 2 in the exponent."""

    def output_distribution(self, sample, *, epsilon, alpha, beta, public=0):
        words = {"alpha": alpha, "beta": beta, "public": public}
        return super().output_distribution(sample, epsilon=2 * epsilon, **words)


def test_a_planted_fault_is_caught():
    assert audit(HashLine()).private
    assert not audit(DoubleScore()).private


def test_large_planes_are_refused_in_a_sentence():
    with pytest.raises(
        InputError, match=r"^d must be at most 10 to run hash-line on lines; got 11"
    ):
        gains(Sample.of(22, [1], [1]), Hash.drawn(LARGEST.plane(22), 3, np.random.default_rng(1)))
