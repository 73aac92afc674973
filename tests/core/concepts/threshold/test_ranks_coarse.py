"""A_2 for thresholds: every g-th cut, its law, and what it is at least and at most."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import privsc_core as pv
from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.threshold import THRESHOLD, ranks_coarse
from privsc_core.concepts.threshold.learners import RanksCoarse
from privsc_core.concepts.threshold.learners.ranks import SCANNED
from privsc_core.evaluate.reach import reach
from tests.classes.threshold import by_order
from tests.core.support import law
from tests.depth import whole

WINDOW = THRESHOLD.distributions[0]


def cells(m, epsilon, alpha, beta):
    """Return the setting of many m."""
    return Setting(np.asarray(m), np.array([16]), np.array([epsilon]), alpha, beta, 0.0)


def defined(m, epsilon, alpha, left):
    """Return the chance of failure given how many points lie left of z, by the definition."""
    q, k = math.exp(-epsilon / 2), np.arange(0, m + 1, math.floor(alpha * m / 4) + 1)
    right = stats.binom.cdf(k - left, m - left, 2 * alpha)
    bad = np.where(k >= left, right, stats.binom.cdf(left - k - 1, left, 2 * alpha))
    return np.average(bad, weights=q ** abs(k - left))


@pytest.mark.parametrize(("m", "epsilon", "alpha"), [
    (9, 1.0, 0.45), (14, 0.3, 0.3), (60, 0.1, 0.15), (250, 4.0, 0.02), whole(3000, 0.01, 0.1),
])  # fmt: skip
def test_the_law_of_every_gth_cut(m, epsilon, alpha):
    """Against the sum of the definition; with g = 2 against what it puts out on every sample."""
    q, g = math.exp(-epsilon / 2), math.floor(alpha * m / 4) + 1
    total = 0.0
    for left in range(m + 1):
        k = np.arange(0, m + 1, g)
        right = stats.binom.sf(k - left, m - left, 2 * alpha)
        good = np.where(k >= left, right, stats.binom.sf(left - k - 1, left, 2 * alpha))
        total += stats.binom.pmf(left, m, 0.5) * np.average(good, weights=q ** abs(k - left))
    found = law(RanksCoarse(), WINDOW, m, 16, epsilon, alpha, 0.1)
    assert found == pytest.approx(total, abs=1e-12)
    if m == 9:
        assert g == 2
        assert by_order(RanksCoarse(), WINDOW, m, 16, epsilon, alpha, 0.1) == pytest.approx(
            found, abs=1e-12
        )


@pytest.mark.parametrize(("epsilon", "alpha"), [(0.1, 0.45), (1.0, 0.25), (8.0, 0.1)])
def test_every_gth_cut_stays_in_its_envelopes(epsilon, alpha):
    m = np.arange(1, 201)

    def at(sizes, beta=0.1):
        return Setting(sizes, np.array([16]), np.array([epsilon]), alpha, beta, 0.0)

    values = RanksCoarse().success(WINDOW, at(m)).value
    # It falls where g grows, and where another cut comes in.
    assert (np.diff(values) < -1e-12).any()
    ends = np.sort(np.random.default_rng(5).integers(1, 201, (300, 2)), axis=1)
    low, high = RanksCoarse().span(WINDOW, at(ends[:, 0]), at(ends[:, 1]))
    for (a, b), least, most in zip(ends.tolist(), low.value, high.value, strict=True):
        assert least <= values[a - 1 : b].min() + 1e-12
        assert values[a - 1 : b].max() <= most + 1e-12
    assert (low.value > 0.1).any()
    # Where nearly all points are within reach nothing is told from above.
    assert (high.value < 0.9999).any() == (alpha < 0.4)
    lost = RanksCoarse().success(WINDOW, at(m, 1e-30)).failure
    assert lost == pytest.approx(1 - values, abs=1e-12)


# Tables of whole counts, and few counts with incomplete beta functions.
@pytest.mark.parametrize("few", [10_000, 0])
@pytest.mark.parametrize(("m", "epsilon", "alpha"), [
    whole(3_000, 0.4, 0.009), whole(8_000, 0.1, 0.025), whole(4_000, 0.02, 0.2), (2_500, 0.004, 0.46),
    whole(3_000, 0.001, 0.018), (1_500, 0.05, 0.1), (90, 0.4, 0.2),
])  # fmt: skip
def test_both_ways_to_the_law_are_the_sum_of_the_definition(monkeypatch, few, m, epsilon, alpha):
    monkeypatch.setattr(ranks_coarse, "_FEW", few)
    both = [
        RanksCoarse().success(WINDOW, cells([m, m + 7], epsilon, alpha, b)) for b in (0.1, 1e-13)
    ]
    for found, size in enumerate((m, m + 7)):
        left = np.arange(size + 1)
        weights = stats.binom.pmf(left, size, 0.5)
        likely = np.flatnonzero(weights > 1e-29)
        lost = sum(weights[at] * defined(size, epsilon, alpha, int(left[at])) for at in likely)
        assert 1e-16 < lost < 0.999
        assert 1 - both[0].value[found] == pytest.approx(lost, abs=1e-12)
        assert both[1].failure[found] == pytest.approx(lost, rel=1e-9, abs=0)


@pytest.mark.parametrize(("m", "epsilon", "alpha"), [
    (60_000, 0.05, 0.006), (150_000, 0.02, 0.01), (40_000, 0.01, 0.1),
])  # fmt: skip
@pytest.mark.parametrize("beta", [0.1, 1e-8])
def test_few_counts_give_the_law_that_all_give(monkeypatch, m, epsilon, alpha, beta):
    """Also where sums take long; and a table of m and epsilon is that of its cells."""
    at = cells([m, m + 1], epsilon, alpha, beta)
    grid = replace(at, m=at.m[:, None], epsilon=epsilon * np.array([1.0, 1.5]))
    few = [RanksCoarse().success(WINDOW, one) for one in (at, grid)]
    monkeypatch.setattr(ranks_coarse, "_FEW", 10**6)
    all_ = RanksCoarse().success(WINDOW, at)
    truth = all_.value if beta == 0.1 else all_.failure
    for found in few:
        one = found.value if beta == 0.1 else found.failure
        assert one.reshape(2, -1)[:, 0] == pytest.approx(truth, rel=1e-11, abs=1e-30)


def test_numbers_beyond_those_tried_one_by_one_are_where_the_curve_crosses():
    found = pv.need(
        concept="threshold", learner="ranks-coarse", d=16, epsilon=0.01, alpha=0.01, beta=0.1
    )
    assert SCANNED < found.m == found.m_from
    lost = (
        1.0
        - RanksCoarse()
        .success(WINDOW, cells([int(found.m) - 1, int(found.m)], 0.01, 0.01, 0.1))
        .value
    )
    assert lost[1] <= 0.1 < lost[0]


def test_rare_failures_of_every_gth_cut_have_digits():
    # recipe: the sum of the definition in mpmath, 60 digits
    at = Setting(np.array([400]), np.array([16]), np.array([4.0]), 0.2, 1e-30, 0.0)
    lost = RanksCoarse().success(WINDOW, at).failure
    assert lost == pytest.approx(5.78741874255577e-27, rel=1e-10, abs=0)


def test_the_least_number_of_every_gth_cut_may_not_suffice_above():
    # recipe: success at m = 1, ..., 2000, one by one, by the sum of the definition
    found = pv.need(
        concept="threshold", learner="ranks-coarse", d=16, epsilon=0.1, alpha=0.45, beta=0.1
    )
    assert (int(found.m), int(found.m_from)) == (26, 58)


@pytest.mark.parametrize("alpha", [0.0178, 0.0278, 0.385])
def test_one_example_succeeds_as_often_as_alpha_to_the_last_bit(alpha):
    found = reach(
        RanksCoarse(), WINDOW, wanted="beta", m=1, d=16, epsilon=2.0, alpha=alpha, beta=0.1
    )
    assert found.value == pytest.approx(1 - alpha, abs=1e-9)
