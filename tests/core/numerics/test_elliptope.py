"""The nearest correlation matrix against statsmodels, Dykstra's method and what makes it nearest."""

import warnings

import numpy as np
import pytest
from statsmodels.stats.correlation_tools import corr_nearest
from statsmodels.tools.sm_exceptions import IterationLimitWarning

from privsc_core.numerics import elliptope
from privsc_core.numerics.elliptope import Derivative, Elliptope, nearest_correlation, where_distant

TRUTHS = {
    "identity": np.eye,
    "ones": lambda size: np.ones((size, size)),
    "chain": lambda size: 0.8 ** np.abs(np.subtract.outer(range(size), range(size))),
}


def noisy(truth, size, scale, seed=0):
    noise = np.triu(np.random.default_rng(seed).normal(size=(size, size)) * scale, 1)
    return TRUTHS[truth](size) + noise + noise.T


def dykstra(matrix, rounds):
    """Project in turn on the cone and on the ones, with Dykstra's correction."""
    found, owed = matrix.copy(), np.zeros_like(matrix)
    for _ in range(rounds):
        values, vectors = np.linalg.eigh(found - owed)
        inside = (vectors * np.maximum(values, 0)) @ vectors.T
        owed = inside - (found - owed)
        found = inside.copy()
        np.fill_diagonal(found, 1.0)
    return found


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize(("size", "scale"), [(2, 3.0), (3, 0.5), (9, 0.05), (17, 0.5)])
def test_it_is_what_statsmodels_finds(truth, size, scale):
    matrix = noisy(truth, size, scale)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IterationLimitWarning)
        wanted = corr_nearest(matrix, threshold=0, n_fact=100)
    assert np.abs(nearest_correlation(matrix) - wanted).max() < 1e-9


@pytest.mark.parametrize("truth", TRUTHS)
def test_it_is_what_dykstra_finds(truth):
    matrix = noisy(truth, 4, 1.0, seed=3)
    assert np.abs(nearest_correlation(matrix) - dykstra(matrix, 3000)).max() < 1e-9


@pytest.mark.parametrize("truth", TRUTHS)
@pytest.mark.parametrize("scale", [0.03, 0.5, 20.0])
def test_it_is_a_correlation_matrix_and_no_other_is_nearer(truth, scale):
    matrix = noisy(truth, 65, scale)
    found = nearest_correlation(matrix)
    assert (np.diag(found) == 1).all()
    assert (found == found.T).all()
    assert np.linalg.eigvalsh(found)[0] > -1e-12
    # Nearest iff found - matrix is a diagonal plus what is positive semidefinite and orthogonal to it.
    multiplier = found - matrix
    shift = ((matrix - found) @ found).diagonal()
    slack = multiplier + np.diag(shift)
    assert np.linalg.eigvalsh(slack)[0] > -1e-8 * scale
    assert np.abs(slack @ found).max() < 1e-8 * scale


def test_cutting_and_scaling_is_noticed():
    matrix = noisy("chain", 17, 0.5)
    values, vectors = np.linalg.eigh(matrix)
    cut = (vectors * np.maximum(values, 0)) @ vectors.T
    root = np.sqrt(np.diag(cut))
    planted = cut / np.outer(root, root)
    assert np.abs(planted - nearest_correlation(matrix)).max() > 1e-3
    assert np.abs(planted - dykstra(matrix, 3000)).max() > 1e-3


@pytest.mark.parametrize("size", [1, 2, 5])
def test_a_correlation_matrix_stays(size):
    for truth in TRUTHS.values():
        matrix = truth(size)
        assert np.abs(nearest_correlation(matrix) - matrix).max() < 1e-12


def test_the_least_pair_of_cells():
    # All answers -1: the nearest matrix has -1/2 off its diagonal, and cells of -1/8.
    found = nearest_correlation(np.full((3, 3), -1.0))
    assert found[0, 1] == pytest.approx(-0.5, abs=1e-12)


def test_along_lines_ends_are_the_same_and_take_fewer_decompositions(monkeypatch):
    sizes = [0.1, 0.3, 0.2, 0.19, 0.195, 0.195, 30.0]
    ways = np.stack([noisy("chain", 33, 1.0, seed) - TRUTHS["chain"](33) for seed in range(3)])
    points = [TRUTHS["chain"](33) + size * ways for size in sizes]
    taken = []
    true = elliptope._dual
    monkeypatch.setattr(elliptope, "_dual", lambda *at: taken.append(len(at[0])) or true(*at))
    wanted = [nearest_correlation(point) for point in points]
    alone = sum(taken)
    taken.clear()
    lines = Elliptope(3)
    for size, point, ends in zip(sizes, points, wanted, strict=True):
        found = lines(point, np.arange(3), np.full(3, size))
        assert np.abs(found - ends).max() < 1e-9
    assert sum(taken) < 0.75 * alone


def distant(truth, size, distance, count=12):
    """Return sizes, and how far off the nearest matrices there are."""
    center, entries = TRUTHS[truth](size), np.triu_indices(size, 1)
    ways = np.stack([noisy(truth, size, 1.0, seed) - center for seed in range(count)])
    begin = 2.0 * distance
    shifts = 1.0 - np.diag(center + begin * ways[0])
    sizes, _ = where_distant(center, ways, distance, 1e3, begin, shifts)
    known = np.nan_to_num(sizes, nan=begin)
    there = nearest_correlation(center + known[:, None, None] * ways)
    gaps = (there - center)[:, entries[0], entries[1]]
    return sizes, np.sqrt((gaps**2).mean(axis=1))


@pytest.mark.parametrize("truth", ["identity", "chain"])
@pytest.mark.parametrize(("size", "distance"), [(9, 0.2), (17, 0.1), (40, 0.3)])
def test_projections_are_as_far_as_asked(truth, size, distance):
    sizes, distances = distant(truth, size, distance)
    assert np.isfinite(sizes).all()
    assert np.allclose(distances, distance, rtol=1e-3)


# Planted: the derivative by the size is left out: what settles in so few steps takes many more.
def test_it_settles_soon_by_its_derivatives(monkeypatch):
    monkeypatch.setattr(elliptope, "_LINE_STEPS_MOST", 3)
    sizes, _ = distant("identity", 17, 0.1)
    assert np.isfinite(sizes).all()
    monkeypatch.setattr(Derivative, "product", lambda _, rows, __: np.zeros(len(rows)))
    sizes, _ = distant("identity", 17, 0.1)
    assert np.isfinite(sizes).mean() <= 0.5
