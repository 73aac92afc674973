"""A labelled sample, compact enough for domains of 2^(10^6) points; and many small ones, one a row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.errors import InputError
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from privsc_core.concepts.shared.noise_source import Uniform

# A point and its label share one int64 in a batch.
BITS_MOST = 62


@dataclass(frozen=True, eq=False, slots=True)
class Sample:
    """m labelled examples over the domain [2^d].

    Points are whole numbers from 1 to 2^d (their d bits are those of x - 1), kept once each
    as Python integers; the examples refer to them by position. A sample need not agree with
    any concept: privacy must hold for every sample.

    Attributes
    ----------
    d : int
        Bits of a point.
    points : tuple of int
        The distinct points, each in [1, 2^d].
    index : ndarray of intp, shape (m,)
        For each example the position of its point.
    labels : ndarray of uint8, shape (m,)
        0 or 1.
    """

    d: int
    points: tuple[int, ...]
    index: NDArray[np.intp]
    labels: NDArray[np.uint8]

    @classmethod
    def of(cls, d: int, x: Sequence[int], y: Sequence[int]) -> Sample:
        """Build a sample from points and labels as a user has them.

        Raises
        ------
        InputError
            When the lengths differ or are zero, a point is outside the domain, or a label is
            neither 0 nor 1.
        """
        if len(x) != len(y):
            raise InputError("y", f"must have as many entries as x ({len(x)})", len(y))
        if not len(x):
            raise InputError("x", "must have at least one example", "none")
        position: dict[int, int] = {}
        index = np.empty(len(x), dtype=np.intp)
        for row, point in enumerate(x):
            try:
                whole = int(point)
            except (TypeError, ValueError, OverflowError):
                whole = 0
            if whole != point or whole < 1 or whole.bit_length() > d + 1 or whole > 1 << d:
                raise InputError("x", f"must be a whole number from 1 to 2^{d}", point)
            index[row] = position.setdefault(whole, len(position))
        for label in y:
            if label not in (0, 1):
                raise InputError("y", "must be 0 or 1", label)
        return cls(d, tuple(position), index, np.asarray(y, dtype=np.uint8))

    @property
    def size(self) -> int:
        """The number m of examples."""
        return len(self.index)

    @property
    def domain_size(self) -> int:
        """The number T = 2^d of domain points."""
        return 1 << self.d

    def tallies(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (positives, negatives) per distinct point."""
        positive = np.bincount(self.index, weights=self.labels, minlength=len(self.points))
        total = np.bincount(self.index, minlength=len(self.points))
        positives = positive.astype(np.int64)
        return positives, total.astype(np.int64) - positives

    def parts(self, unlabelled: int) -> tuple[Sample, Sample]:
        """Return the labelled examples, and so many last ones, whose labels are not to be read.

        Where there are fewer, all are unlabelled.
        """
        labelled = max(0, self.size - unlabelled)
        return self.subset(slice(labelled)), self.subset(slice(labelled, None))

    def subset(self, chosen: NDArray[np.intp] | NDArray[np.bool_] | slice) -> Sample:
        """Return the sample of the chosen examples (it may be empty)."""
        index = self.index[chosen]
        kept, renamed = np.unique(index, return_inverse=True)
        points = tuple(self.points[i] for i in kept.tolist())
        return Sample(self.d, points, renamed.astype(np.intp), self.labels[chosen])


def uniform_below(rng: Uniform, count: int) -> int:
    """Return a uniformly random whole number from 0 to count - 1, however large."""
    if count <= 1 << 62:
        return int(rng.integers(count))
    bits = (count - 1).bit_length()
    while True:
        value = int.from_bytes(rng.bytes((bits + 7) // 8), "big") >> (-bits % 8)
        if value < count:
            return value


def uniform_point(rng: Uniform, d: int, excluded: frozenset[int]) -> int:
    """Return a uniformly random point of [2^d] outside `excluded` (which must not be all)."""
    if len(excluded) * 2 > 1 << d:
        free = [x for x in range(1, (1 << d) + 1) if x not in excluded]
        return free[int(rng.integers(len(free)))]
    while True:
        point = 1 + (int.from_bytes(rng.bytes((d + 7) // 8), "big") >> (-d % 8))
        if point not in excluded:
            return point


def checked_rows(
    x: ArrayLike, y: ArrayLike | None, d: int
) -> tuple[NDArray[Any], NDArray[np.uint8], int]:
    """Return points, labels (without any: 1) and d as arrays and an integer, or refuse them.

    Where points have more than `BITS_MOST` bits their array may hold Python's own integers.

    Raises
    ------
    InputError
        For arrays of another shape or type, and values outside the domain.
    """
    d = scalar("d", d)
    x = _points(x)
    y = np.ones(x.shape, dtype=np.uint8) if y is None else _table("y", y)
    if y.shape != x.shape:
        raise InputError("y", f"must have the shape of x, {x.shape}", y.shape)
    if y.dtype.kind not in "biu":
        raise InputError("y", "must be an array of labels 0 and 1", y.dtype.name)
    for extreme in (int(x.min()), int(x.max())):
        if not 1 <= extreme <= 1 << d:
            raise InputError("x", f"must be a whole number from 1 to 2^{d}", extreme)
    for extreme in (int(y.min()), int(y.max())):
        if not 0 <= extreme <= 1:
            raise InputError("y", "must be 0 or 1", extreme)
    if d <= BITS_MOST and x.dtype.kind == "O":
        x = x.astype(np.int64)
    return x, y.astype(np.uint8, copy=False), d


def _points(value: ArrayLike) -> NDArray[Any]:
    x = _table("x", value)
    if x.dtype.kind in "iu":
        return x
    if x.dtype.kind == "f":  # what numpy makes of whole numbers on both sides of 2^63
        x = _table("x", np.asarray(value, dtype=np.object_))
    for point in x.flat:
        if type(point) is not int:
            raise InputError("x", "must be an array of whole numbers", point)
    return x


def _table(name: str, value: ArrayLike) -> NDArray[Any]:
    requirement = "must have the shape (data sets, m), both at least 1"
    try:
        table = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise InputError(name, requirement, "rows of different lengths") from None
    if table.ndim != 2 or not table.size:
        raise InputError(name, requirement, table.shape)
    return table
