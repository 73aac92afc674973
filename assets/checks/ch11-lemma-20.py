"""CH11, Lemma 20: the probability of a band around the equator, and its bound."""

from math import asin, exp, sqrt

import numpy as np


def band(n, gamma):
    """Pr[|u x| <= gamma] for a uniform x on the sphere in R^n: an integral of cos^(n-2)."""
    density = lambda angle: np.cos(angle) ** (n - 2)  # noqa: E731 - a formula
    inside, whole = (np.linspace(0, end, 20_001) for end in (asin(gamma), np.pi / 2))
    return np.trapezoid(density(inside), inside) / np.trapezoid(density(whole), whole)


for n in (10, 100):
    gamma = 1 / sqrt(n)
    true, bound = band(n, gamma), 1 - 2 * exp(-n * gamma**2 / 2)
    print(f"n = {n}: kappa {1 / true:.3f}; the lemma's formula gives {1 / bound:.3f}")
    assert bound < 0 < true
    assert 1.4 < 1 / true < 1.6
