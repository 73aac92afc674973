"""The optimum is one: closed forms, real learners below it, symmetries that change nothing."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.classes.point import PointGames
from tests.core.support import decimal, law
from tests.referee.classes import CLASSES
from tests.referee.games import Game, Task, exactly, game, largest
from tests.referee.optimum import optimum, sure_failure

POINTS, INTERVALS, RELEASES = CLASSES["point"], CLASSES["interval"], CLASSES["release"]


def who(known, name):
    return next(x for x in known.stand_ins if x.name == name)


def games(known, name, d, alpha, m=2):
    return known.games(who(known, name), d, alpha, m)


@pytest.mark.parametrize(("d", "m", "alpha"), [(1, 1, 0.3), (2, 3, 0.2), (3, 2, 0.45)])
def test_without_privacy_it_is_what_theory_says(d, m, alpha):
    # A proper learner sees the target or guesses it among the T-1 others.
    hard = games(POINTS, "any-none-concepts", d, alpha)["hard"]
    wanted = 1 - (1 - alpha) ** m * (1 - 1 / (2**d - 1))
    assert optimum(hard, m, privacy="none") == pytest.approx(wanted, abs=1e-9)
    assert float(1 - sure_failure(hard, m)) == pytest.approx(wanted, abs=1e-12)
    if d >= 2:
        pair = games(POINTS, "any-none-functions", d, alpha)["pair"]
        wanted = 1 - (1 - alpha) ** m / 2
        assert optimum(pair, m, privacy="none") == pytest.approx(wanted, abs=1e-9)
        assert sure_failure(pair, m) == (1 - decimal(alpha)) ** m / 2


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 8.0])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_one_private_example_is_randomised_response(d, epsilon):
    # All mass on the target and m = 1: name what you see e^epsilon times as often as the rest.
    single = games(POINTS, "any-pure-concepts", d, 0.3)["single"]
    wanted = math.exp(epsilon) / (math.exp(epsilon) + 2**d - 1)
    assert optimum(single, 1, epsilon=epsilon) == pytest.approx(wanted, abs=1e-7)
    # With delta, the same with probability 1 - delta, and else without privacy.
    found = optimum(single, 1, epsilon=epsilon, delta=0.1, privacy="approximate")
    assert found == pytest.approx(min(wanted + 0.1 * (1 - wanted), 1), abs=1e-7)


def test_a_release_knows_how_far_databases_are_apart():
    # m = 4, alpha = 1/4: counts 4 and 0 against 2 and 2 cannot share a release.
    family = RELEASES.games(None, 1, 0.25, 4)["rare-2"]
    # Halfway, at counts 3 and 1, both are equally likely; one step on, the wrong one loses e^-eps.
    wanted = 1 - math.exp(-0.7) / 2
    assert optimum(family, 4, epsilon=0.7) == pytest.approx(wanted, abs=1e-7)
    assert family.patterns == (frozenset({0}), frozenset({1}))
    everything = RELEASES.games(None, 1, 0.25, 4)["all"]
    assert optimum(everything, 4, epsilon=0.7) <= wanted + 1e-7


@pytest.mark.parametrize("known", [POINTS, INTERVALS], ids=lambda k: k.name)
@pytest.mark.parametrize("name", ["any-pure-concepts", "any-pure-functions"])
def test_symmetries_change_nothing(known, name):
    for one in games(known, name, 2, 0.2).values():
        plain = replace(one, known={})
        vars(plain)["symmetries"] = []
        for privacy in ("pure", "label", "approximate"):
            given = {"epsilon": 0.8, "delta": 0.05, "privacy": privacy}
            assert optimum(one, 2, **given) == pytest.approx(optimum(plain, 2, **given), abs=1e-7)


def test_a_permutation_that_is_no_symmetry_is_not_used():
    laws = ((Fraction(1, 3), Fraction(2, 3)), (Fraction(2, 3), Fraction(1, 3)))
    both = largest([frozenset({0}), frozenset({1})])
    assert len(Game(("a", "b"), laws, both).symmetries) == 1
    # The first answer suits one task only, and nothing suits the other: no longer alike.
    assert not Game(("a", "b"), laws, both[:1]).symmetries


@pytest.mark.parametrize("concept", ["point", "interval"])
def test_real_private_learners_stay_below(concept):
    known = CLASSES[concept]
    exponential = next(x for x in known.concept.learners if x.name == "exponential")
    hard = next(x for x in known.concept.distributions if x.name == "hard")
    for m, epsilon, alpha in ((1, 0.5, 0.3), (2, 3.0, 0.45), (3, 1.0, 0.2)):
        one = known.pictured(who(known, "any-pure-concepts"), hard, 3, alpha, m)
        best = optimum(one, m, epsilon=epsilon)
        assert 0.1 < law(exponential, hard, m, 3, epsilon, alpha, 0.1) < best + 1e-7


def test_freedom_helps():
    for one in games(INTERVALS, "any-pure-functions", 2, 0.2).values():
        kinds = [
            optimum(one, 2, epsilon=0.8, delta=0.05, privacy=p)
            for p in ("pure", "label", "none")
        ]  # fmt: skip
        assert kinds == sorted(kinds)
        loose = optimum(one, 2, epsilon=0.8, delta=0.05, privacy="approximate")
        assert kinds[0] - 1e-9 <= loose <= kinds[2] + 1e-9


def rare(mass, d, alpha):
    """Return the hard family for points with that very mass on the target, nothing above it."""
    tasks = [
        Task(POINTS.row(i, d), {i: exactly(mass), 1: exactly(1 - mass)}) for i in range(2, 2**d + 1)
    ]
    answers = PointGames().answers("concepts", d, range(1, 2**d + 1))
    return game(tasks, list(answers), alpha)


def test_just_above_alpha_is_the_limit_and_alpha_itself_is_not():
    alpha, d, m = decimal(0.3), 2, 2
    stated = games(POINTS, "any-pure-concepts", d, 0.3)["hard"]
    value = optimum(stated, m, epsilon=1.0)
    near = rare(alpha + Fraction(1, 10**9), d, alpha)
    assert optimum(near, m, epsilon=1.0) == pytest.approx(value, abs=1e-7)
    # With mass exactly alpha every concept but c_1 is accurate for every target.
    assert optimum(rare(alpha, d, alpha), m, epsilon=1.0) == pytest.approx(1.0, abs=1e-9)
