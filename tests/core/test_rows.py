"""Sums of which few terms are computed."""

import numpy as np
import pytest

from privsc_core.numerics.binomial_windows import binomial_window
from privsc_core.numerics.rows import mean_by_rows


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
