"""A_2 for thresholds: every g-th cut, its law by several ways, and what it is at least and at most."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import privsc_core as pv
from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.threshold import THRESHOLD
from privsc_core.concepts.threshold import ranks_coarse as ways
from privsc_core.concepts.threshold.learners import RanksCoarse
from privsc_core.concepts.threshold.learners.ranks_coarse import at_least, at_most, stretches
from privsc_core.concepts.threshold.ranks_coarse import Asked, gap
from privsc_core.evaluate.need import suffices
from privsc_core.evaluate.reach import reach
from privsc_core.numerics.decimals import decimal
from tests.classes.threshold import by_order
from tests.core.support import law

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
    (9, 1.0, 0.45), (14, 0.3, 0.3), (60, 0.1, 0.15), (250, 4.0, 0.02), (3000, 0.01, 0.1),
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
    assert (high.value < 0.9999).any()
    lost = RanksCoarse().success(WINDOW, at(m, 1e-30)).failure
    assert lost == pytest.approx(1 - values, abs=1e-12)


# About as large as they can be: the sum of the definition takes a second.
@pytest.mark.parametrize(("way", "m", "epsilon", "alpha"), [
    ("by_waves", 3_000, 0.4, 0.009),  # even
    ("by_waves", 8_000, 0.1, 0.025),  # a wave
    ("by_waves", 4_000, 0.1, 0.06),  # two
    ("from_few", 4_000, 0.02, 0.2), ("from_few", 2_500, 0.004, 0.46), ("from_few", 3_000, 0.08, 0.3),
    ("from_few", 6_000, 0.03, 0.08),
    ("from_few", 3_000, 0.001, 0.018),  # few points within reach
    ("_from_all", 1_500, 0.05, 0.1), ("_from_all", 90, 0.4, 0.2),
])  # fmt: skip
def test_each_way_to_the_law_is_the_sum_of_the_definition(monkeypatch, way, m, epsilon, alpha):
    asked, usual = [], getattr(ways, way)
    monkeypatch.setattr(ways, way, lambda at: asked.append(at) or usual(at))
    both = [
        RanksCoarse().success(WINDOW, cells([m, m + 7], epsilon, alpha, b)) for b in (0.1, 1e-13)
    ]
    assert len(asked) == 2
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
def test_few_counts_give_the_law_that_all_give(m, epsilon, alpha, beta):
    """Also where sums take long; and a table of m and epsilon is that of its cells."""
    at = cells([m, m + 1], epsilon, alpha, beta)
    share = decimal(alpha)
    step = np.array([gap(n, share) for n in at.m.tolist()])
    asked = Asked(at, share, at.m, step, np.full((2, 1), 0.5 * epsilon))
    truth = ways._from_all(asked)[:, 0]
    grid = replace(at, m=at.m[:, None], epsilon=epsilon * np.array([1.0, 1.5]))
    for found in (RanksCoarse().success(WINDOW, at), RanksCoarse().success(WINDOW, grid)):
        one = found.value if beta == 0.1 else found.failure
        assert one.reshape(2, -1)[:, 0] == pytest.approx(truth, rel=1e-11, abs=1e-30)


def test_bounds_from_two_sizes_hold_between_changes_of_the_candidates():
    m, alpha = np.arange(600, 900), 0.05
    lost = 1.0 - RanksCoarse().success(WINDOW, cells(m, 0.2, alpha, 0.1)).value
    start, end = stretches(m[:1], m[-1:], decimal(alpha), ends=True)
    g = np.floor(alpha * m / 4 + 1e-9).astype(int) + 1
    changed = (np.diff(g) != 0) | (np.diff(m // g) != 0)
    assert start.tolist() == [600, *(m[1:][changed]).tolist()]
    assert end.tolist() == [*(m[:-1][changed]).tolist(), 899]
    grown, _ = stretches(m[:1], m[-1:], decimal(alpha), ends=False)
    assert grown.tolist() == [600, *(m[1:][np.diff(g) != 0]).tolist()]
    for ends in zip(start[end > start], end[end > start], strict=True):
        here = lost[ends[0] - 600 : ends[1] - 599]
        for known in range(here.size - 1):
            pair = here[known : known + 1], here[known + 1 : known + 2]
            low = at_least(pair, ends[0] + np.array([known]), ends, alpha, 0.0)
            assert 0.9 * here.min() < low <= here.min() * (1 + 1e-9)
        high = at_most((here[:1], here[-1:]), tuple(np.array([n]) for n in ends), alpha)
        assert here.max() <= high * (1 + 1e-9) < 1.02 * here.max()


def test_the_bounds_are_what_one_count_would_give():
    """Whatever fails for one R alone fails as likely as both bounds say; nothing fails less, or more."""
    alpha, r = 0.05, 400
    m, ends = np.array([700]), (np.array([680]), np.array([760]))
    lost = stats.binom.pmf(r, np.arange(680, 761), 0.5 + alpha)
    low = at_least((lost[20:21], lost[21:22]), m, ends, alpha, 0.0)
    assert low == pytest.approx(lost.min(), rel=1e-9, abs=0)
    high = at_most((lost[:1], lost[-1:]), ends, alpha)
    assert high == pytest.approx(lost.max(), rel=1e-9, abs=0)


@pytest.mark.parametrize(
    ("epsilon", "beta", "first", "last"), [(0.05, 0.1, 2100, 3000), (0.2, 1e-7, 4000, 5000)]
)
def test_a_closer_envelope_of_every_gth_cut_tells_what_looking_at_all_tells(
    epsilon, beta, first, last
):
    m = np.arange(first, last + 1)

    def at(sizes):
        return Setting(sizes, np.array([16]), np.array([epsilon]), 0.05, beta, 0.0)

    learner, told = RanksCoarse(), 0
    good = suffices(learner.success(WINDOW, at(m)), beta)
    ends = np.sort(np.random.default_rng(6).integers(first, last + 1, (40, 2)), axis=1)
    for upper in (False, True):
        found = learner.envelope(WINDOW, at(ends[:, 0]), at(ends[:, 1]), upper=upper)
        sure = suffices(found, beta) != upper
        for (a, b), s in zip((ends - first).tolist(), sure.tolist(), strict=True):
            assert not s or (good[a : b + 1] != upper).all()
        told += sure.sum()
    assert told > 20


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


def test_sizes_whose_tails_were_shared_by_few_end_in_no_error():
    """It was one where as many of them as fit a block of sums had nothing in common."""
    found = pv.need(
        concept="threshold", learner="ranks-coarse", d=14, epsilon=0.0127, alpha=0.472, beta=4.4e-7
    )
    assert int(found.m) == 4823
    lost = RanksCoarse().success(WINDOW, cells([4822, 4823], 0.0127, 0.472, 4.4e-7)).failure
    assert lost[1] <= 4.4e-7 < lost[0]


@pytest.mark.parametrize("alpha", [0.0178, 0.0278, 0.385])
def test_one_example_succeeds_as_often_as_alpha_to_the_last_bit(alpha):
    found = reach(
        RanksCoarse(), WINDOW, wanted="beta", m=1, d=16, epsilon=2.0, alpha=alpha, beta=0.1
    )
    assert found.value == pytest.approx(1 - alpha, abs=1e-9)
