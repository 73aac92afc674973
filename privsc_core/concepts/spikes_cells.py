"""The exact law of the number of wrong bits on `spikes`, of many cells together.

As in `spikes_law` the sample's size is Poisson on a circle, so that counts K of the bits are
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

from privsc_core.numerics.poisson import log_poisson, log_poisson_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    # (counts, which cells, a column) -> how likely a bit that was seen so often is wrong
    Profile = Callable[[NDArray[np.float64], NDArray[np.intp]], NDArray[np.float64]]

__all__ = ["UNSEEN", "Cells", "together"]

UNSEEN = 1e-18
"""So small a share of a sum is not seen."""

_SURE = 1e-17  # expected wrong bits that are none
_DEEP = 40.0  # e^-40 is nothing beside 1
# From this mean on most profiles are smooth over an eighth of the deviation: those of which sums over
# every other number that is looked at are as much are. They may differ by so much, absolute and relative.
_WIDE, _SMOOTH = 400.0, 8.0
_SAME = 1e-20, 1e-14
# From the first of these angles on, times the root of 80 / m, the integrand is nothing if what is wrong
# tells little of the counts.
_RUNGS = 1.01 * 2.0 ** (0.5 * np.arange(6))
# How much longer counts may be than those of the cells beside them. It may not depend on how many cells
# there are: who is beside a cell would be seen in the thirteenth digit of its chance.
_LONGER = 2.25
_ROWS = 256  # cells that are taken together
_FEW, _ENTRIES = 24, 1 << 17
_LOOKUP = 20.0  # an exponential costs as much as so many products
_STEEP, _HIGH = 45.0, 700.0  # logs of ratios of neighbouring terms, and of any term
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
    """Return the chances if every so-manieth count is looked at, and whether that is enough."""
    found, smooth = np.empty(cells.m.size), np.ones(cells.m.size, dtype=np.bool_)
    level = _level(_far(_DEEP, cells.mean) / step, _LONGER)
    # By their bits, so that those together have about as many numbers of wrong ones as well.
    for which in _alike(level, (step > 1.0).astype(np.float64), order=cells.told):
        half = math.ceil(_LONGER ** level[which[0]])
        for some in np.array_split(which, -(-which.size * half // _ENTRIES)):
            part = _Part(cells.at(some), step[some], half, some, profile)
            found[some], smooth[some] = part.chances(), part.smooth
    return found, smooth


def _far(log: float, variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far from its mean a sum of independent counts never is, but for e^-log (Bernstein)."""
    return np.asarray(log / 3.0 + np.sqrt(log * log / 9.0 + 2.0 * log * variance))


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
        Every so-manieth count is looked at.
    half : int
        How many of them on both sides of the mean.
    which : ndarray of int
        The numbers of the cells.
    profile : callable
    """

    def __init__(
        self,
        cells: Cells,
        step: NDArray[np.float64],
        half: int,
        which: NDArray[np.intp],
        profile: Profile,
    ) -> None:
        self.cells, self.step = cells, step
        first = np.floor(cells.mean) - half * step
        counts = first[:, None] + step[:, None] * np.arange(2.0 * half + 1.0)
        if step[0] == 1.0:
            weights = _ladder(
                cells.mean[:, None] / np.maximum(counts[:, half + 1 :], 1.0),
                np.maximum(counts[:, half:0:-1], 0.0) / np.where(cells.mean, cells.mean, 1.0)[:, None],
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
        # As 1 - q below, and not as a sum of its own: where they differ by an ulp, a power does by many.
        self.right = 1.0 - self.p

    def chances(self) -> NDArray[np.float64]:
        """Return the chances of at most so many wrong bits."""
        cells = self.cells
        every = np.maximum(cells.told + cells.steady, 1)
        expected = cells.told * self.p + cells.steady * cells.chance
        found = self.bounds(every, expected / every)
        found[(cells.most >= every) | ~(expected > _SURE)] = 1.0
        open_ = np.flatnonzero(np.isnan(found))
        if open_.size:
            nodes, turns = _nodes(cells.m[open_])
            rungs = self.rungs(open_, nodes, turns)
            told = np.flatnonzero(rungs < _RUNGS.size)
            # Where they are many those go together that have about as many nodes.
            alike = _alike(rungs[told]) if told.size > _FEW else [np.arange(told.size)]
            for some in alike if told.size else ():
                rows = told[some]
                last = turns[rows, rungs[rows].astype(np.int64)]
                found[open_[rows]] = self.integrals(open_[rows], nodes[rows], last)
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

    def rungs(
        self, rows: NDArray[np.intp], nodes: NDArray[np.int64], turns: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return from which rung on the integrand is nothing; if from none, their number."""
        q, rest = self.tilted(rows, nodes, turns)
        with np.errstate(divide="ignore"):
            logs = rest.real + self.cells.told[rows, None] * np.log(np.abs(q) + np.abs(1.0 - q))
        deep = (logs < -_DEEP) | (turns == nodes[:, None] // 2)
        deep &= -self.cells.mean[rows, None] * rest.real <= _HIGH * self.cells.m[rows, None]
        found = (~np.logical_and.accumulate(deep[:, ::-1], axis=1)).sum(axis=1)
        return np.asarray(found, dtype=np.float64)

    def integrals(
        self, rows: NDArray[np.intp], nodes: NDArray[np.int64], last: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the chances where the integrand is nothing after some node."""
        turns = np.arange(int(last.max()) + 1)
        q, rest = self.tilted(rows, nodes, np.broadcast_to(turns, (rows.size, turns.size)))
        times = np.where(turns <= last[:, None], np.where(turns, 2.0, 1.0), 0.0) / nodes[:, None]
        cells = self.cells.at(rows)
        rest = rest - cells.log_hit[:, None]
        terms = _polynomial(cells, self.p[rows, None], self.right[rows, None], q, rest)
        return np.asarray(np.clip(np.einsum("ct,ct->c", times, terms), UNSEEN, 1.0))


def _nodes(m: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for every m how many nodes its circle has, and which of them are the rungs."""
    nodes = 2 * np.ceil(4.5 * np.sqrt(m) + 10.5).astype(np.int64) + 1
    angles = _RUNGS * np.sqrt(2.0 * _DEEP / np.maximum(m, 1))[:, None]
    turns = np.floor(angles / (2.0 * math.pi) * nodes[:, None]).astype(np.int64) + 1
    return nodes, np.minimum(turns, nodes[:, None] // 2)


def _on_circle(
    coefficients: NDArray[np.float64], nodes: NDArray[np.int64], turns: NDArray[np.int64]
) -> NDArray[np.complex128]:
    """Return polynomials, one a row, at e^(2 pi i turns / nodes), shape (rows, turns)."""
    padded = _blocks(coefficients)
    _, blocks, block = padded.shape
    unit = 2j * math.pi / nodes[:, None]
    # The turns are whole, so that whole circles may be left out before anything is rounded.
    inner = padded @ _powers(np.exp(unit * (turns % nodes[:, None])), block)
    far = turns[:, None, :] * (block * np.arange(blocks))[:, None] % nodes[:, None, None]
    far = np.exp(unit[..., None] * far)
    return np.asarray(np.einsum("cft,cft->ct", far, inner.view(np.complex128)))


def _blocks(coefficients: NDArray[np.float64], most: float = math.inf) -> NDArray[np.float64]:
    """Return rows of numbers in blocks of at most so many, shape (rows, blocks, block), ended by zeros.

    Powers of a number up to a block are products, and those of blocks are exponentials.
    """
    rows, size = coefficients.shape
    block = 1 << max(round(math.log2(min(math.sqrt(_LOOKUP * size), most / math.sqrt(2.0)))), 0)
    blocks = -(-size // block)
    found = np.zeros((rows, blocks * block))
    found[:, :size] = coefficients
    return found.reshape(rows, blocks, block)


def _powers(base: NDArray[np.complex128], block: int) -> NDArray[np.float64]:
    """Return the powers from 0 up to a block, real and imaginary parts side by side.

    Shape (rows, block, 2 angles) for (rows, angles): a real matrix times them is a product of real
    matrices, so small a one for each row that it wakes no threads.
    """
    found = np.ones((len(base), block, base.shape[1]), dtype=np.complex128)
    size, power = 1, base
    while size < block:
        np.multiply(found[:, :size], power[:, None, :], out=found[:, size : 2 * size])
        size *= 2
        if size < block:
            power = power * power
    return found.view(np.float64)


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
    first, weights = _binomial(cells.told, p[:, 0], right[:, 0])
    numbers = first[:, None] + np.arange(weights.shape[1])
    if cells.steady.any():
        least, steady = _binomial(cells.steady, cells.chance, 1.0 - cells.chance)
        at = cells.most[:, None] - numbers - least[:, None]
        sums = np.minimum(np.cumsum(steady, axis=1), 1.0)
        weights *= np.where(
            at < 0, 0.0, np.take_along_axis(sums, np.clip(at, 0, steady.shape[1] - 1), axis=1)
        )
    # Of the middle each is so many steps away; those above `most` are not asked.
    start = max(0, int((-first).min()))
    stop = max(start + 1, int((cells.most - first).max()) + 1)
    weights, numbers = weights[:, start:stop], numbers[:, start:stop]
    if not cells.steady.any():
        weights *= numbers <= cells.most[:, None]
    wrong, good = _log_ratio(q, p), _log_ratio(1.0 - q, right)
    apart = wrong - good
    apart = np.clip(apart.real, -_STEEP, _STEEP) + 1j * apart.imag
    base = numbers[:, :1]
    high = rest + base * wrong + (cells.told[:, None] - base) * good
    # Powers of a block are to be floats.
    padded = _blocks(weights, 1 + int(_HIGH / max(float(np.abs(apart.real).max()), 1.0)))
    _, blocks, block = padded.shape
    far = high[:, None, :] + (block * np.arange(blocks))[:, None] * apart[:, None, :]
    inner = (padded @ _powers(np.exp(apart), block)).view(np.complex128)
    far = np.exp(np.minimum(far.real, _HIGH) + 1j * far.imag)
    return np.asarray(np.einsum("cft,cft->ct", far, inner).real)


def _log_ratio(part: NDArray[np.complex128], whole: NDArray[np.float64]) -> NDArray[np.complex128]:
    """Return the log of a quotient, any where the whole is nothing: then it is taken 0 times."""
    ratio = np.where(whole > _LEAST, part, 1.0) / np.where(whole > _LEAST, whole, 1.0)
    return np.asarray(np.log(np.where(ratio, ratio, _LEAST)))
