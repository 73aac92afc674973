"""What the failure of `RanksCoarse` is at most, by a formula."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Setting

__all__ = ["log_most"]

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
