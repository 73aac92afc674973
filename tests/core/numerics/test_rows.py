"""Sums of which few terms are computed."""

import numpy as np
import pytest

from privsc_core.concepts.interval import cascade
from privsc_core.concepts.interval.cascade import hard_chances
from privsc_core.concepts.interval.ladder import Scale, groups
from privsc_core.numerics.binomial import binomial_window
from privsc_core.numerics.sums import mean_by_rows
from privsc_core.numerics.trinomial import two_counts


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
    "setting",
    [(256, 1 << 255, 0.02, 1e-6, 0.1), (64, (1 << 64) // 3, 0.02, 1e-9, 0.2), (12, 5, 0.004, 0.01, 0.03)],
)  # fmt: skip
def test_few_rows_stand_for_all_pairs_of_counts(monkeypatch, setting):
    """Also where the lines on which scores are equal cross in the middle of the window."""
    d, j, epsilon, delta, a = setting
    scale, tree = Scale.of(d=d, epsilon=epsilon, beta=0.1, delta=delta), groups(d, j)
    looked = []

    def counted(left, right, *rest):
        looked.append(np.broadcast_shapes(left.shape, right.shape))
        return hard_chances(left, right, *rest)

    monkeypatch.setattr(cascade, "hard_chances", counted)
    for share in (0.5, 0.66, 1.0):
        m = int(share * scale.most / a)
        looked.clear()
        found = cascade._by_rows(m, a, scale, tree, 0.0)
        rows = sum(rows for rows, _ in looked)
        pairs = [(w, hard_chances(x, y, scale, tree, 0.0)[0]) for x, y, w in two_counts(m, a)]
        assert found == pytest.approx(
            sum(float((w * chance).sum()) for w, chance in pairs), abs=1e-13
        )
        assert max(rows * columns for rows, columns in looked) <= 2 * cascade._CELLS
        assert rows < 0.5 * sum(w.shape[0] for w, _ in pairs)
