"""The success law of `RanksCoarse`, and what it is at least and at most over intervals of m."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special

from privsc_core.concepts.shared.laws import exact
from privsc_core.numerics.binomial import binomial_rows
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.sums import sum_rule
from privsc_core.numerics.tails import log_poisson

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting

    # Counts and numbers of points -> the chances that more of these points are within reach, and
    # that no more are.
    Chances = Callable[
        [NDArray[np.float64], NDArray[np.float64]],
        tuple[NDArray[np.float64], NDArray[np.float64]],
    ]


# Up to that m all counts of points left of the target are summed, with tables of chances.
_FEW = 10_000
# Rows by which such tables grow, so that neighbouring blocks of m share them.
_ROWS = 128
# Elements of a temporary.
_BLOCK = 1 << 17
# Nodes of a panel, and how long it is at most: in standard deviations, and in log weights.
_NODES, _LONG, _FALL = 16, 4.5, 2.5
# Only every k-th gap between candidates is looked at: at most so many standard deviations apart.
_APART = 0.6
# A failure whose log is below that is 0 as a float; below the other it is not seen beside 1.
_NEVER, _BESIDE_ONE = -750.0, -42.0


def gap(m: int, alpha: Fraction) -> int:
    """Return by how many ranks neighbouring candidates differ: floor(alpha m / 4) + 1."""
    return alpha.numerator * m // (4 * alpha.denominator) + 1


def law(setting: Setting) -> Estimate:
    """Return the law, which no d changes: averaged over the number J of points left of z."""
    logs = np.broadcast_to(log_most(setting, setting), setting.shape)
    seen = logs > (_NEVER if setting.tiny_beta else _BESIDE_ONE)
    rare = setting.tiny_beta and setting.beta < 0.5
    m = np.broadcast_to(setting.m, setting.shape)[seen]
    epsilon = np.broadcast_to(setting.epsilon, setting.shape)[seen]
    found = np.zeros(setting.shape) if rare else np.ones(setting.shape)
    if m.size:
        sizes, row = np.unique(m, return_inverse=True)
        speeds, column = np.unique(0.5 * epsilon, return_inverse=True)
        if sizes.size * speeds.size > 2 * m.size:
            # No table of m and epsilon: every cell is a row.
            order = np.argsort(m, kind="stable")
            sizes, speeds = m[order], 0.5 * epsilon[order, None]
            row, column = np.argsort(order, kind="stable"), np.zeros(m.size, dtype=np.intp)
        else:
            speeds = np.broadcast_to(speeds, (sizes.size, speeds.size))
        found[seen] = _means(setting, sizes, speeds, rare=rare)[row, column]
    if rare:
        return exact(1.0 - found, setting, found)
    return exact(found, setting, 1.0 - found if setting.tiny_beta else None)


def _means(
    setting: Setting, sizes: NDArray[np.int64], speeds: NDArray[np.float64], *, rare: bool
) -> NDArray[np.float64]:
    """Return success, or failure, of increasing numbers of samples, each at some speeds eps / 2."""
    share = decimal(setting.alpha)
    mass, tail = float(2 * share), setting.log_tail
    steps = np.array([gap(n, share) for n in sizes.tolist()])
    found = np.empty(speeds.shape)
    start = 0
    while start < sizes.size:
        m = int(sizes[start])
        rows = 1
        if m <= _FEW:
            wide = 2.0 * (tail + math.sqrt(tail * m)) * max(speeds.shape[1], 16)
            alike = int(np.searchsorted(sizes, min(1.1 * m + 64, _FEW), side="right")) - start
            rows = min(max(int(_BLOCK / wide), 1), alike)
        here = slice(start, start + rows)
        start += rows
        if m <= _FEW:
            first, weights = binomial_rows(sizes[here], 0.5, tail)
            left = first[:, None] + np.arange(weights.shape[1], dtype=np.float64)
            left = np.clip(left, 0.0, sizes[here, None])
            points = np.stack([left, sizes[here, None] - left])
            low, high = int(points.min()) // _ROWS, int(points.max()) // _ROWS
            chances = _from_table(mass, low * _ROWS, (high + 1) * _ROWS - 1, tail)
        else:
            left, weights = _nodes(m, int(steps[here][0]), float(speeds[here].max()), setting)
            chances = _computed(mass)
        open_ = partial(_open, mass, tail)
        odds = _odds_against(
            left, sizes[here, None] - left, speeds[here], steps[here, None], open_, chances
        )
        found[here] = (weights[:, None, :] @ ((odds if rare else 1.0) / (1.0 + odds)))[:, 0]
    return found


def _nodes(
    m: int, step: int, speed: float, setting: Setting
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return numbers of points left of z, and what these weigh; shape (1, nodes).

    Between two candidates all is smooth in J: Gauss' rule sums it over panels of few standard
    deviations. Where g is small beside that of J, the sum over the counts at so many ranks from the
    next candidate is that over every k-th of them but for a factor 1 + e^-54.
    """
    alpha, tail, deviation = setting.alpha, setting.log_tail, 0.5 * math.sqrt(m)
    # Standard deviations of where chances of J change, and of J given what is within reach.
    sharp = math.sqrt(alpha * m / (1.0 - 2.0 * alpha))
    given = deviation * math.sqrt((1.0 - 2.0 * alpha) / (1.0 - alpha))
    longest = max(min(_LONG * min(sharp, deviation), _FALL / speed), _NODES)
    every = max(int(_APART * given / step), 1)
    wide = math.ceil(tail / 3.0 + math.sqrt(tail * tail / 9.0 + 0.5 * tail * m))
    low, high = max(m // 2 - wide, 1), min(m // 2 + wide, m - 1)
    gaps = 1 + step * np.arange((low - 1) // step, (high - 1) // step + 1, every)
    cuts = np.linspace(0, step, math.ceil(step / longest) + 1).astype(int).tolist()
    rules = [(a, *sum_rule(b - a, _NODES)) for a, b in itertools.pairwise(cuts)]
    left = np.concatenate([gaps[:, None] + a + at for a, at, _ in rules], axis=1)
    weights = np.concatenate([rule for *_, rule in rules]) * (left >= low) * (left <= high)
    left = np.clip(left, low, high).reshape(1, -1)
    # A binomial count is a Poisson one, given its sum with another.
    weights = weights.reshape(1, -1) * np.exp(
        log_poisson(left, 0.5 * m)
        + log_poisson(m - left, 0.5 * m)
        - log_poisson(np.array(float(m)), float(m))
    )
    return left, weights / weights.sum()


# --- How likely so many points of one side lie within mass alpha of the target -------------------


def _open(
    mass: float, log_tail: float, points: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return between which counts it is open whether more than so many of the points are.

    By Bernstein's inequality.
    """
    mean, third = mass * points, log_tail / 3.0
    wide = third + np.sqrt(third**2 + 2.0 * log_tail * (1.0 - mass) * mean)
    return mean - wide, np.minimum(mean + wide, points)


def _computed(mass: float) -> Chances:
    """Return the chances as incomplete beta functions, also between whole counts."""

    def chances(
        count: NDArray[np.float64], points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        hits, misses, above = count + 1.0, points - count, count + 0.5 > points * mass
        a, b = np.where(above, hits, misses), np.where(above, misses, hits)
        smaller = special.betainc(a, b, np.where(above, mass, 1.0 - mass))
        return np.where(above, smaller, 1.0 - smaller), np.where(above, 1.0 - smaller, smaller)

    return chances


@lru_cache(maxsize=4)
def _from_table(mass: float, low: int, high: int, log_tail: float) -> Chances:
    """Return the chances of whole counts, of `low` to `high` points."""
    if low:
        first, weights = binomial_rows(np.arange(low, high + 1), mass, log_tail)
        # A column of what is below, and one of what is above.
        hit, missed = np.zeros((2, weights.shape[0], weights.shape[1] + 1))
        np.cumsum(weights, axis=1, out=missed[:, 1:])
        hit[:, :-1] = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
    else:
        # Point by point: what is a short sum of products comes out as on paper.
        first, (missed, hit) = np.zeros(high + 1, dtype=np.int64), np.zeros((2, high + 1, high + 2))
        missed[0, 1:] = hit[:, 0] = 1.0
        for n in range(1, high + 1):
            for table in (missed, hit):
                table[n, 1:] = (1.0 - mass) * table[n - 1, 1:] + mass * table[n - 1, :-1]

    def chances(
        count: NDArray[np.float64], points: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        row = points.astype(np.int64) - low
        column = np.clip(count.astype(np.int64) - first[row] + 1, 0, hit.shape[1] - 1)
        return hit[row, column], missed[row, column]

    return chances


# --- What the candidates weigh on either side of the target, given how many points lie there -----


def _odds_against(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    speed: NDArray[np.float64],
    step: NDArray[np.int64],
    open_: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]],
    chances: Chances,
) -> NDArray[np.float64]:
    """Return the odds against success, in sums of positive terms; shape (sizes, counts, speeds).

    Candidates with fewer than J = `left` points before them are accurate iff at least J - k of
    those are within reach; the others iff more than k - J of the `right` ones are.
    """
    # How many there are on either side, and how far the first of them is from J.
    fewer = np.ceil(left / step)
    others = np.floor((left + right) / step) + 1.0 - fewer
    before, after = left - (fewer - 1.0) * step, fewer * step - left
    near = np.minimum(np.where(fewer > 0.0, before, np.inf), np.where(others > 0.0, after, np.inf))
    good, lost = np.zeros((2, 1))
    sides = ((left, before, before - 1.0, fewer), (right, after, after, others))
    for points, away, passed, number in sides:
        first = np.exp(-speed[:, None, :] * np.maximum(away - near, 0.0)[..., None])
        low, high = open_(points)
        side = _Side(passed, number, speed[:, None, :] * step[..., None], step)
        reached, missed = side.weights(points, low, high, chances)
        good, lost = good + first * reached, lost + first * missed
    return np.asarray(lost / np.maximum(good, 1e-300))


class _Side(NamedTuple):
    """The candidates of one side of z, from z outwards.

    The t-th of `number` weighs e^{-fall t}, and is accurate iff more than passed + t step of the
    points of the side are within reach.
    """

    passed: NDArray[np.float64]
    number: NDArray[np.float64]
    fall: NDArray[np.float64]
    step: NDArray[np.int64]

    def weights(
        self,
        points: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        chances: Chances,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the accurate and the inaccurate ones weigh; shape (sizes, counts, speeds)."""
        # Those that are accurate for sure, then those of which it is open, then the others.
        start = np.clip(np.ceil((low - self.passed) / self.step), 0.0, self.number)
        last = np.clip(np.ceil((high - self.passed) / self.step), start, self.number)
        t = start[..., None] + np.arange(int((last - start).max()))
        near = t < last[..., None]
        hit, missed = np.zeros((2, *t.shape))
        hit[near], missed[near] = chances(
            (self.passed[..., None] + t * self.step[..., None])[near],
            np.broadcast_to(points[..., None], t.shape)[near],
        )
        powers = np.exp(-self.fall * np.arange(t.shape[-1])[:, None])
        scale = np.exp(-self.fall * start[..., None])
        surely = self._upto(start)
        rest = np.exp(-self.fall * last[..., None]) * self._upto(self.number - last)
        return surely + scale * (hit @ powers), rest + scale * (missed @ powers)

    def _upto(self, number: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the first so many weigh."""
        return np.asarray(np.expm1(-self.fall * number[..., None]) / np.expm1(-self.fall))


# --- What success is at least, and at most, over intervals of m: by formulas ---------------------


_POWERS = 2.0 ** (-0.5 * np.arange(13))


def log_most(first: Setting, last: Setting) -> NDArray[np.float64]:
    """Return the log of what the failure does not pass between two m, see `span`."""
    power = _POWERS * 0.5 * first.epsilon[..., None]
    rate = np.log1p(first.alpha * np.expm1(-power))
    ends = (
        0.5 * power * (0.25 * first.alpha * m[..., None] + 1.0) + m[..., None] * rate
        for m in (first.m, last.m)
    )
    logs = np.maximum(*ends) - _POWERS * np.log(2.0) + np.log1p(np.exp(-power))
    return np.asarray(logs.min(axis=-1))


def span(first: Setting, last: Setting) -> tuple[Estimate, Estimate]:
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
    (1 - q). And no output is accurate where no point is within reach.
    """
    most = np.exp(np.minimum(log_most(first, last), 0.0))
    speed, alpha = 0.5 * first.epsilon, first.alpha
    few, many = 0.25 * alpha * first.m, 0.25 * alpha * last.m + 1.0
    q = np.exp(-speed)
    passed = np.exp(last.m * np.log1p(alpha * np.expm1(-speed)) - speed * (many - 1.0)) * (1.0 + q)
    ended = 2.0 * q * np.exp(first.m * np.log1p(0.5 * np.expm1(-speed)))
    weighed = (passed - ended) / (1.0 + np.exp(-speed * few))
    least = np.maximum(weighed, np.exp(last.m * np.log1p(-float(2 * decimal(alpha)))))
    return exact(1.0 - most, first, most), exact(1.0 - least, first, least)
