"""The window of the counts of two rare events among n draws, thinned, with all that settings share.

Why a lattice may be thinned, and how its sums come apart, `trinomial` says.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.numerics.binomial_windows import LOG_TAIL, binomial_ends
from privsc_core.numerics.poisson import log_poisson

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = [
    "HUGE",
    "LARGEST",
    "STEP",
    "Factors",
    "Lattice",
    "factors",
    "fast_length",
    "lattice",
    "thinned",
    "thinning",
]

# e^{-36} is 2e-16: what thinning the lattice may cost, and a factor of 10 to spare.
_TRAPEZOID = 36.0
# A variance below which weights are too ragged to be thinned.
_RAGGED = 64.0
# Elements of a lattice that is summed as it is.
_SMALL = 1 << 15
# Elements of a block's temporary; products above 9216 wake the BLAS threads, which costs milliseconds.
_BLOCK = 1 << 13
# Elements of a temporary of several settings that are summed as they are.
_CELLS = 1 << 15
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
    """u(K) and v(K+L) over the window of one (size, probability), each 1 at its mode."""

    first: int
    one: NDArray[np.float64]
    both: NDArray[np.float64]


@lru_cache(maxsize=8)
def factors(size: int, probability: float, log_tail: float = LOG_TAIL) -> Factors:
    """Return p^k / k! and (1-2p)^{n-s} / (n-s)!, tilted so that the modes are in the middle.

    As products of ratios from the mode outwards: no cancellation between huge factorials.
    """
    first, last = binomial_ends(size, probability, log_tail)
    middle = max(size * probability, 1.0)
    rest = (1.0 - 2.0 * probability) / probability * middle
    steps = np.arange(first + 1, last + 1, dtype=np.float64)
    one = _products(middle / steps, min(int(middle), last) - first)
    sums = np.arange(2 * first, 2 * last, dtype=np.float64)
    # Nothing is left from n on: weight 0.
    ratios = np.maximum(size - sums, 0.0) / rest
    mode = min(max(math.ceil(size - rest), 2 * first), 2 * last, size)
    return Factors(first, one, _products(ratios, mode - 2 * first))


def thinned(size: int, probability: float, thin: int) -> Factors:
    """Return every so-manieth of the factors, up to a constant each; `both` as long as its sums are.

    Of few that remain each is a Poisson weight, for less than a product over all that are left out.
    """
    first, last = binomial_ends(size, probability)
    if thin < _APART or last - first < _WIDE:
        remembered = size * probability < HUGE
        first, one, both = (factors if remembered else factors.__wrapped__)(size, probability)
        one = one[::thin].copy()
        return Factors(first, one, both[: 2 * thin * (one.size - 1) + 1 : thin].copy())
    middle = size * probability
    count = np.arange(first, last + 1, thin, dtype=np.float64)
    rest = size - (2.0 * first + thin * np.arange(2 * count.size - 1, dtype=np.float64))
    both = np.exp(
        log_poisson(np.maximum(rest, 0.0), (1.0 - 2.0 * probability) / probability * middle)
    )
    both[rest < 0.0] = 0.0
    return Factors(first, np.exp(log_poisson(count, middle)), both)


def _products(ratios: NDArray[np.float64], mode: int) -> NDArray[np.float64]:
    """Return f with f(mode) = 1 and f(i + 1) = f(i) ratios(i)."""
    values = np.empty(ratios.size + 1)
    values[mode] = 1.0
    np.multiply.accumulate(ratios[mode:], out=values[mode + 1 :])
    if mode:
        np.multiply.accumulate(1.0 / ratios[mode - 1 :: -1], out=values[mode - 1 :: -1])
    return values


class Lattice:
    """The window of one (size, probability), thinned, with all that settings share.

    Attributes
    ----------
    count : ndarray, shape (points,)
        K, and likewise L.
    one : ndarray, shape (points,)
        u at `count`.
    both : ndarray, shape (points, points)
        v of their sums, a view of one row.
    scale : float
        What a sum over u, u and v is to be multiplied with.
    waves : ndarray of complex, or None
        v as a sum of waves of this `length`, both halves of the spectrum in one; None where there are
        few points, which are summed as they are.
    reach : (int, int)
        Sums of a row and a column between which v matters.
    """

    def __init__(self, size: int, probability: float, thin: int) -> None:
        first, self.one, sums = thinned(size, probability, thin)
        points = self.one.size
        self.size, self.first, self.thin = size, first, thin
        self.count = first + thin * np.arange(points, dtype=np.float64)
        # Row i are the sums from i on.
        self.both = np.ndarray((points, points), np.float64, sums, strides=sums.strides * 2)
        self.waves: NDArray[np.complex128] | None = None
        if points * points <= _SMALL:
            self.scale = 1.0 / float(sums @ np.convolve(self.one, self.one))
            return
        self.length = fast_length(2 * points - 1)
        waves = np.fft.rfft(sums, self.length).conj()
        waves[1 : (self.length + 1) // 2] *= 2.0
        alone = np.fft.rfft(self.one, self.length)
        total = _real_sum(waves, alone, alone)
        self.waves, self.scale = waves / total, self.length / total
        low, high = binomial_ends(size, 2.0 * probability)
        self.reach = (low - 2 * first) // thin, -((2 * first - high) // thin)

    def shares(self, settings: Sequence[tuple[float, float, float]]) -> Sequence[float]:
        """Return the expectations at settings (log A, log B, r)."""
        if self.waves is not None:
            return [self._by_waves(self.waves, *at) for at in settings]
        step = max(1, _CELLS // self.both.size)
        found: list[float] = []
        for start in range(0, len(settings), step):
            found += self._as_they_are(np.array(settings[start : start + step])).tolist()
        return found

    def _as_they_are(self, settings: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return them by sums over all cells, so that none depends on which others there are."""
        ends, rate = settings.T[:2, :, None], settings[:, 2:]
        left, right = np.exp(np.minimum(ends - rate * self.count, LARGEST))
        mixed = np.flatnonzero(rate * (self.size - self.count[-1]) < STEP)
        if mixed.size:
            right[mixed] += np.exp(rate[mixed] * (self.count - self.size))
        left += 1.0
        table = left[:, :, None] + right[:, None, :]
        np.divide(self.both, table, out=table)
        sums = np.einsum("skl,l->sk", table, self.one)
        return np.asarray(self.scale * np.einsum("sk,k->s", sums, self.one))

    def _by_waves(
        self, waves: NDArray[np.complex128], log_left: float, log_right: float, rate: float
    ) -> float:
        """Return one: a sum over frequencies, and what remains where both steps are near."""
        left = np.exp(np.minimum(log_left - rate * self.count, LARGEST))
        right = left
        if log_right != log_left:
            right = np.exp(np.minimum(log_right - rate * self.count, LARGEST))
        rest = rate * (self.size - self.count)
        mixed = rest[-1] < STEP
        if mixed:
            right = right + np.exp(-rest)
        f = self.one / (1.0 + left)
        g = f if right is left else self.one / (1.0 + right)
        wave = np.fft.rfft(f, self.length)
        other = wave if g is f else np.fft.rfft(g, self.length)
        apart = _real_sum(waves, wave, other)
        f, g = f * left, g * right
        # Where a term is e^x, what remains is at most e^{-|x|}, but e^{-max} where both are large.
        total = 0.0
        for rows, slack, top in self._bands(log_left, rate):
            low = self._index(log_right - top, rate)
            high = self.count.size if mixed else self._index(log_right + slack, rate)
            low = max(low, self.reach[0] - rows.stop + 1)
            high = min(high, self.reach[1] - rows.start + 1)
            if low >= high:
                continue
            columns = slice(low, high)
            table = (1.0 + left[rows])[:, None] + right[columns]
            np.divide(self.both[rows, columns], table, out=table)
            total += float(f[rows] @ (table @ g[columns]))
        return apart + self.scale * total

    def _index(self, log_ratio: float, rate: float) -> int:
        """Return the first place whose count is at least log_ratio / rate."""
        place = (log_ratio / rate - self.first) / self.thin
        return math.ceil(min(max(place, 0.0), float(self.count.size)))

    def _bands(self, log_left: float, rate: float) -> Iterator[tuple[slice, float, float]]:
        """Yield rows, and how large the other term's |log| may be: below 0, and above."""
        first = self._index(log_left - STEP, rate)
        last = self._index(log_left + STEP, rate)
        width = 2.0 * STEP / (rate * self.thin)
        width = min(width, self.reach[1] - self.reach[0] + 32, self.count.size)
        step = max(1, int(_BLOCK / width))
        for start in range(first, last, step):
            stop = min(start + step, last)
            top = log_left - rate * self.count[start]
            bottom = log_left - rate * self.count[stop - 1]
            if top < 0.0:
                yield slice(start, stop), STEP + top, STEP + top
            else:
                yield slice(start, stop), STEP - max(bottom, 0.0), STEP


def _real_sum(
    a: NDArray[np.complex128], b: NDArray[np.complex128], c: NDArray[np.complex128]
) -> float:
    """Return the real part of the sum of products, which wakes no BLAS threads."""
    product = a * b
    product *= c
    return float(product.real.sum())


def fast_length(least: int) -> int:
    """Return a length of at least so many, for which Fourier transforms are fast."""
    power = 1 << (least - 1).bit_length()
    return next(n for n in (5 * power // 8, 3 * power // 4, power) if n >= least)


@lru_cache(maxsize=64)
def lattice(size: int, probability: float, thin: int) -> Lattice:
    """Return a lattice, of those that were asked for last the same one."""
    return Lattice(size, probability, thin)
