"""What success of `RanksCoarse` is at least, and at most, over intervals of m: by formulas."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.laws import exact
from privsc_core.concepts.threshold.learners.ranks_coarse.law import law
from privsc_core.concepts.threshold.learners.ranks_coarse.most import log_most
from privsc_core.numerics.decimals import decimal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Estimate, Setting

__all__ = ["span"]


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
