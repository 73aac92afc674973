"""Binomial tails from the normal law and what it misses, and Gauss' rule for sums."""

import mpmath
import numpy as np
import pytest
from scipy import special, stats

from privsc_core.numerics.sums import sum_rule
from privsc_core.numerics.tails import halves, tails


@pytest.mark.parametrize(("draws", "share"), [
    (400, 0.3), (2_000, 0.05), (5_000, 0.97), (90_000, 0.016), (3_000_000, 0.45),
])  # fmt: skip
@pytest.mark.parametrize("log_tail", [31.0, 58.0])
def test_tails_are_those_of_the_incomplete_beta_function(draws, share, log_tail):
    rng = np.random.default_rng(1)
    n = rng.uniform(0.9, 1.2, 2_000) * draws
    n[::2] = np.round(n[::2])
    count = n * share + rng.uniform(-6, 6, n.size) * np.sqrt(n * share * (1 - share))
    count[::2] = np.round(count[::2])
    count = np.clip(count, 0, n - 1)
    below, above = tails(count, n, share, log_tail)
    assert below == pytest.approx(special.betaincc(count + 1, n - count, share), abs=2e-13)
    assert below + above == pytest.approx(1, abs=1e-15)
    least = np.minimum(below, above)
    truth = np.where(
        below < above,
        special.betaincc(count + 1, n - count, share),
        special.betainc(count + 1, n - count, share),
    )
    assert least == pytest.approx(truth, rel=1e-10, abs=0)
    assert (least < 1e-7).any()


def test_far_tails_are_nothing_and_few_counts_are_no_exception():
    count, n = np.array([0.0, 3.0, 60.0, 99.0, 2.0]), np.array([100.0, 100.0, 100.0, 100.0, 3.0])
    below, above = tails(count, n, 0.1, 20.0)
    assert below == pytest.approx(stats.binom.cdf(count, n, 0.1), rel=1e-9, abs=0)
    assert above[2:4].tolist() == [0.0, 0.0]


# recipe: mpmath, 40 digits
@pytest.mark.parametrize(
    ("count", "draws"), [(4_700, 9_300), (5_600, 9_300), (499_000, 10**6), (300.5, 700)]
)
def test_chances_to_twelve_digits(count, draws):
    with mpmath.workdps(40):
        truth = mpmath.binomial(draws, count) / mpmath.mpf(2) ** draws
    found = halves(np.array([float(count)]), np.array([float(draws)]))
    assert found[0] == pytest.approx(float(truth), rel=1e-12, abs=0)


@pytest.mark.parametrize("length", [1, 15, 16, 17, 40, 999, 100_000])
def test_the_rule_sums_polynomials_and_all_of_few_numbers(length):
    at, weights = sum_rule(length, 16)
    numbers = np.arange(length) / length
    for degree in (0, 1, 7, 30, 31):
        assert weights @ (at / length) ** degree == pytest.approx(
            (numbers**degree).sum(), rel=1e-12
        )
    if length > 16:
        # The next degree is too much.
        off, truth = (special.eval_chebyt(32, 2 * x / length - 1) for x in (at, np.arange(length)))
        assert abs(weights @ off / truth.sum() - 1) > 1e-4
    else:
        assert at[weights > 0].tolist() == list(range(length))
