"""The numerical tools, each against something slower that shares no code with it."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special
from scipy.stats import binom

from privsc_core.numerics import binomial, expectations
from privsc_core.numerics.binomial import (
    binomial_expectation,
    binomial_window,
    of_count,
    smooth_expectation,
)
from privsc_core.numerics.decimals import ceiling, decimal, floor
from privsc_core.numerics.expectations import (
    capped_growth,
    expected_reciprocal_unseen,
    expected_share,
    uniform_counts,
)
from privsc_core.numerics.logspace import log_domain, log_domain_scalar
from privsc_core.numerics.search import log_odds_over
from privsc_core.numerics.sums import strided_expectation
from privsc_core.numerics.tails import binomial_at_most, log_chance, tail_sum
from tests import budget
from tests.depth import deep


@pytest.mark.parametrize("p", [1e-6, 0.01, 0.1, 0.5, 0.93, 1.0])
@pytest.mark.parametrize("size", [1, 2, 7, 300, 10_000, 10**7])
def test_binomial_weights_in_fifty_digits(size, p):
    first, weights = binomial_window(size, p)
    counts = first + np.arange(len(weights))
    assert weights.sum() == pytest.approx(1, abs=1e-13)
    assert counts[0] >= 0
    assert counts[-1] <= size
    q = mp.mpf(p)
    # The error is that of a product of ratios: it grows with the distance from the mode.
    tolerance = 1e-12 if size <= 10_000 else 1e-10
    for at in np.unique(np.linspace(0, len(weights) - 1, 9).astype(int)):
        k = int(counts[at])
        with mp.workdps(50):
            log = mp.loggamma(size + 1) - mp.loggamma(k + 1) - mp.loggamma(size - k + 1)
            rest = (size - k) * mp.log(1 - q) if k < size else 0
            wanted = mp.exp(log + k * mp.log(q) + rest)
        assert weights[at] == pytest.approx(float(wanted), rel=tolerance, abs=1e-14)
    outside = binom.cdf(counts[0] - 1, size, p) + binom.sf(counts[-1], size, p)
    assert outside < 1e-13


def kernel(count, rest, scale, rate):
    """A kernel of the documented form: the rest enters only as e^(-rate rest)."""
    far = 0.0 if isinstance(rest, float) and math.isinf(rest) else np.exp(-rate * rest)
    return 1 / (1 + scale * np.exp(-rate * count) + far)


@pytest.mark.parametrize("p", [0.02, 0.3, 0.5])
def test_expectations_over_a_diagram_equal_plain_sums(p):
    sizes = np.array([1, 2, 3, 5, 17, 40, 41, 42, 100, 900, 905, 5_000])[:, None]
    scale, rate = np.array([[0.5, 30.0, 4e6]]), np.array([[0.05, 0.4, 1.5]])
    grid = binomial_expectation(sizes, p, (scale, rate), kernel, rate=rate)
    assert grid.shape == (12, 3)
    for (row, column), value in np.ndenumerate(grid):
        m = int(sizes[row, 0])
        k = np.arange(m + 1)
        terms = binom.pmf(k, m, p) * kernel(k, m - k, scale[0, column], rate[0, column])
        assert value == pytest.approx(math.fsum(terms), rel=2e-12)


@pytest.mark.parametrize("size", [10**6, 10**8, 4 * 10**9])
def test_flat_parts_of_wide_windows_are_not_summed_and_nothing_changes(monkeypatch, size):
    # From all but nothing to all but one, the climb included; two sizes share a table.
    logs = np.linspace(0.0, 0.02 * size, 41)[None, :]
    columns = (logs, np.array(0.1))
    sizes = np.array([[size], [size + 3]])
    calls = []

    def counted(count, rest, log_scale, rate):
        calls.append(count.size * log_scale.size)
        return 1 / (1 + np.exp(np.clip(log_scale - rate * count, -700, 700)))

    quick = binomial_expectation(sizes, 0.1, columns, counted, rate=0.1)
    spent = sum(calls)
    calls.clear()
    monkeypatch.setattr(binomial, "WIDE", 1 << 60)
    whole = binomial_expectation(sizes, 0.1, columns, counted, rate=0.1)
    assert np.abs(quick - whole).max() <= 1e-13
    assert spent < sum(calls)


def test_many_wide_windows_are_told_flat_in_one_call(monkeypatch):
    """Of thousands of large numbers all but the few at which the kernel climbs are looked at twice."""
    sizes = np.arange(10**8, 4 * 10**8, 10**5)
    columns = (np.array(4e6), np.array(0.1))
    calls = []

    def counted(count, rest, log_scale, rate):
        calls.append(count.size)
        return 1 / (1 + np.exp(np.clip(log_scale - rate * count, -700, 700)))

    quick = binomial_expectation(sizes, 0.2, columns, counted, rate=0.1)
    assert len(calls) < 40
    assert quick[0] < 1e-300
    assert quick[-1] == 1.0
    spent = sum(calls)
    calls.clear()
    monkeypatch.setattr(binomial, "WIDE", 1 << 60)
    some = np.unique(np.append(np.flatnonzero((quick > 1e-300) & (quick < 1.0)), [0, 9, 2_999]))
    whole = binomial_expectation(sizes[some], 0.2, columns, counted, rate=0.1)
    assert np.abs(quick[some] - whole).max() <= 1e-12
    assert spent < 10 * sizes.size + sum(calls)


@settings(max_examples=deep(60, 1_000))
@given(st.integers(1, 400), st.floats(0.01, 0.99), st.floats(0.01, 4), st.floats(0, 1e6))
def test_an_expectation_equals_a_plain_sum(m, p, rate, scale):
    columns = (np.array(scale), np.array(rate))
    found = float(binomial_expectation(np.array(m), p, columns, kernel, rate=rate))
    k = np.arange(m + 1)
    wanted = math.fsum(binom.pmf(k, m, p) * kernel(k, m - k, scale, rate))
    assert found == pytest.approx(wanted, rel=1e-11)


def test_cells_of_their_own_equal_plain_sums():
    """Sizes, probabilities and columns all differ, small and wide windows share blocks."""
    rng = np.random.default_rng(3)
    sizes = np.concatenate([rng.integers(1, 300, 40), rng.integers(300, 40_000, 20)])
    p, rate = rng.uniform(0.01, 0.9, sizes.size), rng.uniform(0.005, 2.0, sizes.size)
    scale = np.exp(rng.uniform(-3.0, np.minimum(1.5 * sizes * p * rate, 500.0)))
    found = binomial_expectation(sizes, p, (scale, rate), kernel, rate=rate)
    for m, q, s, r, value in zip(sizes.tolist(), p, scale, rate, found, strict=True):
        k = np.arange(m + 1)
        wanted = math.fsum(binom.pmf(k, m, q) * kernel(k, m - k, s, r))
        assert value == pytest.approx(wanted, rel=1e-9, abs=1e-13)
    one = binomial_expectation(sizes, 0.3, (scale, rate), kernel, rate=rate)
    many = binomial_expectation(sizes, np.full(sizes.size, 0.3), (scale, rate), kernel, rate=rate)
    np.testing.assert_allclose(one, many, rtol=0, atol=1e-15)


def test_a_cell_has_the_same_bits_whatever_it_is_together_with():
    """Curves of several settings are one computation: of values near 0 as well."""
    rng = np.random.default_rng(7)
    sizes = np.concatenate([rng.integers(1, 300, 200), rng.integers(300, 40_000, 100)])
    rate = rng.uniform(0.005, 2.0, sizes.size)
    scale = np.exp(rng.uniform(-3.0, np.minimum(1.5 * sizes * 0.3 * rate, 500.0)))
    many = binomial_expectation(sizes, 0.3, (scale, rate), kernel, rate=rate)
    assert many.min() < 1e-30
    some = rng.permutation(sizes.size)[:100]
    few = binomial_expectation(sizes[some], 0.3, (scale[some], rate[some]), kernel, rate=rate[some])
    np.testing.assert_array_equal(few, many[some])
    alone = [
        float(binomial_expectation(sizes[i], 0.3, (scale[i], rate[i]), kernel, rate=rate[i]))
        for i in some
    ]
    np.testing.assert_allclose(alone, few, rtol=1e-15)


def test_cells_whose_kernel_is_constant_are_not_summed():
    rng = np.random.default_rng(8)
    sizes, logs = rng.integers(300, 3000, 120), rng.uniform(0.0, 400.0, 120)
    asked = []

    def share(count, rest, log_scale):
        del rest
        asked.append(np.broadcast(count, log_scale).size)
        return 1 / (1 + np.exp(log_scale - count))

    found = binomial_expectation(sizes, 0.3, (logs,), share, rate=math.inf)
    spent = sum(asked)
    assert spent < sum(len(binomial_window(int(m), 0.3)[1]) for m in sizes)
    for m, log, value in zip(sizes.tolist(), logs.tolist(), found.tolist(), strict=True):
        k = np.arange(m + 1)
        wanted = math.fsum(binom.pmf(k, m, 0.3) * special.expit(k - log))
        assert value == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@settings(max_examples=deep(40, 1_000))
@given(st.data())
def test_expectations_broadcast_like_numpy(data):
    one = data.draw(st.sampled_from([(), (3,), (2, 1), (4, 1, 1)]))
    two = data.draw(st.sampled_from([(), (3,), (1, 3), (2, 3)]))
    rng = np.random.default_rng(1)
    m = rng.integers(1, 60, size=one)
    scale, rate = rng.uniform(1, 50, size=two), rng.uniform(0.1, 1, size=two)
    whole = binomial_expectation(np.asarray(m), 0.3, (scale, rate), kernel, rate=rate)
    m_, scale_, rate_ = np.broadcast_arrays(m, scale, rate)
    assert whole.shape == m_.shape
    for at in np.ndindex(m_.shape):
        single = binomial_expectation(
            np.array(m_[at]), 0.3, (np.array(scale_[at]), np.array(rate_[at])), kernel,
            rate=float(rate_[at]),
        )  # fmt: skip
        assert whole[at] == pytest.approx(float(single), rel=1e-11)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("weights", [(0.3, 0.01), (1.0, 0.5), (0.0, 1e-9)])
@pytest.mark.parametrize("chances", [(0.2, 0.3, 0.5), (0.01, 0.01, 0.98), (0.9, 0.05, 0.05)])
def test_expected_share_equals_the_multinomial_sum(n, weights, chances):
    wanted = 0.0
    for zero, one in itertools.product(range(n + 1), repeat=2):
        two = n - zero - one
        if two < 0 or not zero:
            continue
        chance = math.comb(n, zero) * math.comb(n - zero, one)
        chance *= chances[0] ** zero * chances[1] ** one * chances[2] ** two
        wanted += chance * zero / (zero + one * weights[0] + two * weights[1])
    found = expected_share(
        np.array(float(n)), np.array(chances[0]),
        [np.array(c) for c in chances[1:]], [np.array(w) for w in weights],
    )  # fmt: skip
    assert float(found) == pytest.approx(wanted, rel=1e-11)


def test_both_rules_for_shares_agree_where_both_hold():
    rng = np.random.default_rng(5)
    rate = np.exp(rng.uniform(np.log(60.0), np.log(1e6), 2_000))
    members = np.exp(rng.uniform(np.log(3.0), np.log(1e6), rate.size)) * rate
    first = rate / (members - 1.0) * rng.uniform(0.05, 1.0, rate.size)
    second = (1.0 - first) * rng.uniform(0.0, 1.0, rate.size)
    chances = np.array([second, 1.0 - first - second])
    left = rate / (members - 1.0) - first  # the share of the weight that the others have
    weights = np.minimum(rng.uniform(0.0, 1.0, chances.shape) * left / chances, 1.0)
    held = (members - 1.0) * (first + (chances * weights).sum(axis=0)) >= expectations._RATE
    given_ = members[held], first[held], chances[:, held], weights[:, held]
    assert held.sum() > 500
    assert np.abs(expectations._gauss(*given_) - expectations._integral(*given_)).max() < 1e-12


def test_a_share_that_nobody_else_has_is_that_of_being_there():
    members, first = np.array([1.0, 7.0, 1e6]), np.array([0.3, 0.01, 1.0])
    found = expected_share(members, first, [1.0 - first], [np.zeros(3)])
    np.testing.assert_allclose(found, 1.0 - (1.0 - first) ** members, rtol=1e-13)


def test_expected_share_of_very_many_members_is_the_ratio_of_means():
    found = expected_share(np.array(1e9), np.array(1e-3), [np.array(1 - 1e-3)], [np.array(1e-3)])
    assert float(found) == pytest.approx(1e-3 / (1e-3 + (1 - 1e-3) * 1e-3), rel=1e-4)


@pytest.mark.parametrize(("cells", "pool"), [(1, 2), (2, 4), (3, 4), (3, 16), (4, 5)])
def test_occupancy_equals_the_sum_over_all_draws(cells, pool):
    draws = np.array([[1, 2], [3, 5]])
    found, lost = expected_reciprocal_unseen(draws, cells, [pool])
    for at, count in np.ndenumerate(draws):
        wanted = sum(
            Fraction(1, pool - len(set(drawn)))
            for drawn in itertools.product(range(cells), repeat=count)
        ) / cells ** int(count)
        assert found[at] == pytest.approx(float(wanted), rel=1e-14)
        assert lost[at] == pytest.approx(float(1 - wanted), rel=1e-14)


def _compositions(m, cells):
    """Return how often each way is drawn to spread m over equally likely cells."""
    ways = Counter()
    for drawn in itertools.product(range(cells), repeat=m):
        ways[tuple(drawn.count(cell) for cell in range(cells))] += 1
    return {way: count / cells**m for way, count in ways.items()}


@pytest.mark.parametrize("one_by_one", [0, 16])
def test_cells_are_drawn_alike_by_either_way(monkeypatch, one_by_one):
    monkeypatch.setattr(expectations, "_ONE_BY_ONE", one_by_one)
    monkeypatch.setattr(expectations, "_AT_ONCE", 1000)  # in many parts
    counts = uniform_counts(4, 3, 20_000, np.random.default_rng(5))
    seen = Counter(map(tuple, counts.tolist()))
    budget.assert_distribution(seen, _compositions(4, 3), "counts of three cells")
    unequal = np.random.default_rng(5).multinomial(4, [0.36, 0.32, 0.32], size=20_000)
    with pytest.raises(AssertionError):
        budget.assert_distribution(
            Counter(map(tuple, unequal.tolist())), _compositions(4, 3), "unequal ones"
        )


def test_occupancy_after_very_many_draws_has_seen_everything():
    mean, lost = expected_reciprocal_unseen(np.array(10**9), 7, [8])
    assert float(mean) == pytest.approx(1, abs=1e-15)
    assert float(lost) == 0.0
    assert float(expected_reciprocal_unseen(np.array(5), 0, [4])[0]) == 0.25


@pytest.mark.parametrize("p", [1e-4, 0.159, 0.5, 0.99])
@pytest.mark.parametrize("scale", [0.3, 7.0, 300.0, 1e6])
def test_every_so_manieth_count_says_what_all_say(p, scale):
    """Of steep functions all are looked at: a step at the mean is planted, which no stride can see."""
    size = np.array([1, 30, 4000, 10**6, 3 * 10**7])
    for log_tail, at in itertools.product((30.0, 60.0), (0.5, 1.0)):
        middle = float(size[-1] * p * at)
        for function in (
            lambda k, middle=middle: special.expit((middle - k) / scale),
            lambda k, middle=middle: np.exp(-np.maximum(k - middle, 0.0) / scale),
        ):
            wanted = binomial_expectation(
                size, p, (), of_count(function), rate=math.inf, log_tail=log_tail
            )
            found = smooth_expectation(size, p, function, log_tail=log_tail)
            assert found == pytest.approx(wanted, rel=1e-11, abs=math.exp(-log_tail))


@pytest.mark.parametrize("log_tail", [binomial.LOG_TAIL, 60.0])
def test_so_wide_windows_are_thinned_where_that_will_do(monkeypatch, log_tail):
    """Cells of their own, smooth and steep, all counts of which are looked at for comparison."""
    rng = np.random.default_rng(9)
    sizes = rng.integers(10**8, 10**9, size=8)
    rate = np.repeat([1e-5, 1e-4, 1e-3, 3.0], 2)
    far = np.sqrt(2.0 * max(log_tail - 38.0, 0.0) * 0.1 * sizes)
    columns = (rate * (0.1 * sizes - far), rate)
    looked = []

    def failure(count, rest, log_scale, rate):
        looked.append(count.size)
        odds = np.exp(np.clip(log_scale - rate * count, -700.0, 460.0))
        return odds / (1.0 + odds)

    quick = binomial_expectation(sizes, 0.1, columns, failure, rate=rate, log_tail=log_tail)
    spent = sum(looked)
    looked.clear()
    monkeypatch.setattr(binomial, "_WIDEST", 1 << 60)
    whole = binomial_expectation(sizes, 0.1, columns, failure, rate=rate, log_tail=log_tail)
    # Far out the weights of all counts, products of a hundred thousand ratios, are off by some 1e-11.
    assert quick == pytest.approx(whole, rel=5e-11 if far.any() else 2e-12, abs=math.exp(-log_tail))
    assert spent < 0.6 * sum(looked)


@pytest.mark.parametrize("size", [10**6, 10**9, 10**12])
def test_weights_of_every_so_manieth_count_have_all_digits(size):
    """Against the mean, the variance and the skewness, which an ulp of the mean would shift."""
    p = 0.0123
    mean = Fraction(size) * Fraction(p)
    spread, shift = math.sqrt(float(mean) * (1.0 - p)), float(mean - round(mean))

    def moment(power):
        # Plus 2, so that it is not compared with 0.
        found = strided_expectation(
            np.array([size]), p, lambda k, _: ((k - round(mean) - shift) / spread) ** power + 2.0,
            log_tail=binomial.LOG_TAIL,
        )  # fmt: skip
        return found.item() - 2.0

    assert moment(1) == pytest.approx(0.0, abs=3e-13)
    assert moment(2) == pytest.approx(1.0, abs=3e-13)
    assert moment(3) == pytest.approx((1.0 - 2.0 * p) / spread, abs=3e-12)


@pytest.mark.parametrize("beta", [1e-300, 1e-17, 1e-9, 0.3, 0.9999999999999])
def test_odds_are_compared_where_they_can_be_told_apart(beta):
    """1 - beta as typed; in plain floats 1 - 1e-17 is 1 and 1 - 0.9999999999999 is 9.992e-14."""
    goal = float(1 - Fraction(repr(beta)))
    assert log_odds_over(beta, goal, beta) == 0.0
    for up in (1 + 1e-9, 1 - 1e-9):
        success, failure = (goal, beta / up) if beta < 0.5 else (goal * up, beta)
        assert (log_odds_over(beta, success, failure) > 0) == (up > 1)


@given(st.integers(1, 999), st.integers(1, 400))
def test_decimals_are_what_was_typed(thousandths, count):
    alpha = thousandths / 1000
    assert decimal(alpha) == Fraction(thousandths, 1000)
    assert floor(decimal(alpha) * count) == thousandths * count // 1000
    assert ceiling(decimal(alpha) * count) == -(-thousandths * count // 1000)


def test_binary_arithmetic_would_get_these_wrong():
    assert math.ceil(2 * 0.07 * 50) == 8
    assert ceiling(2 * decimal(0.07) * 50) == 7


@pytest.mark.parametrize("p", [1e-9, 0.0125, 0.3, 0.5])
def test_tails_equal_the_sum(p):
    for count, draws in ((0, 1), (1, 3), (2, 8), (5, 256), (40, 256), (7, 8)):
        wanted = math.fsum(
            math.comb(draws, k) * p**k * (1 - p) ** (draws - k) for k in range(count + 1)
        )
        assert float(binomial_at_most(count, draws, p)) == pytest.approx(wanted, rel=1e-12)
    assert float(binomial_at_most(-1, 5, p)) == 0
    assert float(binomial_at_most(5, 5, p)) == 1


@pytest.mark.parametrize("bits", [41, 60, 200, 3000, 10**5])
def test_tails_of_astronomically_many_draws(bits):
    draws = 1 << bits
    assert float(binomial_at_most(draws // 10, draws, 0.05)) == 1
    assert float(binomial_at_most(draws // 10, draws, 0.2)) == 0
    half = float(binomial_at_most(draws // 10, draws, 0.1))
    assert 0 <= half <= 1


@pytest.mark.parametrize("minus", [0, 1, 2])
def test_logarithms_of_domain_sizes(minus):
    d = np.array([1, 2, 3, 30, 52, 53, 64, 1000, 10**6])
    whole = log_domain(d, minus)
    for bits, value in zip(d.tolist(), whole.tolist(), strict=True):
        size = (1 << bits) - minus
        wanted = float(mp.log(mp.mpf(2) ** bits - minus)) if size else -math.inf
        assert value == pytest.approx(wanted, rel=1e-15)
        assert log_domain_scalar(bits, minus) == pytest.approx(wanted, rel=1e-15)


@pytest.mark.parametrize("where", [-3.0, 0.0, 4.0])
@pytest.mark.parametrize("slope", [0.01, 0.2, 5.0])
def test_what_is_costly_is_looked_at_less_often_and_is_the_same(where, slope):
    """A kernel that is smooth over the window, and a step, for which all counts are needed."""
    size, share = np.array([10**6, 40_000, 300]), 0.2
    middle = float(size[0]) * share + where * math.sqrt(size[0] * share)
    looks = dict.fromkeys((False, True), 0)

    def found(*, costly):
        def kernel(count, _):
            looks[costly] += count.size
            return special.expit(slope * (count - middle))

        return binomial_expectation(size, share, (), kernel, rate=math.inf, costly=costly)

    assert found(costly=True) == pytest.approx(found(costly=False), abs=2e-15, rel=1e-12)
    if slope < 0.1:
        assert looks[True] < 0.3 * looks[False]


@pytest.mark.parametrize("steeper", [1.0, 4.0])
@pytest.mark.parametrize("rate", [0.01, 0.05, 0.2])
def test_a_costly_kernel_is_looked_at_as_often_as_it_changes(rate, steeper):
    """At a low rate every so-manieth count will do, but not if the kernel is steeper than it says."""
    rng = np.random.default_rng(9)
    m, scale = rng.integers(50, 2_000, 30), np.exp(rng.uniform(-2.0, 12.0, 30))
    looks = []

    def kernel(count, rest, scale):
        looks[-1] += count.size
        rises = np.exp(-rate * steeper * count)
        return 1.0 / (1.0 + scale * rises + np.exp(-rate * rest))

    found = []
    for costly in (False, True):
        looks.append(0)
        found.append(
            binomial_expectation(m, 0.2, (scale,), kernel, rate=np.array(rate), costly=costly)
        )
    assert found[1] == pytest.approx(found[0], abs=1e-13)
    if steeper == 1.0:
        assert looks[1] < 0.7 * looks[0]


def test_cells_with_the_same_columns_share_a_table_of_a_costly_kernel():
    looked = []

    def kernel(count, _rest, rate, shift):
        value = 1.0 / (1.0 + np.exp(shift - rate * count))
        looked.append(value.size)
        return value

    m = np.tile(np.arange(200, 400, 5), 4).reshape(4, -1)
    columns = np.array([[0.1], [0.2], [0.2], [0.7]]), np.array([[1.0], [1.0], [3.0], [3.0]])
    found, work = [], []
    for costly in (False, True):
        looked.clear()
        found.append(binomial_expectation(m, 0.1, columns, kernel, rate=np.inf, costly=costly))
        work.append(sum(looked))
    assert found[1] == pytest.approx(found[0], abs=1e-15)
    assert np.ptp(found[0]) > 0.25
    assert work[1] < work[0] / 4


@pytest.mark.parametrize("log_factor", [-0.3, -20.0, -300.0, -6000.0])
def test_growth_that_is_cut_at_1_equals_the_sum(log_factor):
    rng = np.random.default_rng(5)
    p, rate = rng.uniform(0.01, 0.99, 300), 10.0 ** rng.uniform(-1.5, 1.5, 300)
    size = np.ceil(-log_factor / rate / p * rng.uniform(0.5, 1.5, 300)).astype(np.int64)
    size = np.minimum(size, 10**7)

    def cut(count, factor, rates):
        return np.exp(np.minimum(factor + rates * count, 0.0))

    at = np.full(300, log_factor), rate
    found = capped_growth(size, p, *at)
    assert found == pytest.approx(
        binomial_expectation(size, p, at, of_count(cut), rate=math.inf), abs=5e-13
    )
    assert (np.diff(capped_growth(np.arange(1, 400), np.array(0.3), *(np.array(x) for x in (log_factor, 0.2)))) >= -1e-13).all()  # fmt: skip


@pytest.mark.parametrize(("size", "count", "share"), [(10_000, 200, 0.2), (700, 3, 0.9), (10**6, 10**5, 0.15)])  # fmt: skip
def test_far_tails_in_fifty_digits(size, count, share):
    with mp.workdps(50):
        ratio, terms = (1 - mp.mpf(share)) / mp.mpf(share), [mp.mpf(1)]
        for k in range(count, max(count - 3000, 0), -1):
            terms.append(terms[-1] * k / (size - k + 1) * ratio)
        chance = mp.log(mp.binomial(size, count)) + count * mp.log(share) + (size - count) * mp.log(1 - mp.mpf(share))  # fmt: skip
        total = mp.fsum(terms)
    found = log_chance(np.array([float(count)]), np.array([float(size)]), share)
    assert found == pytest.approx(float(chance), rel=1e-13)
    # I_{1-p}(n - k, k + 1) is Pr[K <= k], and x^a (1-x)^b / (a B(a, b)) that of K = k times p.
    beside = tail_sum(np.array([float(size - count)]), np.array([count + 1.0]), np.array([1.0 - share]))  # fmt: skip
    assert share * beside == pytest.approx(float(total), rel=1e-12)
