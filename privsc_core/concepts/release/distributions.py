"""Databases for the data release of POINT_d.

Unlike the distributions of a learning problem they are not drawn: a mechanism gets the very
database, and only its own coins are random. A database is a `Sample` whose labels are all 1
and mean nothing.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Distribution, Source
from privsc_core.concepts.hypotheses import FAILURE
from privsc_core.concepts.release.entries import entries
from privsc_core.concepts.release.hypotheses import Release
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.hypotheses import Hypothesis

__all__ = ["Hard", "ReleaseDatabase", "Single"]


@dataclass(frozen=True)
class ReleaseDatabase(Distribution):
    """A database for every m, d and alpha."""

    few_points: ClassVar[bool] = True

    @abstractmethod
    def points(self, d: int) -> tuple[int, ...]:
        """Return the points that may occur."""

    @abstractmethod
    def heights(self, m: NDArray[np.int64], alpha: float) -> tuple[NDArray[np.int64], ...]:
        """Return how often each of `points` occurs, for every m."""

    def check(self, *, d: int, alpha: float) -> None:
        """Refuse an alpha at which the database does not exist."""
        del d, alpha

    def counts(self, *, m: int, d: int, alpha: float) -> dict[int, int]:
        """Return the true counts, without zeros."""
        heights = (int(h) for h in self.heights(np.array(m), alpha))
        return {p: h for p, h in zip(self.points(d), heights, strict=True) if h}

    def draw(self, *, m: int, d: int, alpha: float, rng: np.random.Generator) -> Sample:
        """Return the database: nothing about it is random."""
        del rng
        counts = self.counts(m=m, d=d, alpha=alpha)
        index = np.repeat(np.arange(len(counts)), list(counts.values()))
        return Sample(d, tuple(counts), index, np.ones(m, dtype=np.uint8))

    def _error(self, hypothesis: Hypothesis, *, m: int, d: int, alpha: float) -> Fraction:
        """Return the largest deviation of a released fraction."""
        return _release(hypothesis).error(self.counts(m=m, d=d, alpha=alpha))

    def succeeds(self, hypothesis: Hypothesis, *, d: int, alpha: float) -> bool:
        """Tell whether every released fraction is less than alpha off."""
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

    name: ClassVar[str] = "single"
    title: ClassVar[str] = "Single: m equal entries"
    source: ClassVar[Source] = Source("ours", "the database D_1 of BBKN13, Theorem 7.2")
    meaning: ClassVar[str] = (
        "All m entries are the same point: one count is m, the other T-1 are 0."
    )

    def points(self, d: int) -> tuple[int, ...]:
        """Return the points that may occur."""
        return (1 << d,)

    def heights(self, m: NDArray[np.int64], alpha: float) -> tuple[NDArray[np.int64], ...]:
        """Return how often each of `points` occurs, for every m."""
        del alpha
        return (m,)


@dataclass(frozen=True)
class Hard(ReleaseDatabase):
    """ceil(3 alpha m) entries i, the rest 1."""

    name: ClassVar[str] = "hard"
    title: ClassVar[str] = "Hard: a rare value"
    source: ClassVar[Source] = Source("BBKN13", "proof of Theorem 7.2")
    brief: ClassVar[str] = "⌈3αm⌉ entries are one point, the rest another"
    meaning: ClassVar[str] = (
        "⌈3αm⌉ entries are one point, the rest is point 1: changing only those entries leads "
        "to the database of any other point, whose release must be different. Needs 3α ≤ 1."
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
        del d
        if 3 * decimal(alpha) > 1:
            raise InputError("alpha", "must be at most 1/3 for hard", alpha)
