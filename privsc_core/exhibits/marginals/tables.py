"""A table of attributes as its second moments, and what is released of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privsc_core import catalog, progress
from privsc_core.concepts.marginals.distributions import BITS_MOST, answers, pairs, symmetric
from privsc_core.concepts.marginals.laws import deviation
from privsc_core.errors import InputError
from privsc_core.numerics.elliptope import nearest_correlation
from privsc_core.progress import stage
from privsc_core.tables import counted, counting, rows_of, titled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from privsc_core.tables import Table


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A table, as far as its marginals tell.

    Attributes
    ----------
    names : tuple of str
        Of the attributes.
    rows : int
        The (public) number m of people.
    moments : ndarray, shape (d + 1, d + 1)
        The true answers, with a constant sign in front.
    """

    names: tuple[str, ...]
    rows: int
    moments: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Released:
    """One release.

    Attributes
    ----------
    survey : Survey
    noisy, projected, synthetic : ndarray, shape (d + 1, d + 1)
        The answers with noise; the nearest that are possible; those of a table made up of signs of
        Gaussian vectors with these correlations.
    epsilon, delta, sigma : float
        The privacy, and the standard deviation of the noise.
    seed : int
    """

    survey: Survey
    noisy: NDArray[np.float64]
    projected: NDArray[np.float64]
    synthetic: NDArray[np.float64]
    epsilon: float
    delta: float
    sigma: float
    seed: int

    def error(self, matrix: NDArray[np.float64]) -> float:
        """Return the root mean square error of a matrix."""
        return root(matrix - self.survey.moments)

    def worst(self, matrix: NDArray[np.float64]) -> float:
        """Return the largest error of a matrix."""
        return float(np.abs(answers(matrix - self.survey.moments)).max())

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return pairs(len(self.survey.names))

    @property
    def impossible(self) -> int:
        """How many cells of the noisy tables of two attributes are negative."""
        return _negative(self.noisy)

    @property
    def still(self) -> int:
        """How many are after the projection, which is larger than what tables allow."""
        return _negative(self.projected)


def root(gap: NDArray[np.float64]) -> float:
    """Return the root mean square of the answers of a matrix."""
    return float(np.sqrt((answers(gap) ** 2).mean()))


def _negative(matrix: NDArray[np.float64]) -> int:
    """Return how many cells (1 + a X_0j + b X_0k + a b X_jk) / 4 of pairs j < k are below 0."""
    means, size = matrix[0, 1:], len(matrix) - 1
    upper = np.triu_indices(size, 1)
    products = matrix[1:, 1:][upper]
    first, second = means[upper[0]], means[upper[1]]
    return sum(
        int((1.0 + a * first + b * second + a * b * products < -1e-12).sum())
        for a in (-1, 1)
        for b in (-1, 1)
    )


def population(name: str, d: int, rows: int) -> Survey:
    """Return one of the tables of the class."""
    table = catalog.distribution("marginals", name)
    table.check(d=d, alpha=0.1)
    names = tuple(f"attribute {j}" for j in range(1, d + 1))
    return Survey(names, rows, table.moments(d))  # type: ignore[attr-defined] # of this class


def attributes(columns: Sequence[tuple[str, Sequence[str]]], what: str) -> tuple[str, ...]:
    """Return what the columns of a table become: one attribute a value, one if it is 0 or 1.

    Parameters
    ----------
    columns : sequence of (str, sequence of str)
        Names, and the distinct values of each.
    what : str
        What the table is called in a refusal.

    Raises
    ------
    InputError
        Where there are more than fit.
    """
    names = tuple(
        name if _binary(values) else f"{name} = {value}"
        for name, values in columns
        for value in (("1",) if _binary(values) else values)
    )
    if len(names) > BITS_MOST:
        needs = (
            f"must make at most {BITS_MOST} attributes, one for each value of a column that is not "
            "0/1"
        )
        raise InputError(what, needs, f"{len(names):,}")
    return names


def _binary(values: Sequence[str]) -> bool:
    return set(values) <= {"0", "1"}


def surveyed(data: bytes, file: str) -> tuple[Survey, Table]:
    """Read a file twice: first its columns, then its rows, and keep sums of these.

    Raises
    ------
    InputError
        For what cannot be read, in one sentence; and as `tabled`.
    """
    with stage(0.0, 0.4):
        table = counted(data, file)
    what = titled(file)
    if not table.header and counting([column.name for column in table.named], 0):
        needs = "must have names such as a,b above its rows: pandas names columns 0,1,..."
        raise InputError(what, needs, "a first row that counts its columns")
    for column in table.columns:
        column.check()
    columns = tuple((column.name, column.labels) for column in table.columns)
    with stage(0.4, 1.0):
        return tabled(columns, rows_of(data, table), what), table


def tabled(
    columns: Sequence[tuple[str, Sequence[str]]],
    parts: Iterable[Sequence[Sequence[str]]],
    what: str,
) -> Survey:
    """Return the moments of a table, read part by part; rows without a value are left out.

    Parameters
    ----------
    columns : sequence of (str, sequence of str)
        Names, and the distinct values of each.
    parts : iterable of sequence of rows
        A row has a value a column, which is one of its distinct values or missing.
    what : str
        What the table is called in a refusal.

    Raises
    ------
    InputError
        As `attributes`; and where no row has all its values.
    """
    names = attributes(columns, what)
    places: list[dict[str, int]] = []
    first = 0
    for _, values in columns:
        if _binary(values):
            places.append({"0": -1, "1": first})
            first += 1
        else:
            places.append({value: first + k for k, value in enumerate(values)})
            first += len(values)
    total, number = np.zeros((len(names) + 1, len(names) + 1)), 0
    for part in parts:
        signs = np.full((len(part), len(names) + 1), -1.0)
        signs[:, 0] = 1.0
        whole = np.ones(len(part), dtype=np.bool_)
        for row, values in enumerate(part):
            for place, value in zip(places, values, strict=True):
                at = place.get(value)
                if at is None:
                    whole[row] = False
                elif at >= 0:
                    signs[row, at + 1] = 1.0
        signs = signs[whole]
        total += signs.T @ signs
        number += len(signs)
    if not number:
        raise InputError(what, "must have at least one row with a value in every column", "none")
    return Survey(names, number, total / number)


def released(survey: Survey, epsilon: float, delta: float, seed: int) -> Released:
    """Release a table once: with Gaussian noise, and the nearest answers that are possible."""
    d = len(survey.names)
    sigma = float(deviation(np.array(survey.rows), np.array(d), np.array(epsilon), delta))
    noise = np.random.default_rng([seed, d]).standard_normal(pairs(d))
    noisy = symmetric(answers(survey.moments) + sigma * noise, d + 1, 1.0)
    projected = nearest_correlation(noisy)
    synthetic = 2.0 / math.pi * np.arcsin(projected)
    return Released(survey, noisy, projected, synthetic, epsilon, delta, sigma, seed)


# -------------------------------------------------------------------------------------------------
# How the errors of all answers fall with the number of rows: noise, projection, synthetic data.


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
