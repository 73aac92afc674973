"""The success law of `RanksCoarse`: exact, and by the fastest way at every m."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from scipy import special

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.laws import averaged, exact, from_smaller
from privsc_core.numerics.binomial import binomial_rows
from privsc_core.numerics.decimals import decimal
from privsc_core.numerics.sums import sum_rule
from privsc_core.numerics.tails import halves, tails

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting


# --- What the failure of `RanksCoarse` is at most, by a formula ----------------------------------


_POWERS = 2.0 ** (-0.5 * np.arange(13))


def log_most(first: Setting, last: Setting) -> NDArray[np.float64]:
    """Return the log of what the failure does not pass, see `span`."""
    power = _POWERS * 0.5 * first.epsilon[..., None]
    rate = np.log1p(first.alpha * np.expm1(-power))
    ends = (
        0.5 * power * (0.25 * first.alpha * m[..., None] + 1.0) + m[..., None] * rate
        for m in (first.m, last.m)
    )
    logs = np.maximum(*ends) - _POWERS * np.log(2.0) + np.log1p(np.exp(-power))
    return np.asarray(logs.min(axis=-1))


# --- What the law of `RanksCoarse` is asked ------------------------------------------------------


def gap(m: int, alpha: Fraction) -> int:
    """Return by how many ranks neighbouring candidates differ: floor(alpha m / 4) + 1."""
    return alpha.numerator * m // (4 * alpha.denominator) + 1


class Asked(NamedTuple):
    """Numbers of samples for which the law is asked, each for one speed or more.

    Attributes
    ----------
    setting : Setting
        What they have in common.
    share : Fraction
        Alpha, as it was typed.
    m, step : ndarray of int64, shape (numbers,)
        Of samples, and how many ranks lie between candidates.
    speed : ndarray of float64, shape (numbers, speeds)
        eps / 2.
    """

    setting: Setting
    share: Fraction
    m: NDArray[np.int64]
    step: NDArray[np.int64]
    speed: NDArray[np.float64]

    @property
    def rare(self) -> bool:
        """Whether failure is what has digits of its own, and not success."""
        return self.setting.extreme and self.setting.beta < 0.5

    def part(self, rows: NDArray[Any] | slice) -> Asked:
        """Return what is asked of some numbers of samples."""
        return self._replace(m=self.m[rows], step=self.step[rows], speed=self.speed[rows])


# -------------------------------------------------------------------------------------------------
# The law of `RanksCoarse` where candidates are so close that J falls about evenly between them.


# Elements of a temporary.
_BLOCK = 1 << 13
# Below e^-that nothing is seen beside 1.
_UNSEEN = 40.0
# So many waves at most, of the chances of a remainder.
_WAVES = 2


def waves(asked: Asked) -> NDArray[np.int64]:
    """Return of every m how many waves J mod g has, given how many points are within reach.

    -1 where there are too many, or where cuts that are missing at the ends would be seen.
    """
    alpha = asked.setting.alpha
    m, step, speed = asked.m.astype(np.float64), asked.step, asked.speed.min(axis=1)
    # How the other points on a side vary.
    variance = 0.25 * m * (1.0 - 2.0 * alpha) / (1.0 - alpha)
    found = np.full(m.shape, -1)
    for n in range(_WAVES, -1, -1):
        flat = 2.0 * variance * np.sin(math.pi * (n + 1) / step) ** 2 > _UNSEEN
        found[(2 * n + 2 <= step) & flat] = n
    found[step == 1] = 0
    ends = m * (math.log(2.0) - np.log1p(np.exp(-speed))) - 0.5 * speed * step
    if asked.setting.extreme and asked.setting.beta >= 0.5:  # waves may cancel
        found[found > 0] = -1
    return np.where(ends > max(_UNSEEN, asked.setting.log_tail), found, -1)


def by_waves(asked: Asked) -> NDArray[np.float64]:
    """Return success, or failure, from how J mod g is spread: almost evenly.

    Let B of the points on one side be within reach, B ~ Bin(m, alpha), and h(y) = 1 / (q^y + q^(g-y)).
    Candidates at distance c, on the right where -J = c mod g, on the left where J is, are no good iff
    B <= c, or B < c. If J were even mod g whatever B is, success would fail with probability E[G(B)],

        G(b) = (1 - q^g)/g * sum over c >= b of q^c (h(c) + q h(c+1)), with c mod g and c+1 mod g in h,

    and as h(y) = h(g - y), a whole period from a multiple k of g on sums to q^k - q^(k+g). Else the
    chances of J mod g, given B, have waves too: for w = e^(2 pi i n/g) the terms of G get the factors
    w^(m+c) and w^(c+1), and the sum that of E[w^-J | B], on the left.
    """
    found = np.empty(asked.speed.shape)
    alpha, tail = asked.setting.alpha, asked.setting.log_tail
    for rows in _blocks(asked):
        m, step = asked.m[rows, None], asked.step[rows, None]
        first, weights = binomial_rows(asked.m[rows], alpha, tail)
        # Counts below 0 weigh nothing.
        count = np.maximum(first[:, None] + np.arange(weights.shape[1]), 0)
        whole, at = np.divmod(count, step)
        y = np.arange(int(step.max()))
        most = waves(asked.part(rows))[:, None]
        for column in range(asked.speed.shape[1]):
            speed = asked.speed[rows, column, None]
            fall, inside = speed * step, y < step
            left, right = (
                np.where(inside, -np.expm1(-fall) / step * _share(z, step, speed), 0.0)
                for z in (y + 1, y)
            )
            gone = np.exp(-fall * whole)
            if asked.rare:
                terms = gone * (np.exp(-fall) + _from(left + right, at))
            else:
                before = _from((left + right)[:, ::-1], y.size - at, empty=True)
                terms = gone * before - np.expm1(-fall * whole)
            for wave in range(1, int(most.max()) + 1):
                angle = 2.0 * math.pi * wave / step
                turn = np.exp(1j * angle * y)
                right_turned = right * np.exp(1j * angle * (m % step))
                sums = turn * (left * np.exp(1j * angle) + right_turned)
                after = _from(sums, at)
                after += sums.sum(axis=1, keepdims=True) * (np.exp(-fall) / -np.expm1(-fall))
                seen = gone * (_turned(angle, m, count, alpha) * after).real
                terms += np.where(most >= wave, (2.0 if asked.rare else -2.0) * seen, 0.0)
            found[rows, column] = (weights * terms).sum(axis=1)
    return found


def _turned(
    angle: NDArray[np.float64], m: NDArray[np.int64], count: NDArray[np.int64], alpha: float
) -> NDArray[np.complex128]:
    """Return E[e^(-i angle J) | B = count]: the other points lie left of z with one chance each."""
    other = np.log1p((0.5 - alpha) / (1.0 - alpha) * np.expm1(-1j * angle))
    return np.asarray(np.exp(other * (m - count) - 1j * angle * count))


def _blocks(asked: Asked) -> Iterator[slice]:
    """Cut numbers of samples into blocks whose tables are short enough."""
    tail, alpha = asked.setting.log_tail, asked.setting.alpha
    wide = 2.0 * np.sqrt(2.0 * tail * alpha * float(asked.m.max())) + tail
    rows = max(1, int(_BLOCK / (wide + asked.step.max())))
    for start in range(0, asked.m.size, rows):
        yield slice(start, start + rows)


def _from(terms: NDArray[Any], at: NDArray[np.int64], *, empty: bool = False) -> NDArray[Any]:
    """Return the sums of rows from the places `at` on, which may be their ends if `empty`."""
    sums = np.cumsum(terms[:, ::-1], axis=1)[:, ::-1]
    if empty:
        sums = np.concatenate([sums, np.zeros_like(sums[:, :1])], axis=1)
    return np.take_along_axis(sums, at, axis=1)


def _share(
    y: NDArray[np.int64], step: NDArray[np.int64], speed: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return q^y / (q^y + q^(g - y))."""
    return np.asarray(special.expit(-speed * (2 * y - step)))


