"""The exponential mechanism over INTERVAL_d on many samples at a time.

Rows are sorted; between two neighbouring points every threshold makes the same mistakes, which
a running sum of labels counts in whole numbers, and a table turns counts into weights.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    # Whole numbers, as floats where those hold them.
    _Cuts = NDArray[np.float64] | NDArray[np.int64]

__all__ = ["run_many"]

# Examples per block of rows: small enough for the cache, large enough to hide Python.
_BLOCK = 1 << 15
# e^{-1000} is 0: a larger rate changes nothing, and could overflow.
_RATE_MOST = 1000.0
# Bits of a whole number that a float holds.
_EXACT = 52
# Segments in a bin.
_BIN = 16


def run_many(
    x: NDArray[np.integer],
    y: NDArray[np.uint8],
    *,
    d: int,
    rate: float,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Choose one threshold per sample, with probability proportional to e^{-rate * mistakes}.

    Parameters
    ----------
    x, y : ndarray, shape (samples, m)
        Points in [1, 2^d] and labels, as `checked_rows` returns them.
    d : int
        Bits, at most 62.
    rate : float
        The factor of the mistakes in the exponent, epsilon / 2 for privacy epsilon.
    rng : numpy.random.Generator
        One random number per sample for the segment, one for the threshold in it.

    Returns
    -------
    ndarray of int64, shape (samples,)
        The chosen j, in [1, 2^d + 1].
    """
    chosen = np.empty(len(x), dtype=np.int64)
    for rows, cuts, weight in _blocks(x, y, d, rate):
        pick = _choose(cuts, weight, rng)
        here = np.arange(len(cuts))
        low, high = cuts[here, pick].astype(np.int64), cuts[here, pick + 1].astype(np.int64)
        chosen[rows] = low + 2 + rng.integers(high - low)
    return chosen


def _blocks(
    x: NDArray[np.integer], y: NDArray[np.uint8], d: int, rate: float
) -> Iterator[tuple[slice, _Cuts, NDArray[np.float64]]]:
    """Yield rows, cuts (segment i is the thresholds cuts[i]+2..cuts[i+1]+1) and its weights.

    Behind the m + 1 segments stands one of weight 0, so that rows have as many as cuts. The
    arrays may be changed, and are used again for the next rows.
    """
    samples, m = x.shape
    table = np.append(np.exp(-min(rate, _RATE_MOST) * np.arange(m + 1)), 0.0)
    step = min(samples, max(1, _BLOCK // m))
    keys = np.empty((step, m), dtype=np.min_scalar_type(-(1 << d) * 2))
    every = np.empty((step, m + 2), dtype=np.float64 if d <= _EXACT else np.int64)
    errors, weights = np.empty((step, m + 2), dtype=np.int32), np.empty((step, m + 2))
    places = np.arange(m + 2, dtype=np.int32)
    for start in range(0, samples, step):
        rows = slice(start, min(start + step, samples))
        size = rows.stop - start
        key, cuts, mistakes, weight = keys[:size], every[:size], errors[:size], weights[:size]
        # Points from 0, so that 62 bits and a label fill an int64 and no more.
        np.subtract(x[rows], 1, out=key, casting="unsafe")
        key <<= 1
        key |= y[rows]
        key.sort(axis=1)
        cuts[:, 0], cuts[:, -1] = -1, 1 << d
        np.right_shift(key, 1, out=cuts[:, 1:-1], casting="unsafe")
        # One mistake more behind a negative example, one fewer behind a positive one.
        key &= 1
        mistakes[:, 0] = mistakes[:, -1] = 0
        np.cumsum(key, axis=1, dtype=np.int32, out=mistakes[:, 1:-1])
        mistakes *= -2
        mistakes += places
        mistakes -= mistakes.min(axis=1, keepdims=True)
        # The last place is beyond the table, and clipped to its 0.
        table.take(mistakes, out=weight, mode="clip")
        yield rows, cuts, weight


def _lengths(cuts: _Cuts, out: NDArray[np.float64]) -> NDArray[np.float64]:
    """Fill `out` with the lengths of all segments, those between two rows included."""
    flat = cuts.ravel()
    np.subtract(flat[1:], flat[:-1], out=out.ravel()[:-1])
    return out


def _choose(cuts: _Cuts, weight: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draw one segment per row, with probability proportional to its weight times its length.

    First a bin of segments, then one of the bin: running sums are short.
    """
    samples, segments = weight.shape
    bins = -(-segments // _BIN)
    length = _lengths(cuts, np.zeros(weight.shape))
    share = np.zeros((samples, bins, _BIN))
    np.multiply(weight, length, out=share.reshape(samples, -1)[:, :segments])
    here = np.arange(samples)
    total = np.cumsum(np.einsum("ijk->ij", share), axis=1)
    which, rest = _first_above(total, rng.random(samples) * total[:, -1])
    inside, _ = _first_above(np.cumsum(share[here, which], axis=1), rest)
    return which * _BIN + inside


def _first_above(
    total: NDArray[np.float64], wanted: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return where running sums first exceed what is wanted, and by how much it passed the last.

    Rounding may want all there is, or less than nothing: that is something all the same.
    """
    wanted = np.clip(wanted, 0.0, np.nextafter(total[:, -1], 0.0))
    place = (total > wanted[:, None]).argmax(axis=1)
    before = total[np.arange(len(place)), np.maximum(place - 1, 0)]
    return place, np.where(place > 0, wanted - before, wanted)
