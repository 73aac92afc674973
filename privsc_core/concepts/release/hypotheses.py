"""What a data-release mechanism outputs: estimates of all point fractions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import count, islice
from typing import TYPE_CHECKING

from privsc_core.concepts.hypotheses import Hypothesis
from privsc_core.errors import InputError
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["RECORD_KEYS", "Release"]

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
        """Tell whether every fraction is less than alpha away from the truth."""
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
