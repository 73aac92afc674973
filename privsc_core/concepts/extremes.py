"""From which beta on success and failure must both be known relative to themselves."""

from __future__ import annotations

import math

from privsc_core.numerics.binomial_windows import LOG_TAIL
from privsc_core.numerics.decimals import complement

__all__ = ["extreme", "log_tail"]

# Laws err by about 1e-13: a millionth of a percent of this, so that the least m is right.
_RARE = 1e-4
# e^{-37} is below half an ulp of 1.
_ROUNDING = 37.0


def extreme(beta: float) -> bool:
    """Tell whether beta or 1 - beta is so small that an absolute error of 1e-13 would matter."""
    return min(beta, complement(beta)) < _RARE


def log_tail(beta: float) -> float:
    """Return -log of the mass that an expectation may leave out.

    It is as usual for everyday values of beta; else so little that neither beta nor 1 - beta
    could tell.
    """
    if not extreme(beta):
        return LOG_TAIL
    return _ROUNDING - math.log(min(beta, complement(beta)))
