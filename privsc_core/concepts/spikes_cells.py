"""The exact law of the number of wrong bits on `spikes`, of many cells together.

As in `spikes_law` the sample's size is Poisson on a circle, so that counts K of the bits are
independent. At an angle theta a bit is wrong with the complex chance q = E rho(K) e^{iK theta} /
E e^{iK theta}, and of `told` bits at most so many are wrong with that of a binomial law of q: a sum
without cancellation, as |q| + |1 - q| counts what E |e^{iK theta}| does. It is taken relative to the
law of the real q of theta = 0, and what depends on theta and the sample's size alone is shared.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import kl_div

from privsc_core.numerics.poisson import log_poisson

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
_WIDE = 1e4  # from this mean on everything is smooth over a twentieth of the deviation
_RUNGS = 1.01 * 2.0 ** (0.5 * np.arange(6))
_COARSER, _FEWEST = 1.25, 21.0  # numbers of nodes: each of so many serves all m up to the next
_LONGER = 1.5  # how much longer counts may be than those of the cells beside them
_ROWS = 128  # cells that are taken together
_MANY = 500
_BLOCK = 16
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
        size = np.maximum(m, 1).astype(np.float64)
        return cls(m, told, steady, most, chance, mean, np.where(m, log_poisson(size, size), 0.0))

    def at(self, which: NDArray[np.intp]) -> Cells:
        """Return some of them."""
        return Cells(*(x[which] for x in self))


def together(cells: Cells, profile: Profile) -> NDArray[np.float64]:
    """Return the chances of at most so many wrong bits to about 1e-13, NaN where angles are too many."""
    found = np.empty(cells.m.size)
    deviation = np.sqrt(cells.mean)
    step = np.exp2(np.floor(np.log2(np.where(cells.mean > _WIDE, deviation / 20.0, 1.0))))
    # Few cells go together that are less alike: then calls cost more than what they compute in vain.
    coarse = 1 if step.size > _MANY else 2
    level = _level(_far(_DEEP, cells.mean) / step, _LONGER**coarse)
    for which in _alike(level, (step > 1.0).astype(np.float64)):
        half = math.ceil(_LONGER ** (coarse * level[which[0]]))
        part = _Part(cells.at(which), step[which], half, which, profile, coarse)
        found[which] = part.chances()
    return found


def _far(log: float, variance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far from its mean a sum of independent counts never is, but for e^-log (Bernstein)."""
    return np.asarray(log / 3.0 + np.sqrt(log * log / 9.0 + 2.0 * log * variance))


def _level(size: NDArray[np.float64], ratio: float) -> NDArray[np.float64]:
    """Return which power of a ratio is at least so large."""
    return np.asarray(np.ceil(np.log(size) / math.log(ratio)))


