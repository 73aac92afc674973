"""What the success laws of the POINT_d learners share."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.contracts import Estimate, Setting
from privsc_core.concepts.point.distributions import PointDistribution
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution
    from privsc_core.concepts.point.distributions import Profile

__all__ = ["by_profile", "exact", "lump_share", "rao_blackwell"]

# Two-sided 95% normal quantile.
_NORMAL_95 = 1.959963984540054


def by_profile(
    distribution: Distribution,
    setting: Setting,
    law: Callable[[Profile, Setting], Estimate],
) -> Estimate:
    """Evaluate a law that takes one profile, splitting by d where the profile needs it."""
    if not isinstance(distribution, PointDistribution):
        raise InputError("distribution", "must belong to POINT_d", distribution.name)
    for d in np.unique(setting.d).tolist():
        distribution.check(d=d, alpha=setting.alpha)
    if not distribution.depends_on_d:
        first = int(setting.d.ravel()[0])
        return law(distribution.profile(d=first, alpha=setting.alpha), setting)
    shape, cells = setting.shape, setting.cells()
    value, half = np.empty((2, len(cells)))
    known: dict[int, tuple[NDArray[np.float64], ...]] = {}
    for cell, (size, bits, epsilon) in enumerate(cells):
        if size not in known:
            known.clear()
            known[size] = draw(size, np.random.default_rng(setting.seed))
        given = conditional(bits, epsilon, *known[size])
        value[cell] = given.mean()
        half[cell] = _NORMAL_95 * given.std(ddof=1) / math.sqrt(given.size)
    value, half = value.reshape(shape), half.reshape(shape)
    low, high = np.maximum(value - half, 0.0), np.minimum(value + half, 1.0)
    return Estimate(value, low, high, "rao-blackwell")
