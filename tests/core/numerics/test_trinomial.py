"""The expected share between two rare events against the plain double sum."""

import functools
import itertools
import math

import mpmath as mp
import numpy as np
import pytest
from scipy import special

import privsc_core as pv
from privsc_core.numerics import trinomial, trinomial_sums
from privsc_core.numerics.trinomial import two_sided_share, two_sided_shares
from tests import budget

LOG2 = math.log(2)


@functools.cache
def log_factorials(most):
    """Running sums of logarithms, in 64 bits of mantissa."""
    steps = np.log(np.arange(1, most + 1, dtype=np.longdouble))
    return np.concatenate([np.zeros(1, dtype=np.longdouble), np.cumsum(steps)])


@functools.lru_cache(maxsize=4)
def joint(size, probability):
    """Return the first count of a window of 13 standard deviations, and the weights over it."""
    p, factorial = np.longdouble(probability), log_factorials(size)
    reach = 13 * math.sqrt(size * probability * (1 - probability)) + 30
    low = max(0, math.floor(size * probability - reach))
    high = min(size, math.ceil(size * probability + reach))
    count = np.arange(low, high + 1)
    one = count * np.log(p) - factorial[count]
    rest = size - count[:, None] - count[None, :]
    gone = rest < 0
    rest = np.maximum(rest, 0)
    none = np.log(1 - 2 * p) if probability < 0.5 else np.longdouble(0)
    logs = one[:, None] + one[None, :] + (rest * none - factorial[rest]) + factorial[size]
    if probability == 0.5:
        gone |= rest > 0
    weights = np.where(gone, 0, np.exp(logs))
    # What thousands of roundings of sums of 10^4 leave.
    assert abs(weights.sum() - 1) < 1e-13
    return count, weights / weights.sum()


def dense(size, probability, log_left, log_right, rate):
    count, weights = joint(size, probability)
    r = np.longdouble(rate)
    left = np.exp(np.minimum(np.longdouble(log_left) - r * count, 5000))
    right = np.exp(np.minimum(np.longdouble(log_right) - r * count, 5000))
    right += np.exp(-r * (size - count))
    return float((weights / (1 + left[:, None] + right[None, :])).sum())


def in_fifty_digits(size, probability, log_left, log_right, rate):
    with mp.workdps(50):
        p, r = mp.mpf(probability), mp.mpf(rate)
        total = mp.mpf(0)
        for k in range(size + 1):
            for j in range(size + 1 - k):
                chance = mp.binomial(size, k) * mp.binomial(size - k, j)
                chance *= p ** (k + j) * (1 - 2 * p) ** (size - k - j)
                below = 1 + mp.exp(log_left - r * k) + mp.exp(log_right - r * j)
                total += chance / (below + mp.exp(-r * (size - j)))
        return float(total)


@pytest.mark.parametrize("cell", [
    (1, 0.3, 1.0, 1.2, 0.5), (7, 0.5, 2.0, 2.5, 1.5), (12, 0.49, 4.0, 3.0, 1.0),
    (20, 0.15, -math.inf, 0.7, 0.5), (40, 0.15, math.log(14), math.log(17), 0.5),
    (40, 0.25, -math.inf, -math.inf, 0.1), (30, 0.01, 1.0, 1.0, 3.0),
])  # fmt: skip
def test_fifty_digits(cell):
    assert two_sided_share(*cell) == pytest.approx(in_fifty_digits(*cell), abs=1e-14)
    assert dense(*cell) == pytest.approx(in_fifty_digits(*cell), abs=1e-15)


def cells():
    """Yield settings whose value is mostly neither 0 nor 1, on lattices of every kind."""
    rng = np.random.default_rng(52)
    # Windows that are summed as they are, and ones of many hundred rows; at 0.49 the last term
    # (all but the right point) matters.
    sizes = [(3, 0.2), (30, 0.5), (60, 0.3), (400, 0.1), (900, 0.5), (1500, 0.49), (2500, 0.25),
             (4000, 0.02), (4000, 0.4), (4000, 0.5), (6000, 0.001)]  # fmt: skip
    # At the small rates the lattice is thinned.
    for (size, p), rate in itertools.product(sizes, (1e-4, 3e-3, 0.02, 0.1, 0.25, 0.6, 2.0, 7.0)):
        spread = math.sqrt(size * p * (1 - p))
        for _ in range(2):
            step = rate * (size * p + spread * rng.normal(0, 1.2))
            yield size, p, step, step + rng.normal(0, 1 + rate * spread), rate
        yield size, p, 3 * LOG2, math.log(2**4 + 1), rate


