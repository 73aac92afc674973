"""Weights of a binomial count on the window that matters, of many sizes at a time.

Weights are built from the mode outwards by cumulative products of ratios and normalised, on
a window that holds all but about 1e-14 of the mass (less, where it is asked for): no gamma
functions (they lose ten digits at m = 10^7), nothing of size m, cost growing as the square root
of m.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "FLAT",
    "LOG_TAIL",
    "WIDE",
    "Shortcuts",
    "Windows",
    "binomial_ends",
    "binomial_rows",
    "binomial_span",
    "binomial_window",
    "dense_weights",
    "near",
    "sums",
    "terms",
    "windows_of",
]

# Bernstein's inequality at this log-tail; the true tail is far smaller.
LOG_TAIL = math.log(2e13)
# On windows wider than this, columns that do not change by more than this are not summed.
WIDE = 2048
FLAT = 2e-16
# Above this exponent e^{-x} is below half an ulp of 1.
_NEGLIGIBLE = 37.0


class Windows(NamedTuple):
    """Sizes with the mode, and the first and the last count that matter, of each."""

    sizes: NDArray[np.int64]
    modes: NDArray[np.int64]
    lowest: NDArray[np.int64]
    highest: NDArray[np.int64]

    def part(self, start: int, stop: int) -> Windows:
        """Return those of sizes[start:stop]."""
        return Windows(*(column[start:stop] for column in self))

    def see_rest(self, rates: NDArray[np.float64], shortcuts: Shortcuts) -> NDArray[np.bool_]:
        """Tell in which cells (sizes, rates) the rest is not negligible."""
        least = (self.sizes - self.highest)[:, None].astype(np.float64)
        return near(least, rates, shortcuts)


class Shortcuts(NamedTuple):
    """From which exponent on e^{-x} is left out, and whether a change is small by itself."""

    negligible: float
    relative: bool

    @classmethod
    def at(cls, log_tail: float) -> Shortcuts:
        """Return those for a `log_tail`."""
        return cls(max(_NEGLIGIBLE, log_tail), log_tail > LOG_TAIL)


def near(rest: NDArray[Any], rates: NDArray[np.float64], shortcuts: Shortcuts) -> NDArray[np.bool_]:
    """Tell where a rest is not negligible; at an infinite rate none is seen."""
    if rates.size == 1 and math.isinf(rates.item()):
        return np.zeros(rest.shape, dtype=np.bool_)
    finite = np.isfinite(rates)
    return np.asarray(finite & (rest * np.where(finite, rates, 0.0) <= shortcuts.negligible))


def windows_of(
    sizes: NDArray[np.int64], probability: float | NDArray[np.float64], log_tail: float
) -> Windows:
    """Return the windows of sizes at one probability, or at one each."""
    if isinstance(probability, float) and probability >= 1.0:
        return Windows(sizes, sizes, sizes, sizes)
    variance = sizes * (probability * (1.0 - probability))
    width = log_tail / 3.0 + np.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * variance)
    half = np.ceil(width).astype(np.int64)
    modes = np.minimum(((sizes + 1) * probability).astype(np.int64), sizes)
    return Windows(sizes, modes, np.maximum(modes - half, 0), np.minimum(modes + half, sizes))


def binomial_ends(size: int, probability: float, log_tail: float = LOG_TAIL) -> tuple[int, int]:
    """Return the first and the last count of `binomial_window`, without the weights."""
    if probability >= 1.0:
        return size, size
    # As `windows_of`, without arrays.
    variance = size * (probability * (1.0 - probability))
    half = math.ceil(log_tail / 3.0 + math.sqrt(log_tail**2 / 9.0 + 2.0 * log_tail * variance))
    mode = min(int((size + 1) * probability), size)
    return max(mode - half, 0), min(mode + half, size)


def binomial_span(
    sizes: NDArray[np.int64], probability: float, log_tail: float = LOG_TAIL
) -> tuple[int, int]:
    """Return the first and the last count of the windows of several sizes.

    Of every one of them: ends are rounded, so that a larger size may begin one count earlier.
    """
    ends = [binomial_ends(size, probability, log_tail) for size in np.unique(sizes).tolist()]
    return min(first for first, _ in ends), max(last for _, last in ends)


def binomial_window(
    size: int, probability: float, log_tail: float = LOG_TAIL
) -> tuple[int, NDArray[np.float64]]:
    """Return the weights of Bin(size, probability) around its mode.

    Parameters
    ----------
    size : int
        Number of draws, at least 1.
    probability : float
        In (0, 1].
    log_tail : float
        The mass left out is below 2 e^{-log_tail}.

    Returns
    -------
    first : int
        The count to which the first weight belongs.
    weights : ndarray of float64, shape (window,)
        Normalised to sum 1.
    """
    windows = windows_of(np.array([size], dtype=np.int64), probability, log_tail)
    first, weights = dense_weights(windows, probability)
    return first, weights[0]


def binomial_rows(
    sizes: NDArray[np.int64], probability: float | NDArray[np.float64], log_tail: float = LOG_TAIL
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the weights of Bin(size, probability) around their modes, for many sizes.

    Parameters
    ----------
    sizes : ndarray of int64, shape (sizes,)
        Numbers of draws.
    probability : float or ndarray of float64, shape (sizes,)
        As for `binomial_window`; one each is in (0, 1).
    log_tail : float
        As for `binomial_window`.

    Returns
    -------
    first : ndarray of int64, shape (sizes,)
        The count to which the first weight of a row belongs; negative ones weigh 0.
    weights : ndarray of float64, shape (sizes, window)
        Every row normalised to sum 1.
    """
    windows = windows_of(sizes, probability, log_tail)
    weights, down = _weights_around_modes(windows, probability)
    return windows.modes - down, weights


