"""What the second writings of bounds share, in fifty digits: see `tests.classes`."""

import mpmath as mp

mp.mp.dps = 50


def exact(value):
    """Return the binary number that the core was given."""
    return mp.mpf(float(value))


def converse_mean(m, rivals, epsilon, mass):
    """E[1 / (1 + rivals e^(-eps K))] for K ~ Bin(m, mass)."""
    if mass == 1:
        return 1 / (1 + rivals * mp.exp(-epsilon * m))
    shrink, odds = mp.exp(-epsilon), mass / (1 - mass)
    weight, factor, total = (1 - mass) ** m, mp.mpf(1), mp.mpf(0)
    for k in range(m + 1):
        total += weight / (1 + rivals * factor)
        weight *= (m - k) * odds / (k + 1)
        factor *= shrink
    return total


# --- Intervals ----------------------------------------------------------------------------------
