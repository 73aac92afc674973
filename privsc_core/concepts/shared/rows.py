"""Many data sets of the same size: one per row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.errors import InputError
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# A point and its label share one int64 in a batch.
BITS_MOST = 62


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
