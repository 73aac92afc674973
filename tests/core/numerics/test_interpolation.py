"""The polynomial through values at nodes."""

import numpy as np
import pytest
from scipy.interpolate import BarycentricInterpolator

from privsc_core.numerics.sums import interpolated


def nodes_between(low, high, count):
    turns = 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / (count - 1))
    return np.unique(np.rint(low + (high - low) * turns).astype(np.int64))


def test_a_polynomial_is_found_again():
    nodes = nodes_between(-50, 70, 9)
    known = np.polynomial.Polynomial([3.0, -2.0, 0.5, 1e-3, 1e-5, 0.0, -1e-9, 1e-11, 1e-13])
    at = np.linspace(-50.0, 70.0, 301)
    assert interpolated(nodes, known(nodes), at) == pytest.approx(known(at), rel=1e-12, abs=1e-9)


@pytest.mark.parametrize("count", [2, 5, 64])
def test_it_is_scipys_and_right_at_its_nodes(count):
    nodes = nodes_between(1_000, 9_000, count)
    values = np.log1p(np.sqrt(nodes)) * np.sin(nodes / 2_000.0)
    at = np.arange(1_000, 9_001, 7)
    curve = BarycentricInterpolator(nodes.astype(np.float64), values, rng=1)
    assert interpolated(nodes, values, at) == pytest.approx(curve(at), rel=1e-12, abs=1e-12)
    assert (interpolated(nodes, values, nodes) == values).all()