def dense_weights(windows: Windows, probability: float) -> tuple[int, NDArray[np.float64]]:
    """Return one dense weight matrix (sizes, union of the windows) and its first count."""
    sizes, modes, _, _ = windows
    block, down = _weights_around_modes(windows, probability)
    if probability >= 1.0:
        return int(sizes[0]), block[:1]
    up = block.shape[1] - down - 1

    # Aligned by count instead of by distance from the mode, without counts below 0.
    low = int(modes[0]) - down
    dense = np.zeros((len(sizes), int(modes[-1]) + up + 1 - low))
    for row, start in zip(range(len(sizes)), (modes - modes[0]).tolist(), strict=True):
        dense[row, start : start + down + 1 + up] = block[row]
    first = max(low, 0)
    return first, dense[:, first - low : int(sizes[-1]) + 1 - low]


def _weights_around_modes(
    windows: Windows, probability: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Return weights (sizes, counts around the mode) and how many counts are below the mode."""
    block, down = terms(windows, probability)
    block *= 1.0 / sums(block, windows, down)[:, None]
    return block, down


def terms(
    windows: Windows, probability: float | NDArray[np.float64]
) -> tuple[NDArray[np.float64], int]:
    """Return the weights as multiples of that of the mode, see `_weights_around_modes`.

    Those of a size do not depend on what it is together with: outside its own window they are 0.
    """
    sizes, modes, lowest, highest = windows
    if isinstance(probability, float):
        if probability >= 1.0:
            return np.ones((len(sizes), 1)), 0
        odds: Any = probability / (1.0 - probability)
    else:
        odds = (probability / (1.0 - probability))[:, None]
    below, above = modes - lowest, highest - modes
    down, up = int(below.max()), int(above.max())
    hits, misses = modes[:, None].astype(np.float64), (sizes - modes)[:, None].astype(np.float64)

    # A ratio is 0 at the end of the range or window, and so is every product from there on.
    block = np.empty((len(sizes), down + 1 + up))
    block[:, down] = 1.0
    steps = np.arange(up, dtype=np.float64)
    ratios = misses - steps
    ratios *= odds
    ratios /= hits + 1.0 + steps
    narrow = np.flatnonzero(above < up)
    ratios[narrow, above[narrow]] = 0.0
    np.multiply.accumulate(ratios, axis=1, out=block[:, down + 1 :])
    steps = np.arange(down, dtype=np.float64)
    ratios = hits - steps
    ratios /= odds
    ratios /= misses + 1.0 + steps
    narrow = np.flatnonzero(below < down)
    ratios[narrow, below[narrow]] = 0.0
    np.multiply.accumulate(ratios, axis=1, out=block[:, :down][:, ::-1])
    return block, down


def sums(terms: NDArray[np.float64], windows: Windows, down: int) -> NDArray[np.float64]:
    """Return the sums of rows around the modes, each over its own window.

    Of all columns they would depend, in the last bits, on how many there are.
    """
    first = np.arange(len(terms)) * terms.shape[1] + down - windows.modes
    places = np.empty(2 * len(terms), dtype=np.intp)
    np.add(first, windows.lowest, out=places[::2])
    np.add(first + 1, windows.highest, out=places[1::2])
    if places[-1] == terms.size:
        places = places[:-1]
    # Every second one is what lies between two windows.
    return np.add.reduceat(terms.ravel(), places)[::2]
