"""What the success laws of the POINT_d learners share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.point.distributions import PointDistribution
from privsc_core.concepts.shared.laws import by_d
from privsc_core.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.point.distributions import Profile


def by_profile(
    distribution: Distribution,
    setting: Setting,
    law: Callable[[Profile, Setting], Estimate],
) -> Estimate:
    """Evaluate a law that takes one profile, splitting by d where the profile needs it."""
    if not isinstance(distribution, PointDistribution):
        raise InputError("distribution", "must belong to POINT_d", distribution.name)
    for d in set(setting.d.ravel().tolist()):
        distribution.check(d=d, alpha=setting.alpha)
    if not distribution.depends_on_d:
        first = int(setting.d.ravel()[0])
        return law(distribution.profile(d=first, alpha=setting.alpha), setting)
    return by_d(setting, lambda d, part: law(distribution.profile(d=d, alpha=setting.alpha), part))


def lump_odds(
    count: NDArray[np.float64],
    rest: NDArray[np.float64] | float,
    log_lump: NDArray[np.float64],
    epsilon: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return e^{log_lump - eps K / 2} + e^{-eps (K + rest) / 2}.

    The odds against the exponential mechanism's picking the one hypothesis that makes no
    mistake: a lump of hypotheses that miss K examples and one that misses all.
    """
    out = count * (-0.5 * epsilon)
    out += log_lump
    # Not further: times a small weight it would be subnormal, which is ten times slower.
    np.minimum(out, 460.0, out=out)
    np.exp(out, out=out)
    if not (isinstance(rest, float) and math.isinf(rest)):
        size = (count + rest)[:1]  # the same in every row: one row of exponentials
        out += np.exp(-0.5 * epsilon * size)
    return out


def crowd(examples: NDArray[np.int64], cells: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return how often each of `cells` equally likely bystanders was drawn, row by row."""
    return rng.multinomial(examples, np.full(cells, 1.0 / cells)).astype(np.float64)
