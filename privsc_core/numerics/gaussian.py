"""Gaussian noise and (epsilon, delta): exact, not by a tail bound."""

from __future__ import annotations

import math
from functools import lru_cache

from scipy import special

__all__ = ["gaussian_parameter", "gaussian_slack"]

_HALVINGS = 220
_LEAST, _MOST = -700.0, 400.0  # logs between which the parameter is looked for


def gaussian_slack(mu: float, epsilon: float) -> float:
    """Return the least delta for which mu-Gaussian privacy is (epsilon, delta)-privacy.

    Phi(a) - e^epsilon Phi(b), a = mu/2 - epsilon/mu, b = -mu/2 - epsilon/mu (Balle and Wang 2018).
    As b^2 = a^2 + 2 epsilon, the second term is the density at a times Mills' ratio at b: nothing
    overflows.

    Parameters
    ----------
    mu : float
        The sensitivity divided by the standard deviation of the noise; of k queries sqrt(k) times
        that of one.
    epsilon : float
        Above 0.
    """
    a, b = 0.5 * mu - epsilon / mu, -0.5 * mu - epsilon / mu
    mills = math.exp(-0.5 * a * a) * 0.5
    far = float(special.erfcx(-b / math.sqrt(2.0)))
    if a < 0.0:
        return mills * (float(special.erfcx(-a / math.sqrt(2.0))) - far)
    return float(special.ndtr(a)) - mills * far


@lru_cache(maxsize=4096)
def gaussian_parameter(epsilon: float, delta: float) -> float:
    """Return the largest mu whose slack at epsilon is at most delta, by bisection of its logarithm."""
    low, high = _LEAST, _MOST
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if gaussian_slack(math.exp(middle), epsilon) <= delta:
            low = middle
        else:
            high = middle
    return math.exp(low)
