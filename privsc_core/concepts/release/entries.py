"""Whole numbers of entries, exact for an alpha that was typed as a decimal."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.numerics.decimals import ceiling, decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["entries", "entries_scalar", "least_m", "spare"]


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
