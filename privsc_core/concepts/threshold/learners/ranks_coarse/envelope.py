"""What success of `RanksCoarse` is at least, or at most, over intervals of m: by the law at some of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from privsc_core.concepts.laws import exact
from privsc_core.concepts.threshold.learners.ranks_coarse.drift import at_least, at_most, stretches
from privsc_core.concepts.threshold.learners.ranks_coarse.law import law
from privsc_core.concepts.threshold.learners.ranks_coarse.span import span
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting

    _Failures = Callable[[NDArray[np.int64]], NDArray[np.float64]]
    _Told = Callable[[NDArray[np.float64]], NDArray[np.bool_]]

__all__ = ["envelope"]

# Parts of an interval that `span` is asked for first, and stretches that are looked at after it, at most.
_PARTS, _STRETCHES = 256, 1 << 15
# By how much bounds that decide are to be clear of rounding; by how much laws may be off, relative to
# themselves and, where beta is usual, beside that.
_CLEAR, _OFF, _ABSOLUTE = 1e-7, 2e-12, 3e-14
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
        off = _OFF if at.extreme else _OFF + _ABSOLUTE / pair[0]
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
