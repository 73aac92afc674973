"""What the tests of bounds on learning a point compute a second time."""

import mpmath as mp
import numpy as np

from tests.core.references import converse_mean, exact


def packing_mean(m, d, epsilon, alpha):
    """E[1 / (1 + (T-2) e^(-eps K))], term by term."""
    return converse_mean(m, mp.mpf(2) ** d - 2, exact(epsilon), exact(alpha))


def unnamed(most, n, epsilon):
    """1 - F(u) for a target with 0, 1, ..., most votes, nobody else having any."""
    p0, u1 = mp.log((n + 1) / 2) / epsilon, mp.log(n + mp.mpf(1) / 2) / epsilon
    found = []
    for k in range(most + 1):
        u = k - max(mp.mpf(0), (k - p0) / 2)
        if u <= u1:
            found.append(1 - (mp.exp(epsilon * u) - 1) / (2 * n))
        else:
            found.append((mp.mpf(1) / 2 + 1 / (4 * n)) * mp.exp(-epsilon * (u - u1)))
    return found


def violates_3_9(m, d, epsilon, alpha, beta):
    gamma = exact(beta) + mp.exp(-exact(alpha) * m / 3)
    left = (mp.mpf(2) ** d - 2) * mp.exp(-4 * exact(epsilon) * exact(alpha) * m)
    return gamma < 1 and left * (1 - gamma) > gamma


def hashing(m, d, epsilon, alpha, beta):
    """Tell whether some number of bits and some alpha' do it: a grid of its own, in floats."""
    share = np.linspace(0, 1, 4001)[1:-1]
    for bits in range(1, 60):
        if 2.0**-bits / beta >= alpha:
            continue
        good = alpha * (2.0**-bits / beta / alpha) ** share
        spend = np.minimum(epsilon, np.log(alpha / good))
        r = 1 - alpha * (1 - np.exp(-spend / 2)) + good * (np.exp(spend / 2) - 1)
        failure = 2.0**-bits / good + (2.0**bits - 1) * np.minimum(r, 1) ** m
        if failure.min() <= beta:
            return True
    return False
