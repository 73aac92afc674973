"""Certified routes of parities, lines and thresholds: their tools, and that wrong laws are caught."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from privsc_core import catalog
from privsc_core.certify.balls import ball, ends, working
from privsc_core.certify.routes import few_wrong, few_wrong_halving
from privsc_core.concepts.line.bounds.vote import VoteBound
from privsc_core.concepts.line.learners import Erm as LineErm
from privsc_core.concepts.parity.learners import Elimination, Exponential
from privsc_core.concepts.threshold.bounds import Density
from privsc_core.evaluate.certificate import Question, certify


def counted(m, d, share, rho, most):
    """Go through all that m examples may be of, and all ways to be wrong."""
    total = Fraction(0)
    for seen in itertools.product(range(d + 1), repeat=m):
        rest = seen.count(d)
        chance = (share / d) ** (m - rest) * (1 - share) ** rest
        wrong = [rho(seen.count(kind)) for kind in range(d)]
        for says in itertools.product((0, 1), repeat=d):
            if sum(says) <= most:
                total += chance * math.prod(
                    w if bad else 1 - w for w, bad in zip(wrong, says, strict=True)
                )
    return total


def within(found, wanted, gap=Fraction(1, 10**25)):
    low, high = (Fraction(end) for end in ends(found, 60))
    return low <= wanted <= high and high - low < gap


@pytest.mark.parametrize("most", [0, 1, 2, 3])
@pytest.mark.parametrize("share", ["1/2", "1", "0.07"])
def test_wrong_kinds_are_counted(share, most):
    a, left = Fraction(share), Fraction(2, 7)
    with working(300):
        found = few_wrong_halving(4, 3, a, lambda: ball(left), most, 100)
        assert within(found, counted(4, 3, a, lambda k: left**k / 2, most))
        rho = [Fraction(1, k + 2) for k in range(5)]  # beyond four it is never asked for, in truth
        found = few_wrong(4, 3, a, lambda k: ball(rho[k] if k < 5 else Fraction(1, 3)), most, 100)
        assert within(found, counted(4, 3, a, rho.__getitem__, most))


@pytest.mark.parametrize(("m", "d", "most"), [(1, 1, 0), (40, 7, 2), (900, 30, 3), (20_000, 2, 0)])
def test_both_ways_to_count_wrong_kinds_agree(m, d, most):
    half, left = Fraction(1, 2), Fraction(9, 10)
    with working(400):
        one = few_wrong(m, d, half, lambda k: ball(left) ** k / 2, most, 120)
        two = few_wrong_halving(m, d, half, lambda: ball(left), most, 120)
        assert one.overlaps(two)
        assert one.rad() < 1e-30


@pytest.mark.parametrize(("law", "asked"), [
    (Elimination, {"concept": "parity", "learner": "elimination", "m": 60, "d": 8}),
    (Elimination, {"concept": "parity", "learner": "elimination", "distribution": "spikes", "m": 90, "d": 8}),
    (Exponential, {"concept": "parity", "learner": "exponential", "distribution": "spikes", "m": 90, "d": 8}),
    (LineErm, {"concept": "line", "learner": "erm", "m": 20, "d": 5}),
    (VoteBound, {"concept": "line", "bound": "vote", "m": 3400, "d": 8, "delta": 1e-6}),
    (Density, {"concept": "threshold", "bound": "density", "m": 600, "d": 8}),
])  # fmt: skip
def test_a_wrong_law_is_caught(monkeypatch, law, asked):
    """One part in ten billion of alpha and epsilon."""
    success = law.success

    def off(self, *given):
        *first, at = given
        more = replace(at, epsilon=at.epsilon * (1 + 1e-10), alpha=at.alpha * (1 + 1e-10))
        return success(self, *first, more)

    assert certify(Question(**asked))["agrees"]
    monkeypatch.setattr(law, "success", off)
    assert certify(Question(**asked, beta=0.0999))["agrees"] is False


@pytest.mark.parametrize("reference", ["", "(half)", "(all)", "(3)"])
def test_the_density_bound_is_the_least_over_all_alpha(reference):
    """A grid of alpha' had it 1e-7 too high."""
    for m in (1, 2, 40, 700):
        asked = {"bound": "density", "m": m, "d": 8, "epsilon": 1.0, "beta": 0.3}
        assert certify(Question(f"threshold{reference}", **asked))["agrees"], m


@pytest.mark.parametrize(("m", "epsilon", "alpha", "delta"), [
    (60, 0.5, 0.1, 1e-6), (3000, 0.5, 0.1, 1e-6), (900, 20.0, 0.1, 0.01), (61, 3.0, 0.1, 0.4),
    # A level far beyond theta is better, and the tilted tails are below every float.
    (40_000, 5.72, 0.157, 1e-9),
])  # fmt: skip
def test_the_vote_takes_the_best_of_all_levels(m, epsilon, alpha, delta):
    """Of 61 levels the best promised nothing at some settings where 0.4 is true."""
    asked = {"bound": "vote", "m": m, "d": 8, "epsilon": epsilon, "alpha": alpha, "delta": delta}
    assert certify(Question("line", **asked))["agrees"]


def test_a_bound_with_a_reason_says_it():
    for concept in catalog.CONCEPTS:
        reasons = concept.certified.without
        for entry in concept.bounds:
            if entry.name in reasons:
                found = certify(Question(concept.name, bound=entry.name, m=10, d=8))
                assert found["claim"] is None
                assert reasons[entry.name] in found["reason"]
