"""The law of `RanksCoarse` from few of the counts of points left of the target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privsc_core.concepts.threshold.learners.ranks_coarse.reach import Smooth, Tables
from privsc_core.concepts.threshold.learners.ranks_coarse.weights import odds_against
from privsc_core.numerics.near_normal import halves
from privsc_core.numerics.sums import sum_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from privsc_core.concepts.threshold.learners.ranks_coarse.asked import Asked
    from privsc_core.concepts.threshold.learners.ranks_coarse.reach import Reach

__all__ = ["from_few", "is_sparse"]

# Nodes in a block.
_BLOCK = 1 << 13
# Up to that m it is faster to sum all counts.
_FEW = 2000
# So many points are to be within reach, and out of it, on either side for their chances to be smooth.
_SMOOTH = 60.0
# Nodes of a panel, and how long it is at most: in standard deviations, and in log weights.
_NODES, _LONG, _FALL = 16, 4.5, 2.5
# Tables serve numbers of samples up to that ratio.
_ALIKE = 1.1
# How many standard deviations cuts may be apart of which every so-manieth is looked at.
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
        The first pair of candidates, and that so-manieth one is looked at.
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
