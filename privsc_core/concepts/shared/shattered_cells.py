"""The exact law of the number of wrong bits on `spikes`, of many cells together.

As in `shattered_law` the sample's size is Poisson on a circle, so that counts K of the bits are
independent. At an angle theta a bit is wrong with the complex chance q = E rho(K) e^{iK theta} /
E e^{iK theta}, and of `told` bits at most so many are wrong with that of a binomial law of q: a sum
without cancellation, as |q| + |1 - q| counts what E |e^{iK theta}| does. It is taken relative to the
law of the real q of theta = 0. Cells go together, each with angles of its own: sums over counts and
over numbers of wrong bits are values of polynomials on the unit circle or near it, see `_powers`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import kl_div

from privsc_core.numerics.tails import log_poisson, log_poisson_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    # (counts, which cells, a column) -> how likely a bit that was seen so often is wrong
    Profile = Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]]

UNSEEN = 1e-18
"""So small a share of a sum is not seen."""

_SURE = 1e-17  # expected wrong bits that are none
_DEEP = 40.0  # e^-40 is nothing beside 1, however many bits there are
_FALLEN = 34.0  # nor is e^-34 of the integrand, or of a Poisson weight beside the largest
# From this mean on most profiles are smooth over an eighth of the deviation: those of which sums over
# every other number that is looked at are as much are. They may differ by so much, absolute and relative.
_WIDE, _SMOOTH = 400.0, 8.0
_SAME = 1e-20, 1e-14
# From the first of these angles on, times the root of 68 / m, the integrand is nothing if what is wrong
# tells little of the counts.
_RUNGS = 1.01 * 2.0 ** (0.5 * np.arange(6))
# How much longer counts may be than those of the cells beside them, from so many on: about as many as
# every k-th count leaves. It may not depend on how many cells there are: who is beside a cell
# would be seen in the thirteenth digit of its chance.
_LONGER, _REACH = 3.0, 160.0
_ROWS = 256  # cells that are taken together
_FEW, _TURNS, _ENTRIES = 24, 20, 1 << 17
_HIGH = 600.0  # the log of any term
_LEAST = 1e-290  # less is nothing


class Cells(NamedTuple):
    """What a law is asked, an array each.

    Attributes
    ----------
    m, told, steady, most : ndarray of int64
        Examples, bits that err with what was seen of them and whatever was seen, and how many may.
    chance : ndarray of float64
        How likely those are wrong that err whatever was seen.
    mean : ndarray of float64
        How often a bit that is told is seen on average.
    log_hit : ndarray of float64
        The log of the chance that a Poisson sample of mean m has m examples.
    """

    m: NDArray[Any]
    told: NDArray[Any]
    steady: NDArray[Any]
    most: NDArray[Any]
    chance: NDArray[Any]
    mean: NDArray[Any]
    log_hit: NDArray[Any]

    @classmethod
    def of(
        cls,
        m: NDArray[np.int64],
        told: NDArray[np.int64],
        steady: NDArray[np.int64],
        most: NDArray[np.int64],
        chance: NDArray[np.float64],
        mean: NDArray[np.float64],
    ) -> Cells:
        """Return cells with what follows."""
        return cls(m, told, steady, most, chance, mean, log_poisson_mean(m.astype(np.float64)))

    def at(self, which: NDArray[np.intp]) -> Cells:
        """Return some of them."""
        return Cells(*(x[which] for x in self))


def together(cells: Cells, profile: Profile) -> NDArray[np.float64]:
    """Return the chances of at most so many wrong bits to about 1e-13, NaN where angles are too many."""
    deviation = np.sqrt(cells.mean)
    step = np.exp2(np.floor(np.log2(np.where(cells.mean > _WIDE, deviation / _SMOOTH, 1.0))))
    found, smooth = _by_steps(cells, step, profile)
    if not smooth.all():
        rest = np.flatnonzero(~smooth)
        found[rest], _ = _by_steps(
            cells.at(rest), np.ones(rest.size), lambda k, which: profile(k, rest[which])
        )
    return found


def _by_steps(
    cells: Cells, step: NDArray[np.float64], profile: Profile
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the chances if every k-th count is looked at, and whether that is enough."""
    found, smooth = np.empty(cells.m.size), np.ones(cells.m.size, dtype=np.bool_)
    level = _level(_far(_DEEP, cells.mean) / step / _REACH, _LONGER)
    # By their bits, so that those together have about as many numbers of wrong ones as well.
    for which in _alike(level, (step > 1.0).astype(np.float64), order=cells.told):
        above = math.ceil(_REACH * _LONGER ** level[which[0]])
        # Of a small mean few counts are below it.
        below = above if step[which[0]] > 1.0 else min(above, math.floor(_variance(_DEEP, above)))
        for some in np.array_split(which, -(-which.size * above // _ENTRIES)):
            part = _Part(cells.at(some), step[some], (below, above), some, profile)
            found[some], smooth[some] = part.chances(), part.smooth
    return found, smooth


def _far(log: float, variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far from its mean a sum of independent counts never is, but for e^-log (Bernstein)."""
    return np.asarray(log / 3.0 + np.sqrt(log * log / 9.0 + 2.0 * log * variance))


def _variance(log: float, far: float) -> float:
    """Return the variance at which `_far` is so much."""
    return far * (far - 2.0 * log / 3.0) / (2.0 * log)


def _level(size: NDArray[np.float64], ratio: float) -> NDArray[np.float64]:
    """Return which power of a ratio is at least so large."""
    return np.asarray(np.ceil(np.log(size) / math.log(ratio)))


def _alike(
    *keys: NDArray[np.float64], order: NDArray[np.int64] | None = None
) -> Iterator[NDArray[np.intp]]:
    """Return which cells have equal keys, not too many together; these in some order."""
    sorted_ = np.lexsort(keys if order is None else (order, *keys))
    new = np.zeros(sorted_.size, dtype=np.bool_)
    for key in keys:
        new[1:] |= np.diff(key[sorted_]) != 0.0
    new[::_ROWS] = True
    yield from np.split(sorted_, np.flatnonzero(new)[1:])


class _Part:
    """Cells with about as many counts each.

    Parameters
    ----------
    cells : Cells
    step : ndarray of float64
        Every k-th count is looked at.
    reach : (int, int)
        How many of them below the mean, and above it.
    which : ndarray of int
        The numbers of the cells.
    profile : callable
    """

    def __init__(
        self,
        cells: Cells,
        step: NDArray[np.float64],
        reach: tuple[int, int],
        which: NDArray[np.intp],
        profile: Profile,
    ) -> None:
        self.cells, self.step = cells, step
        below, above = reach
        first = np.floor(cells.mean) - below * step
        counts = first[:, None] + step[:, None] * np.arange(below + above + 1.0)
        if step[0] == 1.0:
            weights = _ladder(
                cells.mean[:, None] / np.maximum(counts[:, below + 1 :], 1.0),
                np.maximum(counts[:, below:0:-1], 0.0) / np.where(cells.mean, cells.mean, 1.0)[:, None],
            )  # fmt: skip
        else:
            weights = np.exp(log_poisson(counts, cells.mean[:, None]))
        weights /= weights.sum(axis=1, keepdims=True)
        self.first = first
        self.wrong = weights * profile(np.maximum(counts, 0.0), which[:, None])
        self.p = np.minimum(self.wrong.sum(axis=1), 1.0)
        self.smooth = np.ones(step.size, dtype=np.bool_)
        if step[0] > 1.0:
            other = self.wrong[:, ::2].sum(axis=1) / weights[:, ::2].sum(axis=1)
            self.smooth = np.isclose(other, self.p, _SAME[1], _SAME[0])

    def chances(self) -> NDArray[np.float64]:
        """Return the chances of at most so many wrong bits."""
        cells = self.cells
        every = np.maximum(cells.told + cells.steady, 1)
        expected = cells.told * self.p + cells.steady * cells.chance
        found = self.bounds(every, expected / every)
        found[(cells.most >= every) | ~(expected > _SURE)] = 1.0
        open_ = np.flatnonzero(np.isnan(found))
        if open_.size:
            nodes = _nodes(cells.m[open_])
            last = self.last(open_, nodes)
            told = np.flatnonzero(last >= 0)
            # Where they are many those go together that have about as many nodes.
            alike = _alike(np.ceil(last[told] / _TURNS)) if told.size > _FEW else [slice(None)]
            for some in alike if told.size else ():
                rows = told[some]
                found[open_[rows]] = self.integrals(open_[rows], nodes[rows], last[rows])
        return found

    def bounds(self, every: NDArray[np.int64], mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is almost 0 or 1 by a bound, else NaN.

        Of a sample of Poisson size the bits err independently, and Hoeffding (1963, Theorem 1) bounds
        their sum; given its size a thing is at most as much likelier as the size is unlikely.
        """
        many = (self.cells.most + 1) / every > mean
        share = np.where(many, self.cells.most + 1, self.cells.most) / every
        divergence = kl_div(share, mean) + kl_div(1.0 - share, 1.0 - mean)
        rare = -every * divergence - self.cells.log_hit <= math.log(UNSEEN)
        return np.where(rare & many, 1.0, np.where(rare & (share < mean), 0.0, np.nan))

    def tilted(
        self, rows: NDArray[np.intp], nodes: NDArray[np.int64], turns: NDArray[np.int64]
    ) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """Return q at the angles of some nodes, and the log of what else the integrand has."""
        mean, m = self.cells.mean[rows, None], self.cells.m[rows, None]
        turn = 2.0 * math.pi / nodes[:, None]
        sums = _on_circle(self.wrong[rows], nodes, turns * self.step[rows, None].astype(np.int64))
        theta = turn * turns
        fall, ahead = 2.0 * np.sin(0.5 * theta) ** 2, np.sin(theta) - theta
        phase = mean * ahead + (mean - self.first[rows, None]) * theta
        q = sums * np.exp(np.minimum(mean * fall, _HIGH) - 1j * phase)
        return q, m * (1j * ahead - fall)

    def last(self, rows: NDArray[np.intp], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the node after which the integrand is nothing, -1 where none is known.

        What tells no bit makes it fall, whatever the profile is; where that takes long the integrand
        is looked at.
        """
        cells = self.cells.at(rows)
        alone = np.maximum(cells.m - cells.told * cells.mean, 0.5 * _FALLEN)
        found = np.ceil(nodes / math.pi * np.arcsin(np.sqrt(0.5 * _FALLEN / alone))).astype(
            np.int64
        )
        far = np.flatnonzero(found > _TURNS)
        if far.size:
            turns = _rungs(cells.m[far], nodes[far])
            first = self.rungs(rows[far], nodes[far], turns)
            there = np.take_along_axis(turns, np.minimum(first, _RUNGS.size - 1)[:, None], axis=1)
            found[far] = np.where(first < _RUNGS.size, there[:, 0], -1)
        return np.asarray(np.minimum(found, nodes // 2))

    def rungs(
        self, rows: NDArray[np.intp], nodes: NDArray[np.int64], turns: NDArray[np.int64]
    ) -> NDArray[np.intp]:
        """Return from which rung on the integrand is nothing; if from none, their number."""
        q, rest = self.tilted(rows, nodes, turns)
        with np.errstate(divide="ignore"):
            logs = rest.real + self.cells.told[rows, None] * np.log(np.abs(q) + np.abs(1.0 - q))
        deep = (logs < -_FALLEN) | (turns == nodes[:, None] // 2)
        deep &= -self.cells.mean[rows, None] * rest.real <= _HIGH * self.cells.m[rows, None]
        return np.asarray((~np.logical_and.accumulate(deep[:, ::-1], axis=1)).sum(axis=1))

    def integrals(
        self, rows: NDArray[np.intp], nodes: NDArray[np.int64], last: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the chances where the integrand is nothing after some node."""
        turns = np.arange(int(last.max()) + 1)
        q, rest = self.tilted(rows, nodes, np.broadcast_to(turns, (rows.size, turns.size)))
        times = np.where(turns <= last[:, None], np.where(turns, 2.0, 1.0), 0.0) / nodes[:, None]
        cells = self.cells.at(rows)
        rest = rest - cells.log_hit[:, None]
        # Of the first angle, so that it has no part in rounding: where two sums that are equal differ
        # by an ulp, powers of them do by many.
        p = np.minimum(q[:, :1].real, 1.0)
        terms = _polynomial(cells, p, 1.0 - p, q, rest)
        return np.asarray(np.clip(np.einsum("ct,ct->c", times, terms), UNSEEN, 1.0))


def _nodes(m: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for every m how many nodes its circle has."""
    return np.asarray(2 * np.ceil(4.1 * np.sqrt(m) + 6.0).astype(np.int64) + 1)


def _rungs(m: NDArray[np.int64], nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return which of the nodes are the rungs."""
    angles = _RUNGS * np.sqrt(2.0 * _FALLEN / np.maximum(m, 1))[:, None]
    turns = np.floor(angles / (2.0 * math.pi) * nodes[:, None]).astype(np.int64) + 1
    return np.asarray(np.minimum(turns, nodes[:, None] // 2))


def _on_circle(
    coefficients: NDArray[np.float64], nodes: NDArray[np.int64], turns: NDArray[np.int64]
) -> NDArray[np.complex128]:
    """Return polynomials, one a row, at e^(2 pi i turns / nodes), shape (rows, turns)."""
    unit = 2j * math.pi / nodes[:, None]
    # The turns are whole, so that whole circles may be left out before anything is rounded.
    return _values(coefficients, lambda power: np.exp(unit * (power * turns % nodes[:, None])))


def _values(
    coefficients: NDArray[np.float64], power: Callable[[int], NDArray[np.complex128]]
) -> NDArray[np.complex128]:
    """Return polynomials, one a row, at numbers given by their powers, shape (rows, numbers).

    In blocks: powers up to a block are products, and from block to block it is Horner's rule.
    """
    rows, size = coefficients.shape
    block = 1 << round(0.5 * math.log2(size))
    padded = np.zeros((rows, -(-size // block), block))
    padded.reshape(rows, -1)[:, :size] = coefficients
    # A real matrix times real and imaginary parts side by side: so small a one for each row that it
    # wakes no threads.
    inner = (padded @ _powers(power(1), block).view(np.float64)).view(np.complex128)
    found = inner[:, -1]
    if inner.shape[1] > 1:
        step = power(block)
        for place in range(inner.shape[1] - 2, -1, -1):
            found = found * step
            found += inner[:, place]
    return found


def _powers(base: NDArray[np.complex128], block: int) -> NDArray[np.complex128]:
    """Return the powers from 0 up to a block, shape (rows, block, numbers) for (rows, numbers)."""
    found = np.empty((len(base), block, base.shape[1]), dtype=np.complex128)
    found[:, 0] = 1.0
    size, power = 1, base
    while size < block:
        np.multiply(found[:, :size], power[:, None, :], out=found[:, size : 2 * size])
        size *= 2
        if size < block:
            power = power * power
    return found


def _ladder(up: NDArray[np.float64], down: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return numbers around a 1, by the ratio of each to the one nearer to it."""
    size = down.shape[1]
    found = np.ones((len(up), size + 1 + up.shape[1]))
    np.cumprod(up, axis=1, out=found[:, size + 1 :])
    np.cumprod(down, axis=1, out=found[:, :size][:, ::-1])
    return found


def _binomial(
    draws: NDArray[np.int64], p: NDArray[np.float64], right: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return binomial weights, shape (cells, numbers), and the first number of each cell.

    They reach as far as matters; where a number cannot be it is 0.
    """
    mode = np.minimum(np.floor((draws + 1) * p), draws).astype(np.int64)
    reach = math.ceil(_far(_DEEP + 6.0, (draws * p * right).max()))
    reach = min(reach, int(draws.max()))
    with np.errstate(divide="ignore"):
        odds = np.minimum(p / right, 1e300)[:, None]
    number = mode[:, None] + np.arange(1, reach + 1)
    up = odds * np.maximum(draws[:, None] + 1 - number, 0) / number
    number = mode[:, None] - np.arange(reach)
    down = np.maximum(number, 0) / np.maximum((draws[:, None] + 1 - number) * odds, 1e-300)
    weights = _ladder(up, down)
    return mode - reach, weights / weights.sum(axis=1, keepdims=True)


def _polynomial(
    cells: Cells,
    p: NDArray[np.float64],
    right: NDArray[np.float64],
    q: NDArray[np.complex128],
    rest: NDArray[np.complex128],
) -> NDArray[np.float64]:
    """Return e^rest times how likely at most so many bits are wrong, each with chance q; its real part."""
    first, around = _binomial(cells.told, p[:, 0], right[:, 0])
    # From 0 on; those above `most` are not asked.
    base = np.maximum(first, 0)[:, None]
    numbers = base + np.arange(
        min(max(1, int((cells.most[:, None] - base).max()) + 1), around.shape[1])
    )
    place = numbers - first[:, None]
    weights = np.take_along_axis(around, np.minimum(place, around.shape[1] - 1), axis=1)
    weights *= (place < around.shape[1]) & (numbers <= cells.most[:, None])
    if cells.steady.any():
        least, steady = _binomial(cells.steady, cells.chance, 1.0 - cells.chance)
        at = cells.most[:, None] - numbers - least[:, None]
        sums = np.minimum(np.cumsum(steady, axis=1), 1.0)
        weights *= np.where(
            at < 0, 0.0, np.take_along_axis(sums, np.clip(at, 0, steady.shape[1] - 1), axis=1)
        )
    change = q - p
    wrong, good = _log_ratio(change, p), _log_ratio(-change, right)
    apart = wrong - good
    high = rest + base * wrong + (cells.told[:, None] - base) * good
    # All powers are to be floats: mostly they are, and else each term is taken by itself.
    steep = _HIGH / weights.shape[1]
    calm = np.minimum(apart.real, steep) + 1j * apart.imag
    found = _exp(high) * _values(weights, lambda power: np.exp(power * calm))
    row, at = np.nonzero((apart.real > steep) | (high.real > _HIGH))
    if row.size:
        each = high[row, at, None] + apart[row, at, None] * np.arange(weights.shape[1])
        found[row, at] = (weights[row] * _exp(each)).sum(axis=1)
    return np.asarray(found.real)


def _exp(log: NDArray[np.complex128]) -> NDArray[np.complex128]:
    """Return exponentials; what would be no float is not asked."""
    return np.asarray(np.exp(np.minimum(log.real, _HIGH) + 1j * log.imag))


def _log_ratio(
    change: NDArray[np.complex128], whole: NDArray[np.float64]
) -> NDArray[np.complex128]:
    """Return the log of what a change makes of a whole, over it; 0 where that is nothing.

    Of a small change it has as many digits as that: by the log of 1 + x, of a real number.
    """
    part = np.where(whole > _LEAST, change, 0.0) / np.where(whole > _LEAST, whole, 1.0)
    square = part.real * (2.0 + part.real) + part.imag**2
    size = np.maximum(np.abs(1.0 + part), _LEAST)
    log = np.where(square > -0.5, 0.5 * np.log1p(np.maximum(square, -0.5)), np.log(size))
    return np.asarray(log + 1j * np.arctan2(part.imag, 1.0 + part.real))
