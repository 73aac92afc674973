"""Sums over synthetic databases: what is left out changes nothing."""

import numpy as np
import pytest

from privsc_core.concepts.release.learners.blr import log_multisets, log_odds, splits_of


def plainly(d, splits, cell):
    """Log odds by every (split, largest multiplicity of the other points), one after the other."""
    far, limit, rate, m = cell
    number = log_multisets(d, len(splits.counts), splits.size)
    sums = {True: [-np.inf], False: [-np.inf]}
    for left, gap in zip(splits.left.tolist(), far.tolist(), strict=True):
        for s in range(splits.size + 1):
            error = max(gap, s * m)
            sums[error < limit].append(number[left, s] - rate * error / splits.size)
    return np.logaddexp.reduce(sums[True]) - np.logaddexp.reduce(sums[False])


@pytest.mark.parametrize("d", [1, 3, 12, 300])
@pytest.mark.parametrize(("size", "points"), [(7, 2), (23, 1)])
def test_log_odds_equal_the_plain_sum(d, size, points):
    rng = np.random.default_rng(d)
    splits = splits_of(size, points)
    m = rng.integers(1, 10**4, 6)
    truth = rng.dirichlet(np.ones(points + 1), 6)[:, :points]
    rate = 10.0 ** rng.uniform(-3, 1, 6)
    limit = m * size * rng.uniform(0.1, 0.6, 6)
    gap = splits.furthest(lambda j: m[:, None] * (splits.counts[j] - size * truth[:, j, None]))
    bits = np.array([d, d + 1, d, d + 5, d, d + 1])
    found = log_odds(bits, splits, lambda here: gap[here], limit, rate, m)
    wanted = [
        plainly(one, splits, cell)
        for one, cell in zip(bits.tolist(), zip(gap, limit, rate, m, strict=True), strict=True)
    ]
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-11)
