"""CH11's A_2 for thresholds: the learner, its law by several ways, and its envelopes."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from privsc_core.concepts.contracts import Setting, Source, TinyInstance
from privsc_core.concepts.contracts.style import PURPLE, Style
from privsc_core.concepts.shared.laws import exact
from privsc_core.concepts.threshold.learners.ranks import Ranks
from privsc_core.concepts.threshold.ranks_coarse import gap, law, span
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Callable
    from fractions import Fraction

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate


# --- How success can change with m while the candidates of `RanksCoarse` stay the same -----------
#
# Let L points lie left of all that is within mass alpha of z, J left of z, and R left of the end of what is
# within reach. Candidate k has weight q^|k - J| and is accurate iff L <= k < R. So as long as the candidates
# are the same, the chance of failure given the sample is a function f(L, J, R), whatever m is.
#
# At size m the counts (L, J - L, R - J, m - R) are multinomial, and the last has the chance s = 1/2 - alpha per
# point. The ratio of the probabilities of (L, J, R) at n and at m depends on T = m - R alone,
#
#     psi_n(T) = n! / m! * T! / (T + n - m)! * s^(n - m),
#
# so that F(n) = F(m) E[psi_n(T)] for the failure F, the expectation being that of T at m, weighed by f. As
# functions of V = psi_{m+1} = s (m + 1) / (T + 1) all psi_n are convex: those of n < m are falling factorials of
# T, which is convex in V; and those of n = m + k are products of V / (1 + (i - 1) V / c), i = 1, ..., k and c = s (m
# + 1), where psi'' / psi = (A^2 - sum of a_i (2 - a_i)) / V^2 for a_i = 1 / (1 + (i - 1) V / c) and A their sum, at
# least 0 as a_1 = 1. For m < n < l, psi_l is a convex function of psi_n in the same way. Jensen's inequality then
# bounds F by what it would be if T were no chance:
#
#     F(n) >= F(m) psi_n(T) for all n, where psi_{m+1}(T) = F(m + 1) / F(m);
#     F(n) <= F(m) psi_n(T) for m <= n <= l, where psi_l(T) = F(l) / F(m).


# Steps of Newton's method; the log of a ratio that no bound needs.
_STEPS, _MOST = 8, 600.0
# By how much a log may be off that was to be reached.
_OFF = 1e-9


def stretches(
    first: NDArray[np.int64], last: NDArray[np.int64], alpha: Fraction, *, ends: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut intervals where g = floor(alpha m / 4) + 1 changes; with `ends` also where floor(m / g) does."""
    starts: list[int] = []
    stops: list[int] = []
    # Whole numbers of any size: alpha may have many digits.
    over, under = alpha.numerator, 4 * alpha.denominator
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        cuts = [-(-under * g // over) for g in range(over * a // under + 1, over * b // under + 1)]
        if ends:
            more: list[int] = []
            for begin, end in itertools.pairwise([a, *cuts, b + 1]):
                g = over * begin // under + 1
                more += range(begin - begin % g + g, end, g)
            cuts = sorted({*cuts, *more})
        starts += [a, *cuts]
        stops += [*(cut - 1 for cut in cuts), b]
    return np.array(starts, dtype=np.int64), np.array(stops, dtype=np.int64)


def at_least(
    failures: tuple[NDArray[np.float64], NDArray[np.float64]],
    m: NDArray[np.int64],
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    alpha: float,
    off: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """Return a lower bound of the failures between two ends, whose candidates are those of m.

    Parameters
    ----------
    failures : tuple of ndarray
        At m and at m + 1.
    m : ndarray of int64
    ends : tuple of ndarray of int64
    alpha : float
        Below 1/2.
    off : float or ndarray
        By how much the failures may be off, relative to themselves.
    """
    share, bounds = 0.5 - alpha, []
    # psi_n is log-concave in n: least at one of the ends.
    for end in ends:
        ratio = failures[1] / failures[0] * (1.0 - 2.0 * off * np.sign(end - m))
        left = share * (m + 1.0) / ratio - 1.0
        bounds.append(failures[0] * np.exp(_log_ratio(left, m, end, share)))
    return np.minimum(*bounds)


def at_most(
    failures: tuple[NDArray[np.float64], NDArray[np.float64]],
    ends: tuple[NDArray[np.int64], NDArray[np.int64]],
    alpha: float,
) -> NDArray[np.float64]:
    """Return an upper bound of the failures between two ends from those there; the candidates are the same."""
    share, (m, last) = 0.5 - alpha, ends
    steps = (last - m).astype(np.float64)
    aim = np.log(failures[1] / failures[0])
    far = steps > 0.0
    left = share * m.astype(np.float64)
    for _ in range(_STEPS):
        off = _log_ratio(left, m, last, share) - aim
        slope = np.log1p(steps / (left + 0.5))
        left = np.maximum(left + np.where(far, off / np.where(far, slope, 1.0), 0.0), 0.5 * left)
    # psi_n rises as long as s n is above T + n - m.
    top = np.clip(np.floor((share * m - left) / (1.0 - share)), 0.0, steps).astype(np.int64)
    found = failures[0] * np.exp(_log_ratio(left, m, m + top, share))
    # With fewer left the bound is larger; too many would be wrong.
    reached = _log_ratio(left, m, last, share) >= aim - _OFF
    return np.where(reached, np.maximum(found, np.maximum(*failures)), np.inf)


def _log_ratio(
    left: NDArray[np.float64], m: NDArray[np.int64], n: NDArray[np.int64], share: float
) -> NDArray[np.float64]:
    """Return log psi_n(T), -inf where there are not so many points left."""
    steps = (n - m).astype(np.float64)
    enough = left + np.minimum(steps, 0.0) > 0.0
    left = np.where(enough, left, 1.0 + np.abs(steps))
    found = _grown(m.astype(np.float64), steps) - _grown(left, steps)
    found += steps * np.log(share * m / left)
    return np.where(enough, np.minimum(found, _MOST), -np.inf)


def _grown(n: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log (n + steps)! / n! - steps log n, by Stirling's series."""
    more = n + steps
    found = (more + 0.5) * np.log1p(steps / n) - steps
    return np.asarray(found + _stirling(more) - _stirling(n))


def _stirling(n: NDArray[np.float64]) -> NDArray[np.float64]:
    inverse = 1.0 / n
    return np.asarray(inverse * (1.0 / 12.0 - inverse * inverse / 360.0))


# -------------------------------------------------------------------------------------------------
# What success of `RanksCoarse` is at least, or at most, over intervals of m: by the law at some of
# them.


if TYPE_CHECKING:
    _Failures = Callable[[NDArray[np.int64]], NDArray[np.float64]]
    _Told = Callable[[NDArray[np.float64]], NDArray[np.bool_]]

# Parts of an interval that `span` is asked for first, and stretches that are looked at after it, at most.
_PARTS, _STRETCHES = 256, 1 << 15
# By how much bounds that decide are to be clear of rounding; by how much laws may be off, relative to
# themselves and, where beta is usual, beside that.
_CLEAR, _ERROR, _ABSOLUTE = 1e-7, 2e-12, 3e-14
# Where it is not, no failure counts as rarer than that.
_LEAST = 1e-250
# Below e^-that times beta nothing is seen.
_UNSEEN = 30.0
# Up to that m it is faster to try them all.
_TRIED = 512


def envelope(first: Setting, last: Setting, *, upper: bool) -> Estimate:
    """Return one end of `span`, or a closer one where that does not tell what suffices.

    The interval is cut where the candidates change, and each part bounded from the law at two m in it,
    see `drift`. Parts that this leaves open are split, until all are on one side of beta.
    A shorter interval has other parts, and may have a slightly wider end: what is told stays true.
    """
    found = span(first, last)[upper]
    if (first.extreme and first.beta >= 0.5) or first.alpha >= 0.49:
        return found
    lost = _lost(found)
    told = _told(lost, first.beta, upper=upper)
    m, end, d, epsilon = np.broadcast_arrays(first.m, last.m, first.d, first.epsilon)
    for at in np.argwhere(~told & (end > np.maximum(m, _TRIED))).tolist():
        cell = tuple(at)
        one = replace(first, m=m[cell], d=d[cell], epsilon=epsilon[cell])
        bound = _closer(one, int(end[cell]), upper=upper)
        if bound is not None:
            lost[cell], told[cell] = bound, True
    value = np.where(told, 1.0 - lost, found.value)
    return exact(value, first, None if found.failure is None else lost)


def _lost(found: Estimate) -> NDArray[np.float64]:
    """Return the failures, to change."""
    return np.array(1.0 - found.value if found.failure is None else found.failure)


def _closer(first: Setting, last: int, *, upper: bool) -> float | None:
    """Return a bound of the failures from first.m to `last` that is past beta, if there is one."""

    def failures(m: NDArray[np.int64]) -> NDArray[np.float64]:
        return _lost(law(_over(first, m)))

    def told(bound: NDArray[np.float64]) -> NDArray[np.bool_]:
        return _told(bound, first.beta, upper=upper)

    edges = np.unique(np.linspace(first.m.item(), last + 1, _PARTS + 1).astype(np.int64))
    start, end = edges[:-1], edges[1:] - 1
    bound = _lost(span(_over(first, start), _over(first, end))[upper])
    open_ = ~told(bound)
    known = [bound[~open_]]
    start, end = start[open_], end[open_]
    if start.size:
        many = 0.25 * first.alpha * float((end - start).sum()) > _STRETCHES
        if many or not told(failures(np.array([start[0], end[-1]]))).all():
            return None
        parts = stretches(start, end, decimal(first.alpha), ends=_ends_are_seen(first, last))
        known += (_from_below if upper else _from_above)(failures, told, parts, first)
    every = np.concatenate(known)
    return float(every.min() if upper else every.max()) if told(every).all() else None


def _over(setting: Setting, m: NDArray[np.int64]) -> Setting:
    """Return the setting of one cell at many m."""
    one = np.ones(m.shape)
    return replace(
        setting, m=m, d=np.broadcast_to(setting.d, m.shape), epsilon=setting.epsilon * one
    )


def _ends_are_seen(first: Setting, last: int) -> bool:
    """Tell whether success changes where another cut comes in near k = m.

    It weighs at most q^(m - J - 2 g) of what all weigh, on average q^(-2g) ((1 + q)/2)^m.
    """
    speed, g = 0.5 * first.epsilon.item(), 0.25 * first.alpha * last + 1.0
    least = first.m.item() * (math.log(2.0) - math.log1p(math.exp(-speed))) - 2.0 * g * speed
    return least < _UNSEEN - math.log(min(first.beta, 1.0 - first.beta))


def _from_below(
    failures: _Failures, told: _Told, ends: tuple[NDArray[np.int64], NDArray[np.int64]], at: Setting
) -> list[NDArray[np.float64]]:
    """Return lower bounds of the failures over intervals; or one that is not past beta, the last.

    From two neighbours in the middle of each; those that this leaves open are split there.
    """
    known, (start, end) = [], ends
    while start.size:
        middle = (start + end) // 2
        after = np.minimum(middle + 1, end)
        known.append(failures(np.concatenate([middle, after])))
        if not told(known[-1]).all():
            break
        pair = np.split(known[-1], 2)
        off = _ERROR if at.extreme else _ERROR + _ABSOLUTE / pair[0]
        bound = at_least((pair[0], pair[1]), middle, (start, end), at.alpha, off)
        open_ = (end > after) & ~told(bound)
        known.append(bound[(end > after) & ~open_])
        start, end = (
            np.concatenate(sides)[np.tile(open_, 2)]
            for sides in ((start, after + 1), (middle - 1, end))
        )
        start, end = start[start <= end], end[start <= end]
    return known


def _from_above(
    failures: _Failures, told: _Told, ends: tuple[NDArray[np.int64], NDArray[np.int64]], at: Setting
) -> list[NDArray[np.float64]]:
    """Return upper bounds of the failures over intervals; or one that is not past beta, the last.

    From those at both ends of each; those that this leaves open are halved.
    """
    start, end = ends
    known = [failures(np.concatenate(ends))]
    low, high = np.split(known[0], 2)
    while start.size and told(known[-1]).all():
        # More at the ends is more between them: so much as rounding may hide.
        more = _LEAST if at.extreme else _ABSOLUTE
        bound = at_most((low + more, high + more), (start, end), at.alpha)
        open_ = (end - start > 1) & ~told(bound)
        known.append(bound[(end - start > 1) & ~open_])
        start, end = start[open_], end[open_]
        low, high = low[open_], high[open_]
        middle = (start + end) // 2
        if middle.size:
            known.append(failures(middle))
            start, end = np.concatenate([start, middle]), np.concatenate([middle, end])
            low, high = np.concatenate([low, known[-1]]), np.concatenate([known[-1], high])
    return known


def _told(lost: Any, beta: float, *, upper: bool) -> NDArray[np.bool_]:
    """Tell which bounds of failures, from below for the upper end of success, are past beta."""
    margin = _CLEAR * min(beta, 1.0 - beta)
    return np.asarray(lost > beta + margin if upper else lost < beta - margin)


# -------------------------------------------------------------------------------------------------
# CH11's learner for label privacy as it stands there: few cuts, spread evenly over the ranks.


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
    reads: ClassVar[tuple[str, ...]] = ("alpha",)
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
        return law(setting)

    def monotone(self, distribution: Distribution, alpha: float) -> bool:
        """Tell that success may fall: where g grows, or another cut comes in at k = m."""
        del distribution, alpha
        return False

    def span(
        self, distribution: Distribution, first: Setting, last: Setting
    ) -> tuple[Estimate, Estimate]:
        """Return what success is at least, and at most, for every m of an interval."""
        del distribution
        return span(first, last)

    def envelope(
        self, distribution: Distribution, first: Setting, last: Setting, *, upper: bool
    ) -> Estimate:
        """Return one end of `span`, or a closer one where that does not tell what suffices."""
        del distribution
        return envelope(first, last, upper=upper)
