"""The expectation over the smaller of two counts against plain sums."""

import itertools
import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

from privsc_core.concepts.interval import ladders
from privsc_core.concepts.interval.ladders import Grown
from privsc_core.concepts.interval.nodes import Scale
from privsc_core.numerics import expectations
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.expectations import lesser_expectation
from privsc_core.numerics.sums import mean_by_rows
from privsc_core.numerics.trinomial import two_counts


def by_sums(size, p, q, function):
    return math.fsum(
        math.comb(size, k) * math.comb(size - k, j) * p**k * q**j
        * max(1.0 - p - q, 0.0) ** (size - k - j) * function(min(k, j))
        for k in range(size + 1) for j in range(size + 1 - k)
    )  # fmt: skip


@pytest.mark.parametrize(("p", "q"), [(0.1, 0.1), (0.4, 0.1), (0.02, 0.5), (0.5, 0.5), (0.3, 0.0)])
def test_it_is_what_plain_sums_give(p, q):
    sizes = np.array([[1], [2], [7], [25]])
    scales = np.array([[0.2, 1.5]])
    found = lesser_expectation(sizes, (p, q), (scales,), lambda k, s: np.exp(-s * k))
    for (row, size), (column, scale) in itertools.product(
        enumerate(sizes.ravel().tolist()), enumerate(scales.ravel().tolist())
    ):
        expected = by_sums(size, p, q, lambda k, s=scale: math.exp(-s * k))
        assert found[row, column] == pytest.approx(expected, rel=1e-12)


def test_both_orders_and_the_whole_mass():
    at = (np.array([10, 3000, 10**6]),)
    one = lesser_expectation(*at, (0.02, 0.3), (np.zeros(1),), lambda k, _: np.ones_like(k))
    assert one == pytest.approx(np.ones(3), abs=1e-11)
    ways = [
        lesser_expectation(*at, masses, (np.zeros(1),), lambda k, _: 1.0 / (1.0 + k))
        for masses in ((0.02, 0.03), (0.03, 0.02))
    ]
    assert ways[0] == pytest.approx(ways[1], rel=1e-10)


def tail(draws, count, chance):
    """Return Pr[Bin(draws, chance) >= count] in forty digits."""
    with mp.workdps(40):
        q = mp.mpf(chance)
        term, below = (1 - q) ** draws, mp.mpf(0)
        for j in range(count):
            below += term
            term *= mp.mpf(draws - j) / (j + 1) * q / (1 - q)
        return float(1 - below)


