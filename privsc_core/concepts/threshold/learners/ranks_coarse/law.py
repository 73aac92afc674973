"""The success law of `RanksCoarse`: exact, and by the fastest way at every m."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.laws import averaged, exact, from_smaller
from privsc_core.concepts.threshold.learners.ranks_coarse.asked import Asked, gap
from privsc_core.concepts.threshold.learners.ranks_coarse.most import log_most
from privsc_core.concepts.threshold.learners.ranks_coarse.reach import Tables
from privsc_core.concepts.threshold.learners.ranks_coarse.sparse import from_few, is_sparse
from privsc_core.concepts.threshold.learners.ranks_coarse.waves import by_waves, waves
from privsc_core.concepts.threshold.learners.ranks_coarse.weights import odds_against
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting

__all__ = ["law"]

_LARGE = 10**6
# A chance whose exponent is below that is 0 as a float; below the other it is not seen beside 1.
_NEVER, _UNSEEN = 750.0, 42.0


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
    open_ = logs > (-_NEVER if setting.extreme else -_UNSEEN)
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