@pytest.mark.parametrize("size", sorted({cell[0] for cell in cells()}))
def test_the_double_sum(size):
    worst, inside = 0.0, 0
    for cell in cells():
        if cell[0] == size:
            wanted = dense(*cell)
            worst = max(worst, abs(two_sided_share(*cell) - wanted))
            inside += 1e-6 < wanted < 1 - 1e-6
    assert worst <= 1e-12
    assert inside >= 8


@pytest.mark.parametrize("rate", [1e-300, 1e-9, 40.0, 1e3, 1e300])
@pytest.mark.parametrize(
    ("size", "p"), [(1, 0.5), (5, 0.3), (300, 0.5), (2000, 0.45), (3000, 1e-6)]
)
def test_extreme_rates(size, p, rate):
    for log_left, log_right in ((0.0, 0.0), (-math.inf, 0.7), (5.0, 6.0), (-math.inf, -math.inf)):
        cell = (size, p, log_left, log_right, rate)
        assert two_sided_share(*cell) == pytest.approx(dense(*cell), abs=1e-12)


def test_left_and_right_change_places_where_the_last_term_is_nothing():
    seen = 0
    for size, p, left, right, rate in cells():
        if rate * size * (1 - p) > 200 and p < 0.4:
            seen += 1
            one = two_sided_share(size, p, left, right, rate)
            assert one == pytest.approx(two_sided_share(size, p, right, left, rate), abs=1e-12)
    assert seen


@pytest.mark.parametrize("probability", [0.02, 0.3, 0.5])
def test_many_settings_say_what_each_says_alone(probability):
    rng = np.random.default_rng(9)
    sizes = rng.choice([3, 40, 700, 9000], 60)
    left = rng.choice([-np.inf, 0.0, 3.0, 50.0, 700.0], 60)
    right, rate = left + rng.choice([0.0, 0.5, 2.0], 60), 10.0 ** rng.uniform(-2.5, 1.0, 60)
    together = two_sided_shares(sizes, probability, left, right, rate)
    cells = zip(*(x.tolist() for x in (sizes, left, right, rate)), strict=True)
    alone = [two_sided_share(n, probability, *rest) for n, *rest in cells]
    assert together.tolist() == alone
    # All three ways occur: nothing to sum, and a sum.
    assert 0.0 in alone
    assert 1.0 in alone
    assert any(0.01 < value < 0.99 for value in alone)


@pytest.mark.parametrize("probability", [1e-4, 0.123, 0.4, 0.49999])
def test_a_value_does_not_depend_on_what_it_is_asked_for_with(probability):
    """Not in its last bit: on lattices of all lengths, thinned by different steps, or shared."""
    rng = np.random.default_rng(31)
    sizes = np.repeat(np.geomspace(1, 2_000_000, 48).astype(int), rng.choice([1, 3], 48))
    rate = rng.choice([1e-3, 0.02, 0.2585, 4.0], sizes.size)
    # Rows longer than a buffer of NumPy's.
    sizes, rate = np.append(sizes, [2_000_000] * 8), np.append(rate, [4.0] * 8)
    spread = np.sqrt(sizes * probability)
    left = rate * (sizes * probability + spread * rng.normal(0, 1, sizes.size))
    right = left + rng.choice([-np.inf, 0.0, 0.5, 2.0], sizes.size)

    def found(at):
        return two_sided_shares(sizes[at], probability, left[at], right[at], rate[at])

    together = found(slice(None))
    assert np.mean((together > 0.01) & (together < 0.99)) > 0.5
    assert np.concatenate([found([k]) for k in range(sizes.size)]).tolist() == together.tolist()
    for _ in range(3):
        some = rng.permutation(sizes.size)[:20]
        assert found(some).tolist() == together[some].tolist()


@pytest.mark.parametrize("probability", [0.03, 0.3, 0.48])
def test_many_sizes_at_once_are_double_sums(probability):
    sizes = np.array([1, 2, 9, 60, 150, 151, 400, 900, 1500])
    sizes, rate = np.repeat(sizes, 3), np.tile([0.01, 0.2585, 1.5], sizes.size)
    left = rate * sizes * probability
    values = two_sided_shares(sizes, probability, left, left + 0.5, rate)
    cells = zip(sizes.tolist(), left.tolist(), rate.tolist(), values.tolist(), strict=True)
    for size, log, speed, value in cells:
        assert abs(value - dense(size, probability, log, log + 0.5, speed)) < 1e-13


