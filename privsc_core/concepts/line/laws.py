"""What the success laws of lines share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from privsc_core.concepts.laws import by_d
from privsc_core.concepts.line.distributions import LineDistribution
from privsc_core.concepts.line.plane import MOST
from privsc_core.errors import InputError
from privsc_core.numerics.logspace import each

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from privsc_core.concepts.contracts import Distribution, Estimate, Setting
    from privsc_core.concepts.line.distributions import Profile

__all__ = ["by_profile", "log_unseen", "over_p"]


def by_profile(
    distribution: Distribution,
    setting: Setting,
    law: Callable[[Profile, float, Setting], Estimate],
) -> Estimate:
    """Evaluate a law that takes a profile and p; of very large ones the size does not matter."""
    if not isinstance(distribution, LineDistribution):
        raise InputError("distribution", "must belong to lines", distribution.name)
    distribution.check(d=int(setting.d.min()), alpha=setting.alpha)

    modulus = distribution.modulus

    def at(d: int, part: Setting) -> Estimate:
        return law(distribution.profile(modulus.prime(d), part.alpha), modulus.size(d), part)

    least = int(setting.d.min())
    if modulus.given or least > MOST or least == int(setting.d.max()):
        return at(least, setting)
    return by_d(setting, at)


def over_p(
    distribution: Distribution, setting: Setting
) -> tuple[Profile, NDArray[np.float64], NDArray[np.float64]]:
    """Return a profile, and the masses of the target and the sizes of p of the setting's d.

    All d of a distribution have profiles of one kind; those without an even part do not depend on p.
    """
    if not isinstance(distribution, LineDistribution):
        raise InputError("distribution", "must belong to lines", distribution.name)
    least = int(setting.d.min())
    distribution.check(d=least, alpha=setting.alpha)
    modulus = distribution.modulus

    def profile(d: int) -> Profile:
        return distribution.profile(modulus.prime(d), setting.alpha)

    one = profile(least)
    if not one.even[0]:
        return one, np.array(one.mass), np.array(modulus.size(least))
    # A prime of so many bits stands for larger ones.
    mass = each(lambda d: profile(d).mass, np.minimum(setting.d, MOST))
    return one, mass, each(modulus.size, setting.d)


def log_unseen(
    profile: Profile,
    mass: NDArray[np.float64],
    p: NDArray[np.float64],
    m: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the log of the chance that fewer than two places of the target are seen.

    Of the profile only the atoms matter, or that it is even: then it has these masses and p.
    """
    rest = np.maximum(1.0 - mass, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        none = m * np.log(rest)
        if profile.even[0]:
            # p ((1 - r + r/p)^m - (1 - r)^m) for one place among p.
            gain = np.where(rest > 0.0, m * np.log1p(mass / p / rest), np.inf)
            alone = np.log(p) + m * np.log(rest + mass / p) + np.log(-np.expm1(-gain))
            return np.asarray(np.minimum(np.logaddexp(none, alone), 0.0))
    one = [float(value) for value, _ in profile.atoms.values()]
    logs = [m * math.log(float(rest) + share) for share in one]
    # Each atom alone counts the samples without any.
    total = np.logaddexp(*logs)
    return np.asarray(np.minimum(total + np.log1p(-np.exp(np.minimum(none - total, 0.0))), 0.0))
