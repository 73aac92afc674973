"""CH11's learner for label privacy as it stands there: few cuts, spread evenly over the ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from scipy import special
from scipy.stats import binom

from privsc_core.concepts.contracts import Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.laws import averaged, exact
from privsc_core.concepts.style import PURPLE, Style
from privsc_core.concepts.threshold.learners.ranks import Ranks
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution

__all__ = ["RanksCoarse", "gap"]

# A chance whose exponent is below that is 0 as a float.
_NEVER = 750.0
# Below that it is not seen beside 1.
_UNSEEN = 42.0
_ROUNDING = 1e-17
_LARGE = 10**6
# Tables serve sides of fewer points, so many numbers of points each; where they are wide, more lookups.
_MANY = 4096
_FEW = 1 << 14
_ROWS = 256
# Fewer than that are computed one by one.
_SHARED = 40
_POWERS = 2.0 ** (-0.5 * np.arange(13))


def gap(m: int, alpha: Fraction) -> int:
    """Return by how many ranks neighbouring candidates differ: floor(alpha m / 4) + 1."""
    return alpha.numerator * m // (4 * alpha.denominator) + 1


@dataclass(frozen=True)
class RanksCoarse(Ranks):
    """CH11's A_2: candidates at every g-th rank, a packing and a cover at the scale alpha / 4."""

    name: ClassVar[str] = "ranks-coarse"
    title: ClassVar[str] = "A₂: every g-th cut (labels private)"
    source: ClassVar[Source] = Source("CH11", "Figure 3")
    summary: ClassVar[str] = (
        "The exponential mechanism over every g-th of the m + 1 cuts, g = ⌊αm/4⌋ + 1, by their "
        "mistakes: only the labels are protected."
    )
    style: ClassVar[Style] = PURPLE
    # So that g is 2, and the candidates are not all cuts.
    tiny: ClassVar[TinyInstance] = TinyInstance(d=1, m=7, epsilon=1.0, alpha=0.6, beta=0.2)

    def candidates(self, m: int, alpha: float) -> NDArray[np.int64]:
        """Return how many points lie before each cut."""
        return np.arange(0, m + 1, gap(m, decimal(alpha)))

    def success(self, distribution: Distribution, setting: Setting) -> Estimate:
        """Return the law, averaged over how many points lie left of z.

        With J of m there and q = e^{-eps/2}, cut k has weight q^{|k - J|}. It is accurate iff of
        the points on its side, m - J or J, each within mass alpha of z with probability 2 alpha,
        more than k - J, at least J - k are.
        """
        distribution.check(d=int(setting.d.min()), alpha=setting.alpha)
        if int(setting.m.max()) <= _LARGE:
            return self._law(setting)
        # Sums over so many counts, where failures are seen nowhere, are not formed.
        logs = np.broadcast_to(_log_lost(setting, setting), setting.shape)
        open_ = logs > (-_NEVER if setting.extreme else -_UNSEEN)
        lost = np.zeros(setting.shape)
        if open_.any():
            m, d, epsilon = np.broadcast_arrays(setting.m, setting.d, setting.epsilon)
            part = self._law(replace(setting, m=m[open_], d=d[open_], epsilon=epsilon[open_]))
            lost[open_] = 1.0 - part.value if part.failure is None else part.failure
        return exact(1.0 - lost, setting, lost)

    @staticmethod
    def _law(setting: Setting) -> Estimate:
        share = decimal(setting.alpha)
        reach = _Reach(float(2 * share), setting.extreme, setting.extreme and setting.beta >= 0.5)

        def odds(
            left: NDArray[np.float64], right: NDArray[np.float64], speed: NDArray[np.float64]
        ) -> NDArray[np.float64]:
            sizes = (left + right)[:1]
            steps = np.array([gap(int(m), share) for m in sizes.ravel().tolist()], dtype=np.float64)
            return _odds(left, right, speed, steps.reshape(sizes.shape), reach)

        # What lies right of z counts at every size: the rate is 0.
        return averaged(setting, 0.5, (0.5 * setting.epsilon,), odds, rate=0.0)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Tell that success may fall: where g grows, or another cut comes in at k = m."""
        del distribution, alpha
        return False

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return what success is at least, and at most, for every m of an interval.

        Let A points right of z be within reach and B left of it, and J lie left of z. Were there
        candidates at every g-th whole number, x the first at J or above, they would weigh W =
        (q^x + q^(g-x)) / (1 - q^g), the distances from J counted; 2 q^(g/2) <= W (1 - q^g) <= 1 + q^g.

        At least: the candidates that are not there are bad ones, and the bad ones would weigh at
        most (q^A + q^(B+1)) / (1 - q^g). The failure is at most the quotient, and its power theta <= 1,
        of mean at most 2^-theta q^(-theta g/2) (1 + q^theta) (1 - alpha (1 - q^theta))^m. As g <=
        alpha m/4 + 1, the log of this is below a linear function of m: the larger end decides.

        At most: the bad ones weigh at least (q^(A+g-1) - q^(m-J+1) + q^(B+g) - q^(J+1)) / (1 - q^g).
        So the failure is at least (q^(g-1) (1 + q) r^m - 2 q ((1 + q)/2)^m) / (1 + q^g), r = 1 - alpha
        (1 - q). And nobody is accurate where no point is within reach.
        """
        low, high = _least(first, last), _most(first, last)
        alone = first.m == last.m
        if not alone.any():
            return low, high
        law = self.success(distribution, first)
        return (
            exact(np.where(alone, law.value, low.value), first, _chosen(alone, law, low)),
            exact(np.where(alone, law.value, high.value), first, _chosen(alone, law, high)),
        )


