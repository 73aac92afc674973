"""Many samples of the same size: one per row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from privsc_core.errors import InputError
from privsc_core.parameters import scalar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BITS_MOST", "checked_rows"]

# A point and its label share one int64.
BITS_MOST = 62


def checked_rows(
    x: NDArray[np.int64], y: NDArray[np.uint8], d: int
) -> tuple[NDArray[np.int64], NDArray[np.uint8], int]:
    """Return points and labels as arrays and d as an integer, or refuse them.

    Raises
    ------
    InputError
        For arrays of another shape or type, and values outside the domain.
    """
    d = scalar("d", d)
    if d > BITS_MOST:
        raise InputError("d", f"must be at most {BITS_MOST} for a batch of samples", d)
    x, y = np.asarray(x), np.asarray(y)
    if x.dtype.kind not in "iu":
        raise InputError("x", "must be an array of whole numbers", x.dtype.name)
    if y.dtype.kind not in "biu":
        raise InputError("y", "must be an array of labels 0 and 1", y.dtype.name)
    if x.ndim != 2 or not x.size:
        raise InputError("x", "must have the shape (samples, m), both at least 1", x.shape)
    if y.shape != x.shape:
        raise InputError("y", f"must have the shape of x, {x.shape}", y.shape)
    for extreme in (int(x.min()), int(x.max())):
        if not 1 <= extreme <= 1 << d:
            raise InputError("x", f"must be a whole number from 1 to 2^{d}", extreme)
    for extreme in (int(y.min()), int(y.max())):
        if not 0 <= extreme <= 1:
            raise InputError("y", "must be 0 or 1", extreme)
    return x, y.astype(np.uint8, copy=False), d