def test_more_samples_never_hurt():
    for p, rate, left in ((0.1, 0.25, 40.0), (0.3, 0.02, 9.0), (0.5, 1.0, 300.0)):
        sizes = np.unique(np.geomspace(1, 10**5, 150).astype(int)).tolist()
        values = [two_sided_share(n, p, left, left + 0.5, rate) for n in sizes]
        assert min(values[1:][i] - values[i] for i in range(len(values) - 1)) >= -1e-13
        assert values[0] < 0.1
        assert values[-1] > 0.99


# Too large for a double sum: the same mean over drawn counts.
@pytest.mark.parametrize(("size", "p", "bits", "rate"), [
    (3_467_000, 0.4, 10**6, 0.5), (10**7, 0.05, 10**5, 0.139), (10**7, 0.5, 7 * 10**5, 0.0971),
    (140_000, 0.1, 10**4, 0.5), (10**9, 0.001, 1000, 6.95e-4), (10**12, 0.1, 10**6, 6.93148e-6),
])  # fmt: skip
def test_drawn_counts(size, p, bits, rate):
    trials = 100_000
    counts = np.random.default_rng(6).multinomial(size, [p, p, max(1 - 2 * p, 0.0)], size=trials)
    exponents = (bits - 1) * LOG2 - rate * counts[:, :2]
    shares = 1 / (1 + np.exp(np.minimum(exponents, 700)).sum(axis=1))
    value = two_sided_share(size, p, (bits - 1) * LOG2, (bits - 1) * LOG2, rate)
    assert 0.05 < value < 0.95
    budget.assert_mean(shares, value, what="drawn counts")


def test_a_wrong_last_term_would_be_seen():
    cell = (40, 0.45, 1.0, 1.0, 0.05)
    count, weights = joint(40, 0.45)
    left = np.exp(1.0 - 0.05 * count)
    without = float((weights / (1 + left[:, None] + left[None, :])).sum())
    assert abs(two_sided_share(*cell) - without) > 1e-3


@pytest.mark.parametrize(
    ("size", "p", "times", "spread"),
    [
        (20_000, 0.3, (1, 0), 700),
        (60_000, 0.45, (1000, 1000), 6000),
        (100_000, 0.02, (1, 12), 200),
    ],
)
def test_rare_failures_are_those_of_the_double_sum(size, p, times, spread, monkeypatch):
    def ways(number):
        return lambda counts: number * special.log_ndtr(counts / spread)

    found = trinomial.either_fails(size, p, *map(ways, times), 90.0)
    monkeypatch.setattr(trinomial, "_NARROW", 10**9)
    wanted = trinomial.either_fails(size, p, *map(ways, times), 90.0)
    assert 0.0 < wanted < 1e-2
    assert found == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("size", [10**7, 10**8])
@pytest.mark.parametrize("p", [0.01, 0.123, 0.3])
def test_what_is_left_of_a_wide_window_is_the_same_by_products(size, p, monkeypatch):
    """Poisson weights against products over all that is left out."""
    deviation = math.sqrt(size * p)
    rate = 30.0 / deviation
    settings = [(rate * (size * p - z * deviation), rate) for z in (-0.5, 0.0, 1.0)]
    found = [two_sided_share(size, p, log, log, speed) for log, speed in settings]
    trinomial_sums.lattices.cache_clear()
    monkeypatch.setattr(trinomial_sums, "_WIDE", math.inf)
    again = [two_sided_share(size, p, log, log, speed) for log, speed in settings]
    trinomial_sums.lattices.cache_clear()
    assert min(found) > 0.01
    assert max(found) < 0.99
    assert found == pytest.approx(again, rel=0.0, abs=1e-14)
    assert found != again  # two ways were gone


def test_the_lattice_of_the_search_is_thinned_and_nothing_is_lost(monkeypatch):
    """At a spread of many counts; a lattice four times as thin is seen."""
    who = {"concept": "interval", "learner": "search", "m": [[60_000], [90_000]]}
    at = {"d": [1000, 5000], "epsilon": 0.1, "alpha": 0.1, "beta": 0.1, "delta": 1e-6}
    steps, plain = [], trinomial.thinning

    def law(factor):
        def thinning(*given):
            steps.append(max(1, int(factor * plain(*given))))
            return steps[-1]

        monkeypatch.setattr(trinomial, "thinning", thinning)
        return np.asarray(pv.success(**who, **at).value)

    exact, thin, thinner = law(0), law(1), law(4)
    assert min(steps[4:8]) > 30
    assert np.abs(thin - exact).max() < 1e-14
    assert np.abs(thinner - exact).max() > 1e-9
