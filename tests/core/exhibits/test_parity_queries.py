"""Statistical queries for parities: Parseval's count by enumeration, and a learner that attains it."""

from fractions import Fraction

import numpy as np
import pytest

from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits.parity import (
    least_queries,
    queries_against_examples,
    query_limit,
)


def signs(d):
    """(-1)^<r, x>, a row for every r."""
    bits = (np.arange(2**d)[:, None] >> np.arange(d)) & 1
    return 1 - 2 * (bits @ bits.T % 2)


def asked(answers, d, tolerance):
    """Best success against the oracle that answers as if labels were coins, if that is allowed.

    `answers[q, y, x]` are the queries; exact up to rounding. A target that moves one is found.
    """
    free = answers[:, 1].mean(axis=1) / 2 + answers[:, 0].mean(axis=1) / 2
    tilt = (answers[:, 0] - answers[:, 1]) / 2 @ signs(d).T / 2**d
    means = free[:, None] + tilt
    found = (np.abs(means - free[:, None]) > tolerance).any(axis=0)
    return (found.sum() + (not found.all())) / 2**d


# recipe: Parseval's count, 4 tau^2 (2^d s - 1), rounded up
@pytest.mark.parametrize(("d", "tolerance", "wanted"), [
    (16, 0.05, 328), (32, 0.05, 21_474_837), (64, 0.001, 36_893_488_147_420),
])  # fmt: skip
def test_reference_numbers(d, tolerance, wanted):
    assert least_queries(d, tolerance, 0.5) == wanted
    assert (
        query_limit(wanted, d, tolerance) >= Fraction(1, 2) > query_limit(wanted - 1, d, tolerance)
    )


@pytest.mark.parametrize("tolerance", [0.05, 0.1, 0.2, 0.4])
def test_no_queries_do_better(tolerance):
    rng, d = np.random.default_rng(3), 4
    for many in (1, 2, 5):
        for _ in range(50):
            random = rng.random((many, 2, 2**d))
            # What correlates with as many targets as it can: the label's sign of a sum of parities.
            mixed = rng.choice([-1, 1], (many, 2**d)) * (rng.random((many, 2**d)) < 0.4) @ signs(d)
            tuned = np.stack([mixed > 0, mixed <= 0], axis=1).astype(float)
            for answers in (random, tuned):
                assert asked(answers, d, tolerance) <= query_limit(many, d, tolerance)


def test_the_limit_is_reached_and_half_of_it_is_refuted():
    """Ask for one parity after the other: just under tolerance 1/2 nothing is better."""
    d, tolerance = 4, 0.4999
    for many in range(1, 2**d - 1):
        answers = np.stack([signs(d)[:many] > 0, signs(d)[:many] < 0], axis=1).astype(float)
        best, limit = asked(answers, d, tolerance), float(query_limit(many, d, tolerance))
        assert best == (many + 1) / 2**d
        assert best <= limit == pytest.approx(best, rel=1e-3)
        # The fault: labels that may correlate with a query by 1/4 only.
        assert best > float(query_limit(many, d, tolerance * 2**0.5)) + (0.01 if many > 1 else 0)


def test_the_picture_has_both_and_refuses_what_says_nothing():
    at = Scenario("parity", ("elimination",), "uniform", d=16, epsilon=0.5, alpha=0.1, beta=0.1)
    picture = queries_against_examples(at, 0.05)
    row = picture.table["d"].index(16)
    assert picture.table["m"][row] == 204
    assert picture.table["queries"][row] == least_queries(16, 0.05, 0.9) == 590
    assert "fewer than 590 statistical queries" in picture.summary
    with pytest.raises(InputError, match="alpha must be less than 1/4"):
        queries_against_examples(Scenario("parity", (), "uniform", alpha=0.25), 0.05)