def _least(first: Setting, last: Setting) -> Estimate:
    lost = np.exp(np.minimum(_log_lost(first, last), 0.0))
    return exact(1.0 - lost, first, lost)


def _log_lost(first: Setting, last: Setting) -> NDArray[np.float64]:
    """Return the log of what the failure does not pass, see `RanksCoarse.span`."""
    power = _POWERS * 0.5 * first.epsilon[..., None]
    rate = np.log1p(first.alpha * np.expm1(-power))
    ends = (
        0.5 * power * (0.25 * first.alpha * m[..., None] + 1.0) + m[..., None] * rate
        for m in (first.m, last.m)
    )
    logs = np.maximum(*ends) - _POWERS * np.log(2.0) + np.log1p(np.exp(-power))
    return np.asarray(logs.min(axis=-1))


def _most(first: Setting, last: Setting) -> Estimate:
    speed, alpha = 0.5 * first.epsilon, first.alpha
    few, many = 0.25 * alpha * first.m, 0.25 * alpha * last.m + 1.0
    q = np.exp(-speed)
    passed = np.exp(last.m * np.log1p(alpha * np.expm1(-speed)) - speed * (many - 1.0)) * (1.0 + q)
    ended = 2.0 * q * np.exp(first.m * np.log1p(0.5 * np.expm1(-speed)))
    weighed = (passed - ended) / (1.0 + np.exp(-speed * few))
    lost = np.maximum(weighed, np.exp(last.m * np.log1p(-float(2 * decimal(alpha)))))
    return exact(1.0 - lost, first, lost)


def _chosen(alone: NDArray[np.bool_], law: Estimate, span: Estimate) -> NDArray[np.float64] | None:
    """Return the failures, where both have them."""
    if law.failure is None or span.failure is None:
        return None
    return np.where(alone, law.failure, span.failure)


