"""The expectation over the smaller of two counts against plain sums."""

import itertools
import math

import numpy as np
import pytest

from privsc_core.numerics.lesser import lesser_expectation


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