# --- How likely so many points of one side lie within mass alpha of the target -------------------


if TYPE_CHECKING:
    Pair = tuple[NDArray[np.float64], NDArray[np.float64]]
    Chances = Callable[[NDArray[np.float64], NDArray[np.bool_]], Pair]

# Below 1 by less a chance is 1: else what rounding leaves would keep candidates far away in the sum.
_ROUNDED = 2e-15
# Rows of a block; up to so many points chances are computed point by point.
_ROWS, _STEPWISE = 32, 200


class Reach(Protocol):
    """How likely points are within reach, of numbers of points that suit it."""

    def open(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return between which counts it is open whether more than so many of the points are."""

    def chances(self, points: NDArray[np.float64]) -> Chances:
        """Return how likely more than some count of the points are within reach, and not.

        A function of the count, of the shape of `points`, and of where it is asked for: the count is
        then between those of `open`.
        """


@dataclass(frozen=True, slots=True)
class _Points:
    """Points of which each is within reach by itself.

    Attributes
    ----------
    mass : float
        2 alpha, how likely that is.
    log_tail : float
        What is below e^-log_tail is 0.
    """

    mass: float
    log_tail: float

    def open(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return them as `Reach`, by Bernstein's inequality."""
        mean, third = self.mass * points, self.log_tail / 3.0
        wide = third + np.sqrt(third**2 + 2.0 * self.log_tail * (1.0 - self.mass) * mean)
        return mean - wide, np.minimum(mean + wide, points)


class Smooth(_Points):
    """Many points on either side of all that is within reach, whole numbers or not."""

    def chances(self, points: NDArray[np.float64]) -> Chances:
        """Return them as `Reach`."""

        def found(count: NDArray[np.float64], where: NDArray[np.bool_]) -> Pair:
            missed, hit = tails(count[where], points[where], self.mass, self.log_tail)
            return hit, missed

        return found


class Tables(_Points):
    """Few points, whole numbers that are close to each other."""

    def chances(self, points: NDArray[np.float64]) -> Chances:
        """Return them as `Reach`."""
        # Of whole blocks, so that both sides share them, and sizes that are close.
        low, high = int(points.min()) // _ROWS * _ROWS, (int(points.max()) // _ROWS + 1) * _ROWS - 1
        first, missed, hit = _tables(self.mass, low, high, self.log_tail)
        row = points.astype(np.int64) - low
        least = first[row]

        def found(count: NDArray[np.float64], where: NDArray[np.bool_]) -> Pair:
            column = count[where].astype(np.int64) - least[where]
            np.clip(column, 0, missed.shape[1] - 1, out=column)
            return hit[row[where], column], missed[row[where], column]

        return found


@lru_cache(maxsize=4)
def _tables(
    mass: float, low: int, high: int, log_tail: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the first c, and Pr[Bin(n, mass) <= c] and > c from there on, for n from low to high."""
    if high <= _STEPWISE:
        # Point by point: what is a short sum of products comes out as on paper.
        missed, hit = np.zeros((2, high + 1, high + 2))
        missed[0, 1:] = hit[:, 0] = 1.0
        for n in range(1, high + 1):
            for table in (missed, hit):
                table[n, 1:] = (1.0 - mass) * table[n - 1, 1:] + mass * table[n - 1, :-1]
        return np.full(high + 1 - low, -1), missed[low:], hit[low:]
    first, weights = binomial_rows(np.arange(low, high + 1), mass, log_tail)
    # A column of what is below, and one of what is above.
    missed, hit = np.zeros((2, weights.shape[0], weights.shape[1] + 1))
    np.cumsum(weights, axis=1, out=missed[:, 1:])
    hit[:, :-1] = np.cumsum(weights[:, ::-1], axis=1)[:, ::-1]
    for table in (missed, hit):
        table[table > 1.0 - _ROUNDED] = 1.0
    return first - 1, missed, hit


# -------------------------------------------------------------------------------------------------
# What the candidates of `RanksCoarse` weigh on either side of the target, given how many points
# lie there.


# Products above this size wake the BLAS threads, which costs more than it gives.
_BLAS_SERIAL = 262_144


def odds_against(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    speed: NDArray[np.float64],
    step: NDArray[np.float64],
    reach: Reach,
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
    fall = speed * step
    ratio, all_ = np.exp(-fall), -1.0 / np.expm1(-fall)
    good: NDArray[np.float64] = np.zeros(())
    lost: NDArray[np.float64] = np.zeros(())
    sides = ((left, before, before - 1.0, fewer), (right, after, after, others))
    for points, away, passed, number in sides:
        first = np.where(number > 0.0, np.exp(speed * np.minimum(near - away, 0.0)), 0.0)
        side = _Side(first, ratio, all_, fall, passed, number, step)
        reached, missed = side.weights(points, reach)
        good, lost = good + reached, lost + missed
    return np.asarray(lost / np.maximum(good, 1e-300))


class _Side(NamedTuple):
    """The candidates of one side of z, from z outwards.

    The t-th of `number` weighs `first` e^{-fall t}, and is accurate iff more than passed + t step of
    the points of the side are within reach. `ratio` is e^-fall, and if there were no last one, all
    would weigh `all_` times the first.
    """

    first: NDArray[np.float64]
    ratio: NDArray[np.float64]
    all_: NDArray[np.float64]
    fall: NDArray[np.float64]
    passed: NDArray[np.float64]
    number: NDArray[np.float64]
    step: NDArray[np.float64]

    def weights(
        self, points: NDArray[np.float64], reach: Reach
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what the accurate and the inaccurate ones weigh."""
        # Those that are accurate for sure, then those of which it is open, then the others.
        low, high = reach.open(points)
        start = np.clip(np.ceil((low - self.passed) / self.step), 0.0, self.number)
        last = np.minimum(np.ceil((high - self.passed) / self.step), self.number)
        together = self.fall.shape[0] == 1 < self.fall.shape[1] and self.passed.shape[1] == 1
        t, good, lost = (self._product if together else self._sums)(points, reach, start, last)
        good -= self.first * self.all_ * np.expm1(-self.fall * start)
        rest = np.expm1(-self.fall * np.maximum(self.number - t, 0.0))
        return good, lost - self.first * np.exp(-self.fall * t) * self.all_ * rest

    def _sums(
        self,
        points: NDArray[np.float64],
        reach: Reach,
        start: NDArray[np.float64],
        last: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the t after those that are open, and what of these is accurate, and what not."""
        t, chances = start.copy(), reach.chances(np.broadcast_to(points, self.passed.shape))
        weight = np.where(self.number > t, self.first * np.exp(-self.fall * t), 0.0)
        good, lost = np.zeros((2, *weight.shape))
        for _ in range(int((last - t).max(initial=0.0))):
            count = self.passed + t * self.step
            near = t < last
            hit, missed = np.zeros(count.shape), np.ones(count.shape)
            hit[near], missed[near] = chances(count, near)
            good += weight * hit
            lost += weight * missed
            t += 1.0
            weight = np.where(self.number > t, weight * self.ratio, 0.0)
        return t, good, lost

    def _product(
        self,
        points: NDArray[np.float64],
        reach: Reach,
        start: NDArray[np.float64],
        last: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the same where all steps are alike, for many speeds: the chances are theirs in common."""
        t = start + np.arange(int((last - start).max(initial=0.0)))
        near = t < last
        known = np.zeros((2, *t.shape))
        count = np.broadcast_to(self.passed + t * self.step, t.shape)
        known[1][(t < self.number) & ~near] = 1.0
        known[:, near] = reach.chances(np.broadcast_to(points, t.shape))(count, near)
        powers = np.exp(-self.fall * np.arange(t.shape[1])[:, None])
        weight = self.first * np.exp(-self.fall * start)
        good, lost = np.empty((2, *weight.shape))
        rows = max(1, _BLAS_SERIAL // max(1, powers.size))
        for begin in range(0, len(weight), rows):
            some = slice(begin, begin + rows)
            np.matmul(known[0][some], powers, out=good[some])
            np.matmul(known[1][some], powers, out=lost[some])
        return start + t.shape[1], good * weight, lost * weight


# --- The law of `RanksCoarse` from few of the counts of points left of the target ----------------

# Up to that m it is faster to sum all counts.
_FEW = 2000
# So many points are to be within reach, and out of it, on either side for their chances to be smooth.
_SMOOTH = 60.0
# Nodes of a panel, and how long it is at most: in standard deviations, and in log weights.
_NODES, _LONG, _FALL = 16, 4.5, 2.5
# Tables serve numbers of samples up to that ratio.
_ALIKE = 1.1
# How many standard deviations cuts may be apart of which every k-th is looked at.
_APART = 0.6


def is_sparse(asked: Asked) -> NDArray[np.bool_]:
    """Tell for which m some counts, whole or not, do as all of them."""
    return np.asarray((asked.m > _FEW) & (_is_smooth(asked) | (asked.step <= _NODES)))


def _is_smooth(asked: Asked) -> NDArray[np.bool_]:
    """Tell for which m chances are smooth in J; else only whole J are looked at."""
    alpha = asked.setting.alpha
    return np.asarray(asked.m * min(alpha, 0.5 - alpha) > _SMOOTH)


def from_few(asked: Asked) -> NDArray[np.float64]:
    """Return success, or failure, from some counts left of z.

    Between two candidates all is smooth in J: Gauss' rule sums it over parts of few standard deviations.
    And where g is small beside that of J, the sum over the counts at so many ranks from the next
    candidate is that over every h-th of them but for a factor 1 + e^-54.
    """
    setting, mass = asked.setting, float(2 * asked.share)
    found = np.zeros(asked.speed.shape)
    for rows in _groups(asked):
        part = asked.part(rows)
        smooth = _is_smooth(part)[0]
        reach: Reach = (Smooth if smooth else Tables)(mass, setting.log_tail)
        row, left, weights = _nodes(part)
        left = left[:, None]
        # One row stays one: its speeds share their chances.
        of = row if rows.size > 1 else row[:1]
        step = part.step[of, None].astype(np.float64)
        odds = odds_against(left, part.m[of, None] - left, part.speed[of], step, reach)
        values = (odds if asked.rare else 1.0) / (1.0 + odds) * weights[:, None]
        found[rows] = np.add.reduceat(values, np.flatnonzero(np.diff(row, prepend=-1)))
    return found


def _groups(asked: Asked) -> Iterator[NDArray[np.intp]]:
    """Cut numbers of samples, in order, into groups whose sums are done together."""
    order = np.argsort(asked.m, kind="stable")
    smooth = _is_smooth(asked)[order].tolist()
    m = asked.m[order].tolist()
    start = size = 0
    for at, more in enumerate((_NODES * _Panels.of(asked).number)[order].tolist()):
        apart = smooth[at] != smooth[start] or (not smooth[at] and m[at] > _ALIKE * m[start])
        if size and (apart or size + more > _BLOCK or asked.speed.shape[1] > 1):
            yield order[start:at]
            start, size = at, 0
        size += more
    yield order[start:]


def _nodes(
    asked: Asked,
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]:
    """Return rows of numbers of samples, counts left of z, and what these weigh."""
    size = asked.m.astype(np.float64)
    panels = _Panels.of(asked)
    row = np.repeat(np.arange(size.size), panels.number)
    place = np.arange(row.size) - np.repeat(np.cumsum(panels.number) - panels.number, panels.number)
    between, part = np.divmod(place, panels.parts[row])
    length, longer = np.divmod(asked.step, panels.parts)
    start = (panels.first[row] + panels.every[row] * between) * asked.step[row] + 1
    start += part * length[row] + np.minimum(part, longer[row])
    length = length[row] + (part < longer[row])
    inside = (start <= panels.high[row]) & (start + length > panels.low[row])
    row, start, length = row[inside], start[inside], length[inside]
    lengths, which = np.unique(length, return_inverse=True)
    rules = zip(*(sum_rule(n, _NODES) for n in lengths.tolist()), strict=True)
    at, weights = (np.stack(rule)[which] for rule in rules)
    left = (start[:, None] + at).ravel()
    row = np.repeat(row, _NODES)
    weights = (weights * panels.every[row[::_NODES], None]).ravel()
    if lengths[0] < _NODES:
        row, left, weights = (some[weights > 0.0] for some in (row, left, weights))
    return row, left, weights * halves(left, size[row])


class _Panels(NamedTuple):
    """Parts of the counts between two candidates, all of them so long that few nodes do.

    Attributes
    ----------
    low, high : ndarray of int64
        The first and the last J that matter.
    parts : ndarray of int64
        Between two candidates.
    first, every : ndarray of int64
        The first pair of candidates, and every k-th one is looked at.
    number : ndarray of int64
        Of all parts.
    """

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    parts: NDArray[np.int64]
    first: NDArray[np.int64]
    every: NDArray[np.int64]
    number: NDArray[np.int64]

    @classmethod
    def of(cls, asked: Asked) -> _Panels:
        alpha, tail = asked.setting.alpha, asked.setting.log_tail
        m, step, size = asked.m, asked.step, asked.m.astype(np.float64)
        wide = np.ceil(tail / 3.0 + np.sqrt(tail**2 / 9.0 + 0.5 * tail * size)).astype(np.int64)
        low, high = np.maximum(m // 2 - wide, 1), np.minimum(m // 2 + wide, m)
        # Standard deviations of J, of J given what is within reach, and of where chances of that change.
        deviation = 0.5 * np.sqrt(size)
        given = deviation * math.sqrt((1.0 - 2.0 * alpha) / (1.0 - alpha))
        sharp = np.sqrt(alpha * size / (1.0 - 2.0 * alpha))
        longest = np.minimum(_LONG * np.minimum(sharp, deviation), _FALL / asked.speed.max(axis=1))
        parts = np.ceil(step / np.maximum(longest, _NODES)).astype(np.int64)
        every = np.maximum((_APART * given / step).astype(np.int64), 1)
        first = (low - 1) // step
        number = parts * (((high - 1) // step - first) // every + 1)
        return cls(low, high, parts, first, every, number)


_LARGE = 10**6
# A chance whose exponent is below that is 0 as a float; below the other it is not seen beside 1.
_NEVER, _BESIDE_ONE = 750.0, 42.0


def law(setting: Setting) -> Estimate:
    """Return the law, which no d changes; see `RanksCoarse.success`."""
    if int(setting.m.max()) > _LARGE:
        return _large(setting)
    if math.prod(setting.shape) > 1:
        return _law(setting)
    # Where beta is usual the law is the same.
    beta = setting.beta if setting.extreme else 0.1
    one = _alone(setting.m.item(), setting.epsilon.item(), setting.alpha, beta)
    return exact(one.value, setting, one.failure)


def _large(setting: Setting) -> Estimate:
    """Return the law where some m are so large that it is first asked whether failures are seen."""
    logs = np.broadcast_to(log_most(setting, setting), setting.shape)
    open_ = logs > (-_NEVER if setting.extreme else -_BESIDE_ONE)
    lost = np.zeros(setting.shape)
    if open_.any():
        m, d, epsilon = np.broadcast_arrays(setting.m, setting.d, setting.epsilon)
        part = _law(replace(setting, m=m[open_], d=d[open_], epsilon=epsilon[open_]))
        lost[open_] = 1.0 - part.value if part.failure is None else part.failure
    return exact(1.0 - lost, setting, lost)


@lru_cache(maxsize=256)
def _alone(m: int, epsilon: float, alpha: float, beta: float) -> Estimate:
    """Return the law of one cell."""
    return _law(Cell(1, epsilon, alpha, beta).at(m))


def _law(setting: Setting) -> Estimate:
    m, epsilon = np.broadcast_arrays(setting.m, setting.epsilon)
    sizes, row = np.unique(m, return_inverse=True)
    speeds, column = np.unique(0.5 * epsilon, return_inverse=True)
    if sizes.size * speeds.size > m.size:
        # No table of m and epsilon: every cell is a row.
        sizes, row, column = m.ravel(), np.arange(m.size), np.zeros(m.size, dtype=np.intp)
        table = 0.5 * epsilon.reshape(-1, 1)
    else:
        table = np.broadcast_to(speeds, (sizes.size, speeds.size))
    share = decimal(setting.alpha)
    step = np.array([gap(int(n), share) for n in sizes.tolist()])
    asked = Asked(setting, share, sizes, step, table)
    even, sparse = waves(asked) >= 0, is_sparse(asked)
    found = np.empty(table.shape)
    for rows, way in ((even, by_waves), (sparse & ~even, from_few), (~(sparse | even), _from_all)):
        if rows.any():
            found[rows] = way(asked.part(rows))
    cells = found[row.ravel(), column.ravel()].reshape(m.shape)
    return from_smaller(setting, lambda: cells, lambda: cells)


def _from_all(asked: Asked) -> NDArray[np.float64]:
    """Return success, or failure, summed over all counts left of z."""
    setting, share, m = asked.setting, asked.share, asked.m[:, None]
    reach = Tables(float(2 * share), setting.log_tail)

    def odds(
        left: NDArray[np.float64], right: NDArray[np.float64], speed: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        sizes = (left + right)[:1]
        step = np.array([gap(int(n), share) for n in sizes.ravel().tolist()], dtype=np.float64)
        return odds_against(left, right, speed, step.reshape(sizes.shape), reach)

    same = (asked.speed == asked.speed[:1]).all()
    speed = asked.speed[:1] if same else asked.speed
    cells = replace(setting, m=m, epsilon=2.0 * speed, d=np.ones(1, dtype=np.int64))
    # What lies right of z counts at every size: the rate is 0.
    found = averaged(cells, 0.5, (speed,), odds, rate=0.0)
    return found.failure if found.failure is not None and asked.rare else found.value


# --- What success of `RanksCoarse` is at least, and at most, over intervals of m: by formulas ----


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
    (1 - q). And nobody is accurate where no point is within reach.
    """
    low, high = _least(first, last), _most(first, last)
    alone = np.broadcast_to(first.m == last.m, first.shape)
    if not alone.any():
        return low, high
    known = law(_cells(first, first.m, alone))
    return _known(low, alone, known, first), _known(high, alone, known, first)


def _known(bound: Estimate, alone: NDArray[np.bool_], law: Estimate, setting: Setting) -> Estimate:
    """Return a bound with the law in its place where it is known."""
    value = bound.value.copy()
    value[alone] = law.value
    if law.failure is None or bound.failure is None:
        return exact(value, setting)
    lost = bound.failure.copy()
    lost[alone] = law.failure
    return exact(value, setting, lost)


def _cells(setting: Setting, m: NDArray[np.int64], which: NDArray[np.bool_]) -> Setting:
    """Return the setting of some cells, at m."""
    m, d, epsilon = np.broadcast_arrays(m, setting.d, setting.epsilon)
    return replace(setting, m=m[which], d=d[which], epsilon=epsilon[which])


def _least(first: Setting, last: Setting) -> Estimate:
    lost = np.exp(np.minimum(log_most(first, last), 0.0))
    return exact(1.0 - lost, first, lost)


def _most(first: Setting, last: Setting) -> Estimate:
    speed, alpha = 0.5 * first.epsilon, first.alpha
    few, many = 0.25 * alpha * first.m, 0.25 * alpha * last.m + 1.0
    q = np.exp(-speed)
    passed = np.exp(last.m * np.log1p(alpha * np.expm1(-speed)) - speed * (many - 1.0)) * (1.0 + q)
    ended = 2.0 * q * np.exp(first.m * np.log1p(0.5 * np.expm1(-speed)))
    weighed = (passed - ended) / (1.0 + np.exp(-speed * few))
    lost = np.maximum(weighed, np.exp(last.m * np.log1p(-float(2 * decimal(alpha)))))
    return exact(1.0 - lost, first, lost)
