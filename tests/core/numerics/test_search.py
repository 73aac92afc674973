"""Searches for least numbers: what they find, with how many looks."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privsc_core import catalog
from privsc_core.evaluate.need import need
from privsc_core.numerics.decimals import complement
from privsc_core.numerics.search import (
    least_by_newton,
    least_few,
    least_integer,
    least_integers,
    log_odds_over,
)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=60).map(sorted),
    st.floats(0.001, 0.999),
    st.integers(1, 500),
)
def test_least_integer_on_any_monotone_step_function(steps, beta, guess):
    target = complement(beta)

    def value(n):
        return steps[min(n, len(steps)) - 1]

    wanted = next((n for n in range(1, len(steps) + 1) if value(n) >= target), None)
    found = least_integer(
        lambda n: log_odds_over(beta, [value(i) for i in n.tolist()]), guess=guess, limit=len(steps)
    )
    assert found in (wanted, *near(steps, target))


def near(steps, target):
    """Where a step equals the target up to the rounding of a logit, either side is right."""
    return [n for n, v in enumerate(steps, start=1) if abs(v - target) < 1e-12 and v != target]


@given(st.integers(1, 10**12), st.integers(1, 10**12))
def test_least_integer_is_exact_and_quick(step, guess):
    """Also where scores say nothing but their sign: every turn tries a few."""
    turns = []

    def score(n):
        turns.append(n.tolist())
        return np.where(n >= step, math.inf, -math.inf)

    assert least_integer(score, guess=guess, limit=10**12) == step
    assert len(turns) < 30
    asked = sorted(itertools.chain(*turns))
    assert asked[0] >= 1
    assert asked[-1] <= 10**12
    assert len(set(asked)) == len(asked) <= 6 * len(turns)  # nothing twice


@pytest.mark.parametrize("guess", [1.0, 200.0, 5e3, 1e8])
def test_a_smooth_score_takes_two_turns_from_near_and_few_from_far(guess):
    """A polynomial through what is known leads to the number itself, or next to it."""
    turns = []

    def score(n):
        turns.append(n.size)
        return np.log(np.expm1(np.minimum(n / 1_000.0, 700.0))) - 1.5  # log odds of 1 - e^{-m/1000}

    least = math.ceil(1_000.0 * math.log1p(math.exp(1.5)))
    assert least_integer(score, guess=guess, limit=10**12) == least
    assert len(turns) <= (3 if 200.0 < guess < 1e4 else 6)


def test_least_integer_keeps_to_its_limit():
    assert least_integer(lambda n: n - 50, guess=7, limit=49) is None
    assert least_integer(lambda n: n - 50, guess=7, limit=50) == 50
    assert least_integer(lambda n: n - 50, guess=99, limit=50) == 50
    assert least_integer(lambda n: np.minimum(n, 1.0), guess=10**9, limit=10**12) == 1


@given(
    st.lists(st.integers(1, 10**9), min_size=1, max_size=40),
    st.sampled_from(["even", "steep", "silent", "rough"]),
    st.integers(1, 10**9),
)
def test_many_least_integers_are_what_each_is_alone(steps, kind, guess):
    at = np.array(steps)

    def score(which, n):
        over = n - at[which, None] + 0.5
        match kind:
            case "steep":
                return np.sinh(np.clip(over / 1e3, -700, 700))
            case "silent":
                return np.where(over > 0, np.inf, -np.inf)
            case "rough":
                return np.sign(over) * (1.0 + np.sin(n) ** 2)
        return over

    found = least_integers(score, guess=np.full(at.size, float(guess)), limit=10**8)
    np.testing.assert_array_equal(found, np.where(at <= 10**8, at, 0))


def test_neighbouring_searches_start_between_each_other():
    """Over 60 places a smooth answer costs few turns, most of them with few numbers."""
    asked, places = [], np.geomspace(1.0, 1e4, 60)

    def score(which, n):
        asked.append(n.size)
        return np.log(n / (37.0 * places[which, None] ** 0.8 + 4.0))

    found = least_integers(score, guess=np.full(60, 9.0), limit=10**12)
    np.testing.assert_array_equal(found, np.ceil(37.0 * places**0.8 + 4.0))
    assert len(asked) <= 16
    assert sum(asked) <= 6 * 60


@pytest.mark.parametrize(("steps", "most"), [(2, 8), (9, 11), (25, 13)])
def test_stairs_are_climbed_not_leapt(steps, most):
    """Scores of neighbours that are alike say nothing of the slope: look a little farther."""
    asked, places = [], 300.0 * np.geomspace(1.0, 40.0, 60)
    true = steps * np.ceil(places / steps).astype(np.int64)

    def score(which, n):
        asked.append(n.size)
        assert (n < 2 * true[which, None]).all()  # 10^9 times as far where they are leapt
        return np.floor_divide(n - true[which, None], steps) + 0.5

    found = least_integers(score, guess=1.05 * places, limit=10**12)
    np.testing.assert_array_equal(found, true)
    assert sum(asked) <= most * 60


def test_between_two_that_have_no_number_one_look_tells_that_there_is_none():
    asked = np.zeros(64, dtype=np.int64)

    def score(which, n):
        np.add.at(asked, which, n.shape[1])
        reached = np.where(which < 32, 1.0, -1.0)[:, None]
        return np.minimum(np.log(n / 50.0), reached)

    found = least_integers(score, guess=np.geomspace(20.0, 200.0, 64), limit=10**12)
    np.testing.assert_array_equal(found, np.where(np.arange(64) < 32, 50, 0))
    assert np.median(asked[32:]) == 2


@pytest.mark.parametrize("guess", ["of both", "of rows", "of places"])
def test_searches_over_two_numbers_start_between_those_of_their_row(guess):
    """Row by row, whatever the guesses know of the two."""
    asked = []
    rows, places = np.geomspace(0.1, 10.0, 20), np.geomspace(1.0, 1e4, 40)
    of_rows, of_places = (one.ravel() for one in np.meshgrid(rows, places, indexing="ij"))
    true = 37.0 * of_places**0.8 / of_rows + 40.0
    start = {"of both": of_places / of_rows, "of rows": 9.0 / of_rows, "of places": of_places}

    def score(which, n):
        asked.append(n.size)
        return np.log(n / true[which, None])

    found = least_integers(score, guess=start[guess], limit=10**12)
    np.testing.assert_array_equal(found, np.ceil(true))
    assert sum(asked) <= 6 * true.size  # 6.7 to 7.2 where rows are not told apart


@pytest.mark.parametrize("guess", [1e3, 1e6, 1e9])
def test_bent_scores_take_few_turns(guess):
    """Log odds of a normal tail: about the square of a distance far out, where chords lead astray."""
    asked, at = [], np.array([9e4, 4e5, 2.3e6])

    def score(which, n):
        asked.append(n.size)
        distance = (n / at[which, None] - 1.0) * 20.0
        return np.clip(distance * (1.0 + np.abs(distance)), -700.0, 700.0)

    found = least_integers(score, guess=np.full(3, guess), limit=10**10)
    np.testing.assert_array_equal(found, at)
    assert len(asked) <= 10


@pytest.mark.parametrize("guess", [1.0, 300.0, 5e4, 1e9])
def test_a_rough_search_ends_where_a_line_leads_near(guess):
    """It tries fewer numbers; the line is off by a part of what is left, which is a tenth at most."""

    def asked(within):
        tried = []

        def score(_, n):
            tried.append(n.size)
            return np.log(n / 54_321.0) * (1.0 + 0.1 * np.sin(n / 7e3))

        (found,) = least_few(score, guess=[guess], limit=10**9, costly=True, within=within)
        return found, len(tried)

    (exact, all_), (rough, few) = asked(1.0), asked(1.1)
    assert exact == 54_321
    assert rough == pytest.approx(exact, rel=0.02)
    assert few < all_


def test_a_rough_search_finds_nothing_where_there_is_nothing():
    found = least_few(lambda _, n: n - 50.5, guess=[7.0], limit=50, costly=True, within=1.1)
    assert found == [0]


@pytest.mark.parametrize(("concept", "name"), [("threshold", "density"), ("line", "vote")])
@pytest.mark.parametrize("epsilon", [0.1, 0.73])
def test_a_rough_number_of_a_simulated_learner_is_a_few_per_cent_off(concept, name, epsilon):
    learner, law = catalog.learner(concept, name), catalog.distribution(concept)
    at = {"d": 64, "epsilon": epsilon, "alpha": 0.1, "beta": 0.1, "trials": 50, "seed": 3}
    assert learner.laws[law.name] != "exact"
    exact, rough = need(learner, law, **at), need(learner, law, **at, rough=True)
    assert float(rough.m) == pytest.approx(float(exact.m), rel=0.05)


def test_an_exact_number_is_never_rough():
    learner, law = catalog.learner("point", "exponential"), catalog.distribution("point")
    at = {"d": 64, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
    assert need(learner, law, **at, rough=True).m == need(learner, law, **at).m


def test_from_good_guesses_newton_s_steps_lead_to_the_same_numbers():
    """Smooth scores in few turns; from where steps lead nowhere the usual search goes on."""
    scales = np.geomspace(0.3, 1e9, 50)
    turns = []

    def score(which, n):
        turns.append(n.size)
        return np.log(n / scales[which, None])

    wanted = np.maximum(np.ceil(scales), 1.0).astype(np.int64)
    assert (least_by_newton(score, wanted * 1.1, 10**12)[0] == wanted).all()
    assert len(turns) <= 6
    assert (least_integers(score, guess=wanted * 1e-3, limit=10**12, near=True) == wanted).all()

    def step(which, n):
        return np.where(n >= wanted[which, None], math.inf, -math.inf)

    assert (least_integers(step, guess=scales, limit=10**12, near=True) == wanted).all()
    assert (least_integers(step, guess=scales, limit=100, near=True)[wanted > 100] == 0).all()
    assert least_integers(step, guess=np.empty(0), limit=9, near=True).size == 0