@pytest.mark.parametrize("tie", [0, 1])
@pytest.mark.parametrize(("size", "chance"), [(30, 0.4), (4000, 0.03), (180_393, 0.000204941584)])
def test_tails_beside_each_other_have_all_digits(size, chance, tie):
    # At the last size an incomplete beta function by itself is off by 5e-13.
    mean, deviation = size * chance, math.sqrt(size * chance)
    first = max(0, int(mean - 7.0 * deviation))
    count = np.arange(first, min(size, int(mean + 7.0 * deviation)) + 1, dtype=np.float64)[:, None]
    found = expectations._at_least_each(count, size - count, chance, tie)[:, 0]
    for row in range(0, count.size, count.size // 9):
        k = int(count[row, 0])
        assert found[row] == pytest.approx(tail(size - k, k + tie, chance), abs=2e-15)


@pytest.mark.parametrize("tie", [0, 1])
def test_rare_tails_beside_each_other_have_all_digits_of_their_own(tie):
    size, chance = 180_393, 0.000204941584
    count = np.arange(0, 160, dtype=np.float64)[:, None]
    found = expectations._at_least_each(count, size - count, chance, tie)[:, 0]
    assert found[-1] < 1e-40
    with mp.workdps(40):
        q = mp.mpf(chance)
        for k in range(0, 160, 39):
            term = mp.binomial(size - k, k + tie) * q ** (k + tie) * (1 - q) ** (size - 2 * k - tie)
            whole = mp.mpf(0)
            for j in range(k + tie, k + 300):
                whole += term
                term *= (size - k - j) / mp.mpf(j + 1) * q / (1 - q)
            assert found[k] == pytest.approx(float(whole), rel=1e-13, abs=0.0)


@pytest.mark.parametrize("log_tail", [45.0, 80.0, 700.0])
def test_every_so_manieth_count_says_what_all_say_of_rare_failures(monkeypatch, log_tail):
    """Relative to themselves; of steep odds all counts are looked at, which the last two rates plant."""
    rng = np.random.default_rng(5)
    asked, looked = [], []
    for rate in (1e-4, 3e-4, 1e-3, 1.0, 30.0):
        p, q = rng.uniform(0.05, 0.4, 2)
        sizes = rng.integers(10**6, 10**7, size=3)
        few = sizes * min(p, q) - np.sqrt((log_tail - 38.0) * sizes * min(p, q))
        asked.append(((sizes, (p, q), (rate * few, np.full(3, rate))), rate))

    def odds(k, top, rate):
        looked.append(k.size)
        found = np.exp(np.clip(top - rate * k, -745.0, 460.0))
        return found / (1.0 + found)

    def every(sizes, chances, columns):
        return lesser_expectation(sizes, chances, columns, odds, log_tail=log_tail)

    quick, spent = [], []
    for at, _ in asked:
        looked.clear()
        quick.append(every(*at))
        spent.append(sum(looked))
    monkeypatch.setattr(expectations, "_strided", lambda size, *_: np.full(size.shape, np.nan))
    for (at, rate), found, before in zip(asked, quick, spent, strict=True):
        looked.clear()
        assert found == pytest.approx(every(*at), rel=1e-10, abs=math.exp(-log_tail))
        assert (found > math.exp(36.0 - log_tail)).all()
        assert before < 0.7 * sum(looked) or rate > 0.1


def test_tails_stand_still_where_counts_do():
    # As windows that pass an end of the range have them; 0 of 0 is always reached.
    count = np.clip(np.arange(-3, 16, dtype=np.float64)[:, None], 0.0, [[12.0, 7.0]])
    for tie in (0, 1):
        found = expectations._at_least_each(count, np.array([[12.0, 7.0]]) - count, 0.3, tie)
        one_by_one = expectations._at_least(count + tie, np.array([[12.0, 7.0]]) - count, 0.3)
        assert found == pytest.approx(one_by_one, abs=1e-15)


def test_settings_at_random_are_as_one_by_one(monkeypatch):
    rng = np.random.default_rng(13)
    asked = []
    for _ in range(40):
        p = 10.0 ** rng.uniform(-4.0, -0.31)
        q = p if rng.random() < 0.5 else min(10.0 ** rng.uniform(-4.0, -0.01), 1.0 - p)
        sizes = rng.integers(1, int(10.0 ** rng.uniform(0.5, 5.0)) + 1, size=(4, 1))
        asked.append((sizes, (p, q), (10.0 ** rng.uniform(-4.0, 1.0, size=(1, 3)),)))

    def odds(k, s):
        return 1.0 / (1.0 + np.exp(np.minimum(7.0 - s * k, 700.0)))

    together = [lesser_expectation(*at, odds) for at in asked]
    monkeypatch.setattr(expectations, "_at_least_each", lambda *_: None)
    for at, found in zip(asked, together, strict=True):
        # Twice what an incomplete beta function is off.
        assert found == pytest.approx(lesser_expectation(*at, odds), abs=2e-12)


@pytest.mark.parametrize("others", [1, 2, 11, 12, 13, 50, 10**4])
def test_a_small_loss_of_permute_and_flip_has_all_digits(others):
    mean = np.array([1e-9, 1e-3, 0.3, 0.49999])
    log_q = np.log(mean / (others + 1.0))
    found = expectations.missed(np.log([[others + 1.0]]), log_q)[0]
    with mp.workdps(40):
        for log_one, value in zip(log_q.tolist(), found.tolist(), strict=True):
            q = mp.exp(mp.mpf(log_one))
            exact = 1 - (1 - (1 - q) ** (others + 1)) / ((others + 1) * q)
            assert value == pytest.approx(float(exact), rel=1e-13)


# Sums of which few terms are computed.


def hinged(places):
    """Bend at 5 000; even and odd counts differ."""
    x = (places - 5000) / 300.0
    return 0.5 / (1.0 + np.exp(x)) + 0.2 * (places % 2) * np.exp(-x * x) + 0.1 * np.exp(-np.abs(x))


@pytest.mark.parametrize(
    ("told", "few"),
    [
        ({"breaks": (5000,), "stride": 2}, True),
        ({"breaks": (5000,)}, False),  # even and odd ones on one curve
        ({"stride": 2}, False),  # the bend is not told
    ],
)
def test_few_terms_do_where_the_function_is_as_smooth_as_told(told, few):
    """Elsewhere every term is computed: the sum is right in any case."""
    low, weights = binomial_window(50_000, 0.1)
    looked = []

    def rows(places):
        looked.append(places.size)
        return hinged(places)

    found = mean_by_rows(low, weights, rows, **told)
    every = low + np.arange(weights.size)
    assert found == pytest.approx(float(weights @ hinged(every)), abs=2e-13)
    assert (sum(looked) < 0.3 * weights.size) == few


@pytest.mark.parametrize(
    ("depth", "setting"),
    [
        (1, (256, 1 << 255, 0.02, 1e-6, 0.1)), (1, (64, (1 << 64) // 3, 0.02, 1e-9, 0.2)),
        (1, (12, 5, 0.004, 0.01, 0.03)), (2, (64, (1 << 64) // 3, 0.02, 1e-9, 0.2)),
    ],
)  # fmt: skip
def test_few_rows_stand_for_all_pairs_of_counts(depth, setting):
    """Also where the lines on which scores are equal cross in the middle of the window."""
    d, j, epsilon, delta, a = setting
    scale = Scale.of(d=d, epsilon=epsilon, beta=0.1, delta=delta, depth=depth)
    plain = replace(Grown.at(d, j, depth), lucky=0.0)
    looked = []

    def counted(left, right, **rest):
        looked.append(np.broadcast_shapes(left.shape, right.shape))
        return plain.chances(left, right, **rest)

    for share in (0.5, 0.66, 1.0):
        m = int(share * scale.most / a)
        looked.clear()
        found = ladders._by_rows(m, a, scale, replace(plain, chances=counted))
        rows = sum(rows for rows, _ in looked)
        pairs = [
            (w, plain.chances(x, y, scale=scale, lucky=0.0)[0]) for x, y, w in two_counts(m, a)
        ]
        assert found == pytest.approx(
            sum(float((w * chance).sum()) for w, chance in pairs), abs=1e-13
        )
        assert max(rows * columns for rows, columns in looked) <= 2 * ladders._CELLS
        assert rows < 0.5 * sum(w.shape[0] for w, _ in pairs)
