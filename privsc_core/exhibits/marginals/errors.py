"""How the errors of all answers fall with the number of rows: noise, projection, synthetic data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.marginals.distributions import BITS_MOST, pairs, symmetric
from privsc_core.concepts.marginals.laws import deviation
from privsc_core.exhibits.marginals.tables import root
from privsc_core.numerics.elliptope import nearest_correlation

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Errors", "errors", "worst_of_signs"]

_DRAWS = 24
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, slots=True, eq=False)
class Errors:
    """Root mean square errors over the number of rows, at one setting.

    Attributes
    ----------
    rows : ndarray of int64, shape (places,)
    noise, guaranteed : ndarray, shape (places,)
        The standard deviation of the noise; the bound on the projection, where it is below.
    projected, synthetic : ndarray, shape (2, places)
        Means over draws of the noise, and half widths of their 95% intervals.
    floor : float
        The error of the synthetic table with endless rows.
    draws : int
    """

    rows: NDArray[np.int64]
    noise: NDArray[np.float64]
    guaranteed: NDArray[np.float64]
    projected: NDArray[np.float64]
    synthetic: NDArray[np.float64]
    floor: float
    draws: int


def worst_of_signs() -> float:
    """Return the largest x - (2 / pi) arcsin x: where its derivative is 0."""
    at = math.sqrt(1.0 - 4.0 / math.pi**2)
    return at - 2.0 / math.pi * math.asin(at)


def errors(table: str, d: int, epsilon: float, delta: float, seed: int) -> Errors:
    """Release one of the tables of the class with the same noise, scaled to every number of rows."""
    source = catalog.distribution("marginals", table)
    source.check(d=d, alpha=0.1)
    true = source.moments(d)  # type: ignore[attr-defined] # of this class
    # From noise of 2 on, where nothing is left, to noise of 1/100.
    one = float(deviation(np.array(1), np.array(d), np.array(epsilon), delta))
    exponents = np.linspace(math.log10(max(one / 2.0, 10.0)), math.log10(max(100.0 * one, 1e4)), 15)
    rows = np.round(10.0**exponents).astype(np.int64)
    sigma = one / rows
    directions = np.random.default_rng([seed, d]).standard_normal((_DRAWS, pairs(d)))
    found = np.empty((2, len(rows), _DRAWS))
    together = 1 if d > BITS_MOST // 4 else _DRAWS
    for place in progress.steps(range(len(rows))):
        for start in progress.steps(range(0, _DRAWS, together)):
            noisy = np.stack([
                true + sigma[place] * symmetric(noise, d + 1, 0.0)
                for noise in directions[start : start + together]
            ])  # fmt: skip
            for draw, matrix in enumerate(nearest_correlation(noisy), start):
                found[0, place, draw] = root(matrix - true)
                found[1, place, draw] = root(2.0 / math.pi * np.arcsin(matrix) - true)
    half = _NORMAL_95 * found.std(axis=2, ddof=1) / math.sqrt(_DRAWS)
    projected, synthetic = (np.stack([found[k].mean(axis=1), half[k]]) for k in (0, 1))
    promised = np.sqrt(2.0 * sigma * math.sqrt(d + 1.0) / d)
    return Errors(
        rows, sigma, np.minimum(promised, sigma), projected, synthetic,
        root(2.0 / math.pi * np.arcsin(true) - true), _DRAWS,
    )  # fmt: skip
