"""The tolerances themselves: never too strict, and strict enough to notice what is planted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, fisher_exact

from tests import budget

RATES = [0.0, 1e-6, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9, 1.0]
TRIALS = [1, 10, 1_000, 100_000]


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("p", RATES)
def test_a_false_alarm_costs_at_most_its_share(trials, p):
    low, high = budget.accepted(trials, p)
    alarm = binom.cdf(low - 1, trials, p) + binom.sf(high, trials, p)
    assert alarm <= budget.SHARE * (1 + 1e-9)
    assert budget.power(trials, p, p) == pytest.approx(alarm)


@pytest.mark.parametrize("trials", TRIALS)
@pytest.mark.parametrize("p", RATES)
def test_accepted_is_exactly_where_agrees_says_yes(trials, p):
    low, high = budget.accepted(trials, p)
    assert 0 <= low <= p * trials + 1
    assert p * trials - 1 <= high <= trials
    assert budget.agrees(low, trials, p)
    assert budget.agrees(high, trials, p)
    assert low == 0 or not budget.agrees(low - 1, trials, p)
    assert high == trials or not budget.agrees(high + 1, trials, p)


@given(st.integers(1, 300), st.integers(0, 300), st.floats(0.001, 0.999))
def test_the_interval_holds_the_rates_that_agree(trials, successes, p):
    successes = min(successes, trials)
    low, high = budget.interval(successes, trials, share=1e-3)
    if min(abs(p - low), abs(p - high)) > 1e-9:
        assert budget.agrees(successes, trials, p, share=1e-3) == (low < p < high)


def test_real_coins_agree():
    rng = np.random.default_rng(1)
    for p in (0.001, 0.2, 0.5, 0.999):
        budget.assert_rate(rng.binomial(20_000, p), 20_000, p)


def test_a_planted_deviation_is_rejected():
    # 20,000 trials notice 0.50 -> 0.55 with probability 1 - 1e-9 (exact), so they do here.
    assert budget.power(20_000, 0.50, 0.55) > 1 - 1e-9
    successes = np.random.default_rng(2).binomial(20_000, 0.55)
    with pytest.raises(AssertionError, match=r"expected 0\.5; compatible are"):
        budget.assert_rate(successes, 20_000, 0.50)


def test_the_impossible_is_rejected_at_once():
    with pytest.raises(AssertionError):
        budget.assert_rate(1, 10, 0.0)
    with pytest.raises(AssertionError):
        budget.assert_rate(9, 10, 1.0)


def test_half_width_shrinks_like_one_over_root_n():
    ratio = budget.half_width(10_000, 0.5) / budget.half_width(1_000_000, 0.5)
    assert ratio == pytest.approx(10, rel=0.05)


def test_trials_to_notice_gives_the_power_it_promises():
    trials = budget.trials_to_notice(0.1, 0.12)
    assert budget.power(trials, 0.1, 0.12) >= 1 - 1e-6
    assert budget.power(trials // 2, 0.1, 0.12) < 1 - 1e-6
    with pytest.raises(ValueError, match="truth must differ"):
        budget.trials_to_notice(0.1, 0.1)


@pytest.mark.parametrize(("a", "n", "b", "k"), [(3, 10, 9, 12), (0, 5, 5, 5), (50, 100, 60, 90)])
def test_two_rates_against_scipys_one_sided_tests(a, n, b, k):
    table = [[a, n - a], [b, k - b]]
    less, greater = (fisher_exact(table, alternative=side).pvalue for side in ("less", "greater"))
    expected = min(1.0, 2 * min(less, greater))
    assert budget.same_rate_tail(a, n, b, k) == pytest.approx(expected, rel=1e-9)


def test_two_different_rates_are_told_apart():
    rng = np.random.default_rng(3)
    draw = rng.binomial(50_000, [0.30, 0.30, 0.34])
    budget.assert_same_rate(draw[0], 50_000, draw[1], 50_000)
    with pytest.raises(AssertionError, match="against"):
        budget.assert_same_rate(draw[0], 50_000, draw[2], 50_000)


def test_a_distribution_is_checked_outcome_by_outcome():
    law = np.array([0.5, 0.25, 0.125, 0.125])
    counts = np.random.default_rng(4).multinomial(100_000, law)
    budget.assert_distribution(counts.tolist(), law.tolist())
    budget.assert_distribution({"a": 3, "b": 0}, {"a": 1.0, "b": 0.0})
    with pytest.raises(AssertionError, match="outcome 0"):
        budget.assert_distribution(counts.tolist(), [0.52, 0.23, 0.125, 0.125])
    with pytest.raises(AssertionError, match="does not know"):
        budget.assert_distribution({"a": 3, "z": 1}, {"a": 1.0})
    with pytest.raises(AssertionError, match="add up"):
        budget.assert_distribution([1, 1], [0.5, 0.4])


@pytest.mark.parametrize("spread", [0.001, 0.1, 1.0])
def test_means_agree_and_planted_ones_do_not(spread):
    values = 0.5 + spread * (np.random.default_rng(5).random(100_000) - 0.5)
    budget.assert_mean(values, 0.5)
    # a shift of twice the tolerance is always noticed when the mean is within the tolerance
    shift = 2.01 * budget.mean_tolerance(values, 0, 1)
    with pytest.raises(AssertionError, match="expected"):
        budget.assert_mean(values, 0.5 + shift)


def test_bernstein_pays_off_when_the_variance_is_small():
    flat = 0.5 + 1e-3 * np.random.default_rng(6).random(100_000)
    coins = np.random.default_rng(6).integers(0, 2, 1_000)
    hoeffding = math.sqrt(math.log(4 / budget.SHARE) / 2)
    assert budget.mean_tolerance(flat, 0, 1) < hoeffding / math.sqrt(100_000) / 5
    assert budget.mean_tolerance(coins, 0, 1) == pytest.approx(hoeffding / math.sqrt(1_000))


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 1.5], [-0.1, 0.2]])
def test_values_outside_their_range_have_no_tolerance(values):
    with pytest.raises(ValueError, match=r"values must be|zero-size"):
        budget.mean_tolerance(values, 0, 1)


def test_comparisons_are_counted():
    before = budget.spent()
    budget.assert_rate(1, 2, 0.5)
    budget.assert_distribution([1, 1], [0.5, 0.5])
    budget.assert_mean([0.4, 0.6], 0.5)
    assert budget.spent() == before + 4
