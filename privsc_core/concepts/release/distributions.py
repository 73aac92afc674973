"""Databases for the data release of POINT_d.

Unlike the distributions of a learning problem they are not drawn: a mechanism gets the very
database, and only its own coins are random. A database is a `Sample` whose labels are all 1
and mean nothing.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Distribution, Source
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import ceiling, decimal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray


# --- Whole numbers of entries, exact for an alpha that was typed as a decimal --------------------


# Largest products that 64 bits hold; and how many cells are faster one by one.
_WHOLE = 1 << 62
_FEW = 8


@lru_cache(maxsize=4096)
def _share(factor: int, alpha: float) -> tuple[int, int]:
    return (factor * decimal(alpha)).as_integer_ratio()


def entries_scalar(factor: int, alpha: float, m: int) -> int:
    """Return ceil(factor * alpha * m): a whole count is at least that iff it is >= the product."""
    return ceiling(factor * decimal(alpha) * m)


def entries(factor: int, alpha: float, m: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ceil(factor * alpha * m) elementwise."""
    top, bottom = _share(factor, alpha)
    if m.size > _FEW and bottom < _WHOLE and top * int(m.max()) < _WHOLE:
        return np.asarray(-(-top * m // bottom))
    # In Python's whole numbers: numerator times m may pass 64 bits.
    rows = [-(-top * one // bottom) for one in m.ravel().tolist()]
    return np.array(rows, dtype=np.int64).reshape(m.shape)


def least_m(factor: int, alpha: float, count: int) -> int:
    """Return the least m >= 1 with ceil(factor * alpha * m) >= count."""
    exact = factor * decimal(alpha)
    # ceil(y) >= count iff y > count - 1.
    return max(1, (count - 1) * exact.denominator // exact.numerator + 1)


def spare(alpha: float, m: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return floor((1 - 4 alpha) m), which never falls for alpha <= 1/4.

    On `hard` the rest has m - ceil(3 alpha m) entries. That is ceil(alpha m) + spare, or one less:
    two numbers rounded up add up to their sum rounded up, or to one more.
    """
    return np.asarray(m - entries(4, alpha, m))


# --- What a data-release mechanism outputs: estimates of all point fractions ---------------------


RECORD_KEYS = ("counts", "more", "total")
_SHOWN_BITS = 64
_COUNTS_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Release(Hypothesis):
    """Released counts of the points of [2^d], as few as are not zero.

    Attributes
    ----------
    d : int
        Bits of a point.
    size : int
        The (public) number m of entries of the database it speaks about.
    values : mapping of int to float or int
        Released counts, never negative, in increasing order of the points: the order must
        not tell which of them are in the database. Every other point is released as 0.
    total : int
        What the counts are fractions of: `size` for noisy counts, the number of entries of a
        synthetic database.
    """

    d: int
    size: int
    values: Mapping[int, float]
    total: int

    @classmethod
    def of(
        cls, d: int, size: int, values: Mapping[int, float], total: int | None = None
    ) -> Release:
        """Build a release with the points in order and without zeros."""
        ordered = {point: values[point] for point in sorted(values) if values[point]}
        return cls(d, size, ordered, size if total is None else total)

    def fraction(self, point: int) -> float:
        """Return the released fraction of entries that equal `point`."""
        return self.values.get(point, 0) / self.total

    def predict(self, point: int) -> int:
        """Return 1 where the released count is positive."""
        return int(self.values.get(point, 0) > 0)

    @property
    def weight(self) -> int:
        """How many points have a positive released count."""
        return sum(value > 0 for value in self.values.values())

    @property
    def description(self) -> str:
        """One line that says what was released."""
        if not self.values:
            return f"every one of the 2^{self.d} points released as 0"
        top = max(self.values, key=lambda point: self.values[point])
        name = f"{top}" if top.bit_length() <= _SHOWN_BITS else f"of {top.bit_length()} bits"
        number = len(self.values)
        return (
            f"{number} of the 2^{self.d} points with a count that is not 0; the largest is "
            f"{self.fraction(top):.4g} of all entries, at point {name}"
        )

    @property
    def parameters(self) -> dict[str, str]:
        """The counts and what they are fractions of, as exact texts."""
        counts = ", ".join(f"{point:#x}: {value!r}" for point, value in self.values.items())
        return {"counts": counts, "total": str(self.total)}

    def record(self) -> dict[str, object]:
        """Return the largest released counts by exact point, ties by the point; how many more."""
        order = sorted(self.values, key=lambda p: (-self.values[p], p))
        shown = {str(point): self.values[point] for point in order[:_COUNTS_SHOWN]}
        return {"counts": shown, "more": len(order) - len(shown), "total": self.total}

    def answer(self, point: int) -> float:
        """Return the released fraction of entries that equal `point`."""
        return self.fraction(point)

    def error(self, truth: Mapping[int, int]) -> Fraction:
        """Return the largest |released fraction - true fraction| over all points, exactly.

        Parameters
        ----------
        truth : mapping of int to int
            The true counts; they add up to `size`.
        """
        points = self.values.keys() | truth.keys()
        scale = self.size * self.total
        gaps = (
            abs(Fraction(self.values.get(j, 0)) * self.size - truth.get(j, 0) * self.total)
            for j in points
        )
        return max(gaps, default=Fraction(0)) / scale

    def useful(self, truth: Mapping[int, int], alpha: float) -> bool:
        """Return whether every fraction is less than alpha away from the truth."""
        limit = decimal(alpha) * self.size * self.total
        return all(
            abs(self.values.get(j, 0) * self.size - truth.get(j, 0) * self.total) < limit
            for j in self.values.keys() | truth.keys()
        )

    def synthetic(self, entries: int | None = None) -> Release:
        """Return a synthetic database near the released fractions.

        First the vector of non-negative fractions with sum 1 whose largest deviation from the
        released ones is least: all of them lowered by the same amount and cut at 0, or raised
        by the same amount. Then whole counts by largest remainders, ties to the lowest point.
        It sees only the release, so privacy is kept. If every released fraction is less than
        alpha / 2 off, the nearest vector is less than alpha off (the truth was a candidate),
        and rounding adds less than 1 / entries.

        Parameters
        ----------
        entries : int, optional
            Entries of the synthetic database; as many as the database had by default.
        """
        n = self.size if entries is None else entries
        if n < 1:
            raise InputError("entries", "must be at least 1", n)
        fractions = {point: value / self.total for point, value in self.values.items()}
        shift = _shift(list(fractions.values()), self.d)
        shares = {point: n * max(f + shift, 0.0) for point, f in fractions.items()}
        counts: dict[int, int] = {point: math.floor(share) for point, share in shares.items()}
        # Where an unlisted point gets a whole entry there are at most n points in all.
        rest = n * max(shift, 0.0)
        if rest >= 1.0:
            everyone = range(1, (1 << self.d) + 1)
            counts |= {point: math.floor(rest) for point in everyone if point not in shares}
        left = n - sum(counts.values())
        order = sorted(
            [(counts[point] - share, point) for point, share in shares.items()]
            + [(math.floor(rest) - rest, point) for point in islice(self._unlisted(), left)]
        )
        for _, point in order[:left]:
            counts[point] = counts.get(point, 0) + 1
        return Release.of(self.d, self.size, counts, n)

    def _unlisted(self) -> Iterator[int]:
        """Yield the points without a released count, in order."""
        last = 1 << self.d
        for point in count(1):
            if point > last:
                return
            if point not in self.values:
                yield point


def _shift(fractions: list[float], d: int) -> float:
    """Return what to add to every fraction, before cutting at 0, for a sum of 1."""
    missing = 1.0 - math.fsum(fractions)
    if missing >= 0.0:
        return math.ldexp(missing, -d)
    # The points that stay positive are the largest ones; all others end at 0.
    ordered = sorted(fractions, reverse=True)
    total, shift = 0.0, 0.0
    for number, fraction in enumerate(ordered, start=1):
        total += fraction
        if fraction + (1.0 - total) / number <= 0.0:
            break
        shift = (1.0 - total) / number
    return shift


@dataclass(frozen=True)
class ReleaseDatabase(Distribution):
    """A database for every m, d and alpha."""

    few_points = True

    @abstractmethod
    def points(self, d: int) -> tuple[int, ...]:
        """Return the points that may occur."""

    @abstractmethod
    def heights(self, m: NDArray[np.int64], alpha: float) -> tuple[NDArray[np.int64], ...]:
        """Return how often each of `points` occurs, for every m."""

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which the database does not exist."""

    def counts(self, *, m: int, d: int, alpha: float) -> dict[int, int]:
        """Return the true counts, without zeros."""
        heights = (int(h) for h in self.heights(np.array(m), alpha))
        return {p: h for p, h in zip(self.points(d), heights, strict=True) if h}

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return the database: nothing about it is random."""
        counts = self.counts(m=m, d=d, alpha=alpha)
        index = np.repeat(np.arange(len(counts)), list(counts.values()))
        return Sample(d, tuple(counts), index, np.ones(m, dtype=np.uint8))

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction:
        """Return the largest deviation of a released fraction."""
        return _release(hypothesis).error(self.counts(m=m, d=d, alpha=alpha))

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Return whether every released fraction is less than alpha off."""
        if hypothesis is FAILURE:
            return False
        found = _release(hypothesis)
        return found.useful(self.counts(m=found.size, d=d, alpha=alpha), alpha)


def _release(hypothesis: Hypothesis) -> Release:
    if not isinstance(hypothesis, Release):
        msg = f"only a release has fractions to compare, not a {type(hypothesis).__name__}"
        raise TypeError(msg)
    return hypothesis


@dataclass(frozen=True)
class Single(ReleaseDatabase):
    """m equal entries."""

    name = "single"
    title = "Single: m equal entries"
    source = Source("ours", "the database D_1 of BBKN13, Theorem 7.2")
    meaning = "All m entries are the same point: one count is m, the other T-1 are 0."

    def points(self, d: int) -> tuple[int, ...]:
        """Return the points that may occur."""
        return (1 << d,)

    def heights(self, m: NDArray[np.int64], alpha: float) -> tuple[NDArray[np.int64], ...]:
        """Return how often each of `points` occurs, for every m."""
        return (m,)


@dataclass(frozen=True)
class Hard(ReleaseDatabase):
    """ceil(3 alpha m) entries i, the rest 1."""

    name = "hard"
    title = "Hard: a rare value"
    source = Source("BBKN13", "proof of Theorem 7.2")
    brief = "⌈3αm⌉ entries are one point, the rest another"
    meaning = (
        "⌈3αm⌉ entries are one point, and the rest are point 1. Changing only these entries gives the database of "
        "any other point, whose release must be different. Needs 3α ≤ 1."
    )

    def points(self, d: int) -> tuple[int, ...]:
        """Return the points that may occur."""
        return (1 << d, 1)

    def heights(self, m: NDArray[np.int64], alpha: float) -> tuple[NDArray[np.int64], ...]:
        """Return how often each of `points` occurs, for every m."""
        self.check(d=1, alpha=alpha)
        rare = entries(3, alpha, m)
        return rare, m - rare

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha above 1/3."""
        if 3 * decimal(alpha) > 1:
            raise InputError("alpha", "must be at most 1/3 for hard", alpha)
