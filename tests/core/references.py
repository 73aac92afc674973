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


def halfway_mean(m, rivals, epsilon, mass):
    """E[1 - max_t 1 / (e^(eps t) + e^(eps (K-t)) / rivals)], a few whole t around the best real one.

    That these suffice is tested on its own, with every t.
    """
    if rivals < 1:
        return mp.mpf(1)
    edge = mp.log(rivals) / epsilon
    rise = [mp.exp(epsilon * t) for t in range(m + 1)]

    def failure(k):
        middle = int((k - edge) / 2)
        near = {min(max(middle + step, 0), k) for step in (-1, 0, 1, 2)}
        return max(1 / (rise[t] + rise[k - t] / rivals) for t in near)

    if mass == 1:
        return 1 - failure(m)
    odds, weight, total = mass / (1 - mass), (1 - mass) ** m, mp.mpf(0)
    for k in range(m + 1):
        # Those of no weight are not gone through.
        if weight > mp.mpf(10) ** -45:
            total += weight * failure(k)
        weight *= (m - k) * odds / (k + 1)
    return 1 - total
