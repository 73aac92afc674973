"""CH11's learner for label privacy as it stands there: few cuts, spread evenly over the ranks."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from scipy import special
from scipy.stats import binom

from privsc_core.concepts.contracts import Cell, Estimate, Setting, Source, TinyInstance
from privsc_core.concepts.laws import against, averaged, exact, from_smaller
from privsc_core.concepts.style import PURPLE, Style
from privsc_core.concepts.threshold.learners.ranks import Ranks
from privsc_core.concepts.threshold.learners.ranks_coarse_drift import drift, stretches
from privsc_core.numerics.binomial import binomial_rows, binomial_window
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.numerics.binomial import Kernel

__all__ = ["RanksCoarse", "gap"]

# A chance whose exponent is below that is 0 as a float.
_NEVER = 750.0
# Below that it is not seen beside 1.
_UNSEEN = 42.0
_ROUNDING, _SUMMED = 1e-17, 2e-15
_LARGE = 10**6
# Tables serve sides of fewer points, so many numbers of points each; where they are wide, more lookups.
_MANY = 4096
_FEW = 1 << 14
_ROWS = 256
# Fewer than that are computed one by one; so many on average are not looked for in another order.
_SHARED, _LONG = 8, 40
# Numbers in one interval that are looked at by stretches, and looks at most; by how much bounds that
# decide are to be clear of rounding; parts of an interval that `span` is asked for first.
_STRETCHED, _LOOKS, _CLEAR, _PARTS = 1 << 18, 1 << 13, 1e-7, 256
# Up to that m it is faster to try them all.
_TRIED = 2048
# Elements of a table of sums.
_BLOCK = 1 << 17
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
        if math.prod(setting.shape) == 1:
            one = _alone(setting.m.item(), setting.epsilon.item(), setting.alpha, setting.beta)
            return exact(one.value, setting, one.failure)
        # What lies right of z counts at every size: the rate is 0.
        return averaged(setting, 0.5, (0.5 * setting.epsilon,), _kernel(setting), rate=0.0)

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

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return one end of `span`, or a closer one where that does not tell what suffices.

        The interval is cut where the candidates change, and each part bounded from the law at its
        middle, see `drift`. Parts that this leaves open are halved, until all are on one side of beta.
        A shorter interval has other middles, and may have a slightly wider end: what is told stays true.
        """
        found = super().envelope(distribution, first, last, upper=upper)
        if (first.extreme and first.beta >= 0.5) or first.alpha >= 0.49:
            return found
        lost = np.array(1.0 - found.value if found.failure is None else found.failure)
        told = _told(lost, first.beta, upper=upper)
        m, end, d, epsilon = np.broadcast_arrays(first.m, last.m, first.d, first.epsilon)
        for at in np.argwhere(~told & (end > np.maximum(m, _TRIED))).tolist():
            cell = tuple(at)
            one = replace(first, m=m[cell], d=d[cell], epsilon=epsilon[cell])
            closer = self._closer(distribution, one, int(end[cell]), upper=upper)
            if closer is not None:
                lost[cell], told[cell] = closer, True
        value = np.where(told, 1.0 - lost, found.value)
        return exact(value, first, None if found.failure is None else lost)

    def _closer(
        self, distribution: Distribution, first: Setting, last: int, *, upper: bool
    ) -> float | None:
        """Return a bound of the failures from first.m to `last` that is past beta, if there is one."""

        def at(m: NDArray[np.int64]) -> Setting:
            return replace(
                first, m=m, d=np.full(m.shape, first.d), epsilon=np.full(m.shape, first.epsilon)
            )

        def lost(found: Estimate) -> NDArray[np.float64]:
            return 1.0 - found.value if found.failure is None else found.failure

        known: list[NDArray[np.float64]] = []
        edges = np.unique(np.linspace(first.m.item(), last + 1, _PARTS + 1).astype(np.int64))
        start, end = edges[:-1], edges[1:] - 1
        bound = lost(self.span(distribution, at(start), at(end))[upper])
        open_ = ~_told(bound, first.beta, upper=upper)
        known.append(bound[~open_])
        start, end = start[open_], end[open_]
        if (end - start).sum() > _STRETCHED:
            return None
        start, end = stretches(start, end, decimal(first.alpha))
        looks = 0
        while start.size:
            looks += start.size
            if looks > _LOOKS:
                return None
            middle = (start + end) // 2
            law = lost(self.success(distribution, at(middle)))
            if not _told(law, first.beta, upper=upper).all():
                return None
            known.append(law)
            bounds = [drift(law, middle, n, first.alpha, upper=not upper) for n in (start, end)]
            bound = (np.minimum if upper else np.maximum)(*bounds)
            open_ = ~_told(bound, first.beta, upper=upper)
            known.append(bound[~open_])
            start, middle, end = start[open_], middle[open_], end[open_]
            # The middle itself is known to be on the right side.
            start, end = np.concatenate([start, middle + 1]), np.concatenate([middle - 1, end])
            start, end = start[start <= end], end[start <= end]
        every = np.concatenate(known)
        return float(every.min() if upper else every.max())