@dataclass(frozen=True, slots=True)
class _Reach:
    """How likely the points of one side lie within mass alpha of z.

    Attributes
    ----------
    mass : float
        2 alpha, that of one point of the side.
    extreme, rare : bool
        Whether failures, or successes, are so rare that they need digits of their own.
    """

    mass: float
    extreme: bool
    rare: bool

    def chances(
        self, points: NDArray[np.float64], count: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the chances that more than `count` of the points are within reach, and that not."""
        points, count = np.broadcast_arrays(points, count)
        mean = points * self.mass
        off = count - mean
        # Bernstein's inequality: beyond, the smaller chance does not count.
        least = _NEVER if self.extreme else _UNSEEN
        near = off * off <= 2.0 * least * (mean + np.abs(off) / 3.0)
        near &= count < points
        missed = np.where((off < 0.0) & (count < points), 0.0, 1.0)
        of, most = points[near], count[near]
        if of.size > (_MANY if self.extreme else 0) and of.max() < _FEW:
            missed[near] = _looked_up(self.mass, of.astype(np.int64), most.astype(np.int64), least)
        elif of.size:
            missed[near] = _along_sides(self.mass, of.astype(np.int64), most.astype(np.int64))
        hit = 1.0 - missed
        if self.rare:
            hit[near] = special.betainc(most + 1.0, of - most, self.mass)
        return hit, missed


def _looked_up(
    mass: float, n: NDArray[np.int64], count: NDArray[np.int64], least: float
) -> NDArray[np.float64]:
    """Return Pr[Bin(n, mass) <= count] from tables: many times faster than one by one."""
    found = np.empty(n.shape)
    block = n // _ROWS
    for number in range(int(block.min()), int(block.max()) + 1):
        here = np.flatnonzero(block == number)
        if not here.size:
            continue
        first, table = _table(mass, number, least)
        found[here] = table[n[here] - number * _ROWS, count[here] - first]
    return found


def _along_sides(
    mass: float, n: NDArray[np.int64], count: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return Pr[Bin(n, mass) <= count] for many n that share their counts, or their misses.

    That of k misses or more rises by the chance of the k-th with the next point, that of c hits or
    fewer falls by the chance of one more: sums of positive terms from the end where they are least.
    """
    misses = n - count
    shared = min((misses, count), key=lambda x: np.unique(x).size)
    rising = shared is misses
    of, hits = (1.0 - mass, misses - 1) if rising else (mass, count)
    found = np.empty(n.shape)
    order = np.argsort(shared, kind="stable")
    starts = np.flatnonzero(np.diff(shared[order], prepend=-1))
    few = np.diff(starts, append=order.size) < _SHARED
    alone = order[np.repeat(few, np.diff(starts, append=order.size))]
    found[alone] = special.betaincc(count[alone] + 1.0, misses[alone], mass)
    if few.all():
        return found
    runs = [
        run
        for run, by_itself in zip(np.split(order, starts[1:]), few, strict=True)
        if not by_itself
    ]
    same = np.array([hits[run[0]] for run in runs])
    first, last = (np.array([end(n[run]) for run in runs]) for end in (np.min, np.max))
    likely = np.clip(np.round(same / of).astype(np.int64), first, last)
    top = np.asarray(of * binom.pmf(same, likely, of))
    misses_least, hits_least = (same + 1.0, first - same) if rising else (last - same, same + 1.0)
    least: NDArray[np.float64] = np.asarray(special.betaincc(hits_least, misses_least, mass))
    for i, run in enumerate(runs):
        steps = top[i] * _relative(of, same[i], first[i], likely[i], last[i])[:-1]
        summed = np.cumsum(steps if rising else steps[::-1])
        table = least[i] + np.concatenate([[0.0], summed])
        at = n[run] - first[i] if rising else last[i] - n[run]
        found[run] = np.minimum(table[at], 1.0)
    return found


def _relative(chance: float, hits: int, first: int, likely: int, last: int) -> NDArray[np.float64]:
    """Return Pr[Bin(n, chance) = hits] for n from first to last, relative to that of `likely`."""
    above = np.arange(likely + 1, last + 1, dtype=np.float64)
    below = np.arange(likely, first, -1, dtype=np.float64)
    up = np.cumprod(above / (above - hits) * (1.0 - chance))
    down = np.cumprod((below - hits) / (below * (1.0 - chance)))
    return np.concatenate([down[::-1], [1.0], up])


@lru_cache(maxsize=24)
def _table(mass: float, block: int, least: float) -> tuple[int, NDArray[np.float64]]:
    """Return Pr[Bin(n, mass) <= c] for the n of a block and the c near their means.

    The second is by rows of n, in sums of positive terms; below the first c it is 0 but for e^-least.
    """
    low, high = block * _ROWS, (block + 1) * _ROWS
    first, last = (n * mass for n in (low, high))
    # Where off^2 = 2 least (mean + off / 3), and a little more.
    wide = least / 3.0 + math.sqrt(least**2 / 9.0 + 2.0 * least * last) + 2.0
    start = max(math.floor(first - wide), 0)
    count = np.arange(start, min(math.ceil(last + wide), high) + 1, dtype=np.float64)
    found = np.ones((_ROWS, count.size))
    below = count < low
    found[0, below] = special.betaincc(count[below] + 1.0, low - count[below], mass)
    for n in range(1, _ROWS):
        found[n] = (1.0 - mass) * found[n - 1]
        found[n, 1:] += mass * found[n - 1, :-1]
    return start, found


def _odds(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    speed: NDArray[np.float64],
    step: NDArray[np.float64],
    reach: _Reach,
) -> NDArray[np.float64]:
    """Return the odds against success, in sums of positive terms.

    Candidates with fewer than J = `left` points before them are accurate iff at least J - k of
    those are within reach; the others iff more than k - J of the `right` ones are.
    """
    # How many there are on either side, and how far the first of them is from J.
    fewer = np.ceil(left / step)
    others = np.floor((left + right) / step) + 1.0 - fewer
    before, after = left - (fewer - 1.0) * step, fewer * step - left
    near = np.minimum(np.where(fewer > 0.0, before, np.inf), np.where(others > 0.0, after, np.inf))
    good: NDArray[np.float64] = np.zeros(())
    lost: NDArray[np.float64] = np.zeros(())
    sides = ((left, before, before - 1.0, fewer), (right, after, after, others))
    for points, away, passed, number in sides:
        side = _Side(away - near, passed, number, speed, step)
        reached, missed = side.weights(points, reach)
        good, lost = good + reached, lost + missed
    return np.asarray(lost / np.maximum(good, 1e-300))


class _Side(NamedTuple):
    """The candidates of one side of z, from z outwards.

    The t-th of `number` weighs e^{-speed (away + t step)}, `away` beyond the nearest of both sides,
    and is accurate iff more than passed + t step of the points of the side are within reach.
    """

    away: NDArray[np.float64]
    passed: NDArray[np.float64]
    number: NDArray[np.float64]
    speed: NDArray[np.float64]
    step: NDArray[np.float64]

    def weights(
        self, points: NDArray[np.float64], reach: _Reach
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the accurate and the inaccurate ones weigh."""
        fall = self.speed * self.step
        ratio, all_ = np.exp(-fall), -1.0 / np.expm1(-fall)
        weight = np.exp(-self.speed * np.where(self.number > 0.0, self.away, np.inf))
        weight = np.broadcast_to(weight, np.broadcast_shapes(weight.shape, fall.shape))
        good = lost = np.zeros(weight.shape)
        t = 0.0
        while True:
            hit, missed = reach.chances(points, self.passed + t * self.step)
            # No more than all from the t-th on would weigh if there were no last one.
            ahead = weight * all_
            enough = np.minimum(good, lost + ahead * missed) if reach.extreme else good
            if (ahead * hit <= _ROUNDING * enough).all():
                rest = np.maximum(self.number - t, 0.0)
                return good, lost - ahead * np.expm1(-fall * rest)
            good, lost, t = good + weight * hit, lost + weight * missed, t + 1.0
            weight = np.where(self.number > t, weight * ratio, 0.0)