def _alike(*keys: NDArray[np.float64]) -> Iterator[NDArray[np.intp]]:
    """Return which cells have equal keys, not too many together."""
    order = np.lexsort(keys)
    new = np.zeros(order.size, dtype=np.bool_)
    for key in keys:
        new[1:] |= np.diff(key[order]) != 0.0
    new[::_ROWS] = True
    yield from np.split(order, np.flatnonzero(new)[1:])


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
    coarse : int
        So many levels of circles are one.
    """

    def __init__(
        self,
        cells: Cells,
        step: NDArray[np.float64],
        half: int,
        which: NDArray[np.intp],
        profile: Profile,
        coarse: int,
    ) -> None:
        self.cells, self.step, self.coarse = cells, step, coarse
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
        self.p = self.wrong.sum(axis=1)
        self.right = (weights - self.wrong).sum(axis=1)

    def chances(self) -> NDArray[np.float64]:
        """Return the chances of at most so many wrong bits."""
        cells = self.cells
        every = np.maximum(cells.told + cells.steady, 1)
        expected = cells.told * self.p + cells.steady * cells.chance
        found = self.bounds(every, expected / every)
        found[(cells.most >= every) | ~(expected > _SURE)] = 1.0
        open_ = np.flatnonzero(np.isnan(found))
        if open_.size:
            levels = _level(9.0 * np.sqrt(cells.m) / _FEWEST + 1.0, _COARSER**self.coarse)
            rungs = np.zeros(cells.m.size)
            for rows in _alike(levels[open_], self.step[open_]):
                here = open_[rows]
                rungs[here] = self.rungs(here, self.circle(levels[here[0]]))
            for rows in _alike(rungs[open_]):
                here = open_[rows]
                if rungs[here[0]] < _RUNGS.size:
                    found[here] = self.integrals(here, levels[here], int(rungs[here[0]]))
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

    def circle(self, level: float) -> _Circle:
        """Return the circle of a level."""
        return _Circle.of(self.coarse * int(level), self.coarse)

    def sums(
        self, rows: NDArray[np.intp], circle: _Circle, rung: int | None
    ) -> NDArray[np.complex128]:
        """Return the sums of what is wrong over waves, from the first count on; see `_waves`."""
        waves = _waves(circle, int(self.step[rows[0]]), self.wrong.shape[1], rung)
        # No product of matrices: it would wake threads, which costs more than it gives.
        wrong = self.wrong[rows]
        real, imaginary = (np.einsum("ck,tk->ct", wrong, wave) for wave in waves)
        return np.asarray(real + 1j * imaginary)

    def tilted(
        self, rows: NDArray[np.intp], sums: NDArray[np.complex128], theta: NDArray[np.float64]
    ) -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
        """Return q at angles, and the log of what else the integrand has."""
        mean, m = self.cells.mean[rows, None], self.cells.m[rows, None]
        fall, ahead = 2.0 * np.sin(0.5 * theta) ** 2, np.sin(theta) - theta
        phase = mean * ahead + (mean - self.first[rows, None]) * theta
        q = sums * np.exp(np.minimum(mean * fall, _HIGH) - 1j * phase)
        return q, m * (1j * ahead - fall)

    def rungs(self, rows: NDArray[np.intp], circle: _Circle) -> NDArray[np.float64]:
        """Return from which rung on the integrand is nothing; if from none, their number."""
        sums = self.sums(rows, circle, None)
        theta = circle.turn * np.array(circle.rungs)
        q, rest = self.tilted(rows, sums, theta)
        with np.errstate(divide="ignore"):
            logs = rest.real + self.cells.told[rows, None] * np.log(np.abs(q) + np.abs(1.0 - q))
        deep = (logs < -_DEEP) | (np.array(circle.rungs) == circle.nodes // 2)
        deep &= 2.0 * self.cells.mean[rows, None] * np.sin(0.5 * theta) ** 2 < _HIGH
        return np.asarray((~np.logical_and.accumulate(deep[:, ::-1], axis=1)).sum(axis=1))

    def integrals(
        self, rows: NDArray[np.intp], levels: NDArray[np.float64], rung: int
    ) -> NDArray[np.float64]:
        """Return the chances where the integrand is nothing from a rung on."""
        circles = [self.circle(level) for level in levels.tolist()]
        last = max(circle.rungs[rung] for circle in circles)
        sums = np.zeros((rows.size, last + 1), dtype=np.complex128)
        for some in _alike(levels, self.step[rows]):
            circle = circles[some[0]]
            sums[some, : circle.rungs[rung] + 1] = self.sums(rows[some], circle, rung)
        nodes = np.array([circle.nodes for circle in circles])[:, None]
        turns = np.arange(last + 1)
        q, rest = self.tilted(rows, sums, 2.0 * math.pi / nodes * turns)
        ends = np.array([circle.rungs[rung] for circle in circles])[:, None]
        times = np.where(turns <= ends, np.where(turns, 2.0, 1.0), 0.0) / nodes
        cells = self.cells.at(rows)
        rest = rest - cells.log_hit[:, None]
        terms = _polynomial(cells, self.p[rows, None], self.right[rows, None], q, rest)
        return np.asarray(np.clip(np.einsum("ct,ct->c", times, terms), UNSEEN, 1.0))


class _Circle(NamedTuple):
    """Where the integral is taken for all m of a level: how many nodes, and rungs among them.

    From a rung on the integrand is nothing if what is wrong tells little of the counts.
    """

    level: int
    nodes: int
    rungs: tuple[int, ...]

    @property
    def turn(self) -> float:
        """The angle of the first node."""
        return 2.0 * math.pi / self.nodes

    @classmethod
    @lru_cache(maxsize=256)
    def of(cls, level: int, coarse: int) -> _Circle:
        """Return that of a level, where so many levels are one."""
        nodes = 2 * math.ceil(_FEWEST * _COARSER**level / 2.0) + 1
        least = (_FEWEST * (_COARSER ** max(level - coarse, 0) - 1.0) / 9.0) ** 2
        angles = _RUNGS * math.sqrt(2.0 * _DEEP / max(least, 1.0))
        rungs = np.minimum(np.floor(angles / (2.0 * math.pi) * nodes) + 1, nodes // 2)
        return cls(level, nodes, tuple(rungs.astype(int).tolist()))


@lru_cache(maxsize=192)
def _waves(circle: _Circle, step: int, counts: int, rung: int | None) -> NDArray[np.float64]:
    """Return cosine and sine of k theta, k = 0, step, ..., at nodes up to a rung, or at all rungs."""
    turns = np.array(circle.rungs) if rung is None else np.arange(circle.rungs[rung] + 1)
    turned = np.outer(turns, step * np.arange(counts)) % circle.nodes
    waves = np.exp(circle.turn * 1j * turned)
    return np.stack([waves.real, waves.imag])


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
    blocks = -(-weights.shape[1] // _BLOCK)
    weights = np.pad(weights, ((0, 0), (0, blocks * _BLOCK - weights.shape[1])))
    wrong, good = _log_ratio(q, p), _log_ratio(1.0 - q, right)
    apart = wrong - good
    apart = np.clip(apart.real, -_STEEP, _STEEP) + 1j * apart.imag
    base = numbers[:, :1]
    high = rest + base * wrong + (cells.told[:, None] - base) * good
    far = high[..., None] + _BLOCK * np.arange(blocks) * apart[..., None]
    near = np.ones((*q.shape, _BLOCK), dtype=np.complex128)
    near[..., 1:] = np.exp(apart)[..., None]
    np.cumprod(near, axis=-1, out=near)
    inner = np.einsum(
        "cfn,ctn->ctf", weights.reshape(len(weights), blocks, _BLOCK).astype(np.complex128), near
    )
    far = np.exp(np.minimum(far.real, _HIGH) + 1j * far.imag)
    return np.asarray((far * inner).real.sum(axis=-1))


def _log_ratio(part: NDArray[np.complex128], whole: NDArray[np.float64]) -> NDArray[np.complex128]:
    """Return the log of a quotient, any where the whole is nothing: then it is taken 0 times."""
    ratio = np.where(whole > _LEAST, part, 1.0) / np.where(whole > _LEAST, whole, 1.0)
    return np.asarray(np.log(np.where(ratio, ratio, _LEAST)))