def _told(lost: Any, beta: float, *, upper: bool) -> NDArray[np.bool_]:
    """Tell which bounds of failures, from below for the upper end of success, are past beta."""
    margin = _CLEAR * min(beta, 1.0 - beta)
    return np.asarray(lost > beta + margin if upper else lost < beta - margin)


def _kernel(setting: Setting, *, apart: bool = False) -> Kernel:
    """Return the odds against success, as a function of the points on either side of z."""
    share, rare = decimal(setting.alpha), setting.extreme and setting.beta >= 0.5
    reach = _Reach(float(2 * share), setting.extreme, rare, apart)

    def odds(
        left: NDArray[np.float64], right: NDArray[np.float64], speed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        sizes = (left + right)[:1]
        steps = np.array([gap(int(m), share) for m in sizes.ravel().tolist()], dtype=np.float64)
        return _odds(left, right, speed, steps.reshape(sizes.shape), reach)

    return odds


@lru_cache(maxsize=256)
def _alone(m: int, epsilon: float, alpha: float, beta: float) -> Estimate:
    """Return the law of one cell, which no d changes: every h-th count left of z may do.

    The odds depend on J mod g, and smoothly on J besides. So where h has no factor in common with
    g, and g h is below six tenths of a standard deviation of J, the average over every h-th J is
    that over all but for a factor 1 + e^-54. With much smaller h, sums along sides are faster.
    """
    setting, step = Cell(1, epsilon, alpha, beta).at(m), gap(m, decimal(alpha))
    most = int(0.3 * math.sqrt(m) / step)
    # Rare failures need wide tables.
    least = step // (4 if setting.extreme else 16)
    every = next((h for h in range(most, least, -1) if math.gcd(h, step) == 1), 1)
    first, weights = binomial_window(m, 0.5, setting.log_tail)
    left = np.arange(first, first + weights.size, every, dtype=np.float64)[:, None]
    part = weights[::every] / weights[::every].sum()

    def mean(kernel: Kernel) -> NDArray[np.float64]:
        return np.asarray(part @ kernel(left, m - left, 0.5 * setting.epsilon.reshape(1, 1)))

    success, failure = against(_kernel(setting, apart=every > 1))
    return from_smaller(setting, lambda: mean(success)[0], lambda: mean(failure)[0])


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
    apart : bool
        Whether the numbers of points are few, evenly apart, and asked for all counts.
    """

    mass: float
    extreme: bool
    rare: bool
    apart: bool = False

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
        if self.apart:
            ends = points[0].item(), points[-1].item()
            first, tails = _tails(self.mass, *ends, len(points), least)
            column = np.clip((count[:, 0] - first).astype(np.int64), 0, tails.shape[1] - 1)
            missed[near] = tails[np.arange(len(points)), column][near[:, 0]]
        elif of.size > (_MANY if self.extreme else 0) and of.max() < _FEW:
            missed[near] = _looked_up(self.mass, of.astype(np.int64), most.astype(np.int64), least)
        elif of.size:
            missed[near] = _along_sides(self.mass, of.astype(np.int64), most.astype(np.int64))
        hit = 1.0 - missed
        if self.rare:
            hit[near] = special.betainc(most + 1.0, of - most, self.mass)
        return hit, missed


@lru_cache(maxsize=2)
def _tails(
    mass: float, start: float, end: float, number: int, least: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return Pr[Bin(n, mass) <= c] by rows of n and the c near their means, after the first c."""
    sizes = np.linspace(start, end, number).round().astype(np.int64)
    first, weights = binomial_rows(sizes, mass, least)
    tails = np.cumsum(weights, axis=1)
    # Else the chance that is left, of rounding alone, would keep candidates far away in the sum.
    tails[tails > 1.0 - _SUMMED] = 1.0
    return first, tails


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
    (order, starts), rising = _runs(misses), True
    if order.size < _LONG * starts.size and (others := _runs(count))[1].size < starts.size:
        (order, starts), rising = others, False
    hits = misses - 1 if rising else count
    sizes = np.diff(starts, append=order.size)
    first, last = (end.reduceat(n[order], starts) for end in (np.minimum, np.maximum))
    found = np.empty(n.shape)
    # Runs that are about as wide are summed together, short ones not at all.
    kind = np.where(sizes < _SHARED, 0, np.frexp(last - first + 1)[1])
    for width in np.unique(kind).tolist():
        alike = np.flatnonzero(kind == width)
        for runs in np.array_split(alike, 1 + (alike.size << width) // _BLOCK if width else 1):
            chosen = np.zeros(starts.size, dtype=np.bool_)
            chosen[runs] = True
            at = order[np.repeat(chosen, sizes)]
            if width:
                row = np.repeat(np.arange(runs.size), sizes[runs])
                ends = first[runs], last[runs]
                found[at] = _summed(
                    mass, hits[order[starts[runs]]], ends, row, n[at], rising=rising
                )
            else:
                found[at] = special.betaincc(count[at] + 1.0, misses[at], mass)
    return found


def _runs(shared: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return an order in which equal numbers follow each other, and where runs of them start."""
    order = np.argsort(shared, kind="stable")
    return order, np.flatnonzero(np.diff(shared[order], prepend=-1))


def _summed(
    mass: float,
    hits: NDArray[np.int64],
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    row: NDArray[np.int64],
    n: NDArray[np.int64],
    *,
    rising: bool,
) -> NDArray[np.float64]:
    """Return a tail at every n, from sums of point chances over rows of n.

    Row i has n from ends[0][i] to ends[1][i]: with hits[i] + 1 misses or more, rising from the first,
    or with hits[i] hits or fewer, falling to the last.
    """
    (first, last), chance = ends, 1.0 - mass if rising else mass
    likely = np.clip(np.round(hits / chance).astype(np.int64), first, last)
    down, up = int((likely - first).max()), int((last - likely).max())
    same, middle = hits[:, None].astype(np.float64), likely[:, None].astype(np.float64)
    terms = np.empty((hits.size, down + 1 + up))
    terms[:, down] = chance * binom.pmf(hits, likely, chance)
    # From where the ratio is 0 on, so are the products.
    more = middle + np.arange(1.0, up + 1.0)
    ratios = more / (more - same) * (1.0 - chance) * (more <= last[:, None])
    terms[:, down + 1 :] = terms[:, down : down + 1] * np.cumprod(ratios, axis=1)
    fewer = middle - np.arange(down)
    ratios = (fewer - same) / (np.maximum(fewer, 1.0) * (1.0 - chance)) * (fewer > first[:, None])
    terms[:, :down] = terms[:, down : down + 1] * np.cumprod(ratios, axis=1)[:, ::-1]
    sums = np.zeros((hits.size, down + 2 + up))
    if rising:
        np.cumsum(terms, axis=1, out=sums[:, 1:])
        least = special.betaincc(first - same[:, 0], same[:, 0] + 1.0, mass)
    else:
        terms[np.arange(hits.size), last - likely + down] = 0.0
        sums[:, :-1] = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
        least = special.betaincc(same[:, 0] + 1.0, last - same[:, 0], mass)
    return np.asarray(np.minimum(least[row] + sums[row, n - likely[row] + down], 1.0))


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
