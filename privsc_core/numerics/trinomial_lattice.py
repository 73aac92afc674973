"""The windows of the counts of two rare events among n draws, thinned.

Why a lattice may be thinned `trinomial` says.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.numerics.binomial_windows import LOG_TAIL, binomial_ends
from privsc_core.numerics.poisson import log_poisson

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HUGE",
    "LARGEST",
    "STEP",
    "Factors",
    "factors",
    "fast_length",
    "thinned",
    "thinned_rows",
    "thinning",
]

# e^{-36} is 2e-16: what thinning the lattice may cost, and a factor of 10 to spare.
_TRAPEZOID = 36.0
# A variance below which weights are too ragged to be thinned.
_RAGGED = 64.0
# Of a window that is wider, and thinned as much at least, what remains is computed by itself.
_WIDE, _APART = 1 << 12, 4

STEP = 34.5
"""e^{-34.5} is 1e-15: beyond this log-ratio a share is 0 or 1, and so is a value."""

LARGEST = 700.0
"""e^{700} is still a float."""

HUGE = 1e8
"""Windows of rarer events than this many are small enough to be remembered."""


def thinning(variance: float, rate: float, cost: float = _TRAPEZOID) -> int:
    """Return the step h of the lattice that `trinomial` allows, at e^{-cost}.

    The least of pi (2 pi / h - s) / r + v s^2 / 2 over s in [0, 2 pi / h] is the cost: at s = pi / (rv)
    where that is inside, else at the end s = 2 pi / h, where the share is as good as constant.
    """
    if variance < _RAGGED:
        return 1
    spread = math.sqrt(variance)
    turn = math.pi / (rate * spread)
    if turn * turn < 2.0 * cost:
        return max(1, int(spread * 2.0 * math.pi * turn / (cost + 0.5 * turn * turn)))
    return int(spread * math.pi * math.sqrt(2.0 / cost))


class Factors(NamedTuple):
    """u(K) and v(K+L) over the window of one (size, probability), each 1 near its mode."""

    first: int
    one: NDArray[np.float64]
    both: NDArray[np.float64]


@lru_cache(maxsize=8)
def factors(size: int, probability: float, log_tail: float = LOG_TAIL) -> Factors:
    """Return p^k / k! and (1-2p)^{n-s} / (n-s)!, tilted so that the modes are in the middle."""
    first, last = binomial_ends(size, probability, log_tail)
    middle = int(size * probability)
    one, both = _products(np.array([size]), probability, 1, middle - first, last - middle)
    return Factors(first, one[0], both[0])


def thinned(size: int, probability: float, thin: int) -> Factors:
    """Return every so-manieth of the factors, up to a constant each; `both` as long as its sums are."""
    first, last = binomial_ends(size, probability)
    points = (last - first) // thin + 1
    if thin >= _APART and last - first >= _WIDE:
        return Factors(first, *_poisson(size, probability, first, thin, points))
    remembered = size * probability < HUGE
    first, one, both = (factors if remembered else factors.__wrapped__)(size, probability)
    return Factors(first, one[::thin].copy(), both[: 2 * thin * (points - 1) + 1 : thin].copy())


def thinned_rows(
    size: NDArray[np.int64], probability: float, thin: list[int], down: list[int], up: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return every so-manieth of the factors of many sizes, with the whole of np in one column.

    Those of a size do not depend on what it is together with. There are so many on either side of the
    column, and beyond them such as do not matter.

    Returns
    -------
    one : ndarray, shape (sizes, down + 1 + up)
        u, up to a constant, where `down` and `up` are the largest; 0 where there is no such count.
    both : ndarray, shape (sizes, 2 (down + up) + 1)
        v likewise.
    """
    below, above = max(down), max(up)
    one = np.zeros((size.size, below + 1 + above))
    both = np.zeros((size.size, 2 * (below + above) + 1))
    alike: dict[int, list[int]] = {}
    for row, step in enumerate(thin):
        points = down[row] + 1 + up[row]
        if step >= _APART and step * points >= _WIDE:
            n, at = size.item(row), below - down[row]
            first = int(n * probability) - step * down[row]
            one[row, at : at + points], both[row, 2 * at : 2 * (at + points) - 1] = _poisson(
                n, probability, first, step, points
            )
        else:
            alike.setdefault(step, []).append(row)
    for step, rows in alike.items():
        if len(rows) == len(thin):
            return _products(size, probability, step, below, above)
        one[rows], both[rows] = _products(size[rows], probability, step, below, above)
    return one, both


def _poisson(
    size: int, probability: float, first: int, thin: int, points: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return every so-manieth as a Poisson weight, for less than a product over all between them."""
    middle = size * probability
    count = first + thin * np.arange(points, dtype=np.float64)
    rest = size - (2.0 * first + thin * np.arange(2 * points - 1, dtype=np.float64))
    one = np.exp(log_poisson(np.maximum(count, 0.0), middle))
    one[count < 0.0] = 0.0
    both = np.exp(
        log_poisson(np.maximum(rest, 0.0), (1.0 - 2.0 * probability) / probability * middle)
    )
    both[rest < 0.0] = 0.0
    return one, both


def _products(
    size: NDArray[np.int64], probability: float, thin: int, down: int, up: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return them as products of ratios from the mode outwards, or from next to it.

    There is no cancellation between huge factorials.
    """
    middle = (size * probability)[:, None, None]
    mode = np.floor(middle)
    left = size[:, None, None] - 2.0 * mode
    middle = np.maximum(middle, 1.0)
    rest = (1.0 - 2.0 * probability) / probability * middle
    # Those between one of them and the next stand above each other.
    steps = np.arange(thin)[:, None] + thin * np.arange(2.0 * max(down, up))
    # A count of 0 is followed by none, and so is n, of which nothing is left: weight 0.
    one = _outwards((mode - steps[:, :down]) / middle, middle / (mode + 1.0 + steps[:, :up]))
    both = _outwards(rest / (left + 1.0 + steps[:, : 2 * down]), (left - steps[:, : 2 * up]) / rest)
    return one, both


def _outwards(down: NDArray[np.float64], up: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return rows of products of ratios, from a 1 between both kinds."""
    if down.shape[1] > 1:
        down, up = down.prod(axis=1, keepdims=True), up.prod(axis=1, keepdims=True)
    middle = down.shape[2]
    block = np.empty((len(down), middle + 1 + up.shape[2]))
    block[:, middle] = 1.0
    np.multiply.accumulate(up[:, 0], axis=1, out=block[:, middle + 1 :])
    np.multiply.accumulate(down[:, 0], axis=1, out=block[:, :middle][:, ::-1])
    return block


def fast_length(least: int) -> int:
    """Return a length of at least so many, for which Fourier transforms are fast."""
    power = 1 << (least - 1).bit_length()
    return next(n for n in (5 * power // 8, 3 * power // 4, power) if n >= least)
