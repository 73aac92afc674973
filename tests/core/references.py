"""The inequality of every bound, coded again from theory.md in fifty digits.

``holds(m, d, epsilon, alpha, beta)`` tells whether m samples are allowed (lower) or suffice
(upper). A new bound needs a line here: a test says so.
"""

from fractions import Fraction

import mpmath as mp
import numpy as np

mp.mp.dps = 50


def exact(value):
    """Return the binary number that the core was given."""
    return mp.mpf(float(value))


def nonprivate(m, d, epsilon, alpha, beta):
    return d < 2 or (1 - exact(alpha)) ** m / 2 <= exact(beta)


def nonprivate_proper(m, d, epsilon, alpha, beta):
    return (1 - exact(alpha)) ** m * (1 - mp.mpf(1) / (mp.mpf(2) ** d - 1)) <= exact(beta)


def packing_mean(m, d, epsilon, alpha):
    """E[1 / (1 + (T-2) e^(-eps K))], term by term."""
    a, rivals, shrink = exact(alpha), mp.mpf(2) ** d - 2, mp.exp(-exact(epsilon))
    weight, factor, total = (1 - a) ** m, mp.mpf(1), mp.mpf(0)
    for k in range(m + 1):
        total += weight / (1 + rivals * factor)
        weight *= (m - k) * a / ((k + 1) * (1 - a))
        factor *= shrink
    return total


def packing(m, d, epsilon, alpha, beta):
    return packing_mean(m, d, epsilon, alpha) >= 1 - exact(beta)


def corollary_3_8(m, d, epsilon, alpha, beta):
    b = exact(beta)
    return (mp.mpf(2) ** d - 1) * mp.exp(-exact(epsilon) * m) * (1 - b) <= b


def violates_3_9(m, d, epsilon, alpha, beta):
    gamma = exact(beta) + mp.exp(-exact(alpha) * m / 3)
    left = (mp.mpf(2) ** d - 2) * mp.exp(-4 * exact(epsilon) * exact(alpha) * m)
    return gamma < 1 and left * (1 - gamma) > gamma


def lemma_3_9(m, d, epsilon, alpha, beta):
    """Tell that neither m nor anything larger is impossible; far above nothing violates."""
    a, b = exact(alpha), exact(beta)
    far = int((d * mp.log(2) + mp.log((1 - b) / b)) / (4 * exact(epsilon) * a)) + 2
    return not any(violates_3_9(k, d, epsilon, alpha, beta) for k in range(m, max(far, m) + 1))


def finite_class(m, d, epsilon, alpha, beta):
    r = 1 - exact(alpha) * (1 - mp.exp(-exact(epsilon) / 2))
    return (mp.mpf(2) ** d - 1) * r**m <= exact(beta)


def theorem_3_2(m, d, epsilon, alpha, beta):
    e = exact(epsilon)
    return m >= max(8, 4 / e) / exact(alpha) * mp.log(2 * mp.mpf(2) ** d / exact(beta))


def ratio(epsilon, alpha, good):
    """Return the least r over a fine grid of losses and the closed form's own point."""
    a, g, e = exact(alpha), exact(good), exact(epsilon)
    spend = [e * k / 400 for k in range(1, 401)]
    if mp.log(a / g) < e:
        spend.append(mp.log(a / g))
    return min(1 - a * (1 - mp.exp(-x / 2)) + g * (mp.exp(x / 2) - 1) for x in spend)


def pieces(alpha, per_alpha):
    return 1 + int(Fraction(per_alpha) / Fraction(str(alpha)))


def theorem_4_2(m, d, epsilon, alpha, beta):
    p = d * pieces(alpha, 2)
    size = mp.ceil(8 * mp.e * p * p / d)
    return d >= 16 and (size - 1) * ratio(epsilon, alpha, alpha / 2) ** m <= exact(beta)


def representation(m, d, epsilon, alpha, beta):
    factor = 16 * mp.e * pieces(alpha, 4)
    return d >= 16 and factor * ratio(epsilon, alpha, alpha / 2) ** m <= exact(beta)


def claim_4_5(m, d, epsilon, alpha, beta):
    e, a, b = exact(epsilon), exact(alpha), exact(beta)
    runs = mp.ceil(mp.log(5 / b) / mp.log(mp.mpf(5) / 4))
    one = mp.ceil(384 * mp.log(4) / (e * (a / 8) ** 2))
    return m >= runs * one + mp.ceil(24 * mp.log(3 / b**2) / (e * a))


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


HOLDS = {
    "nonprivate": nonprivate,
    "nonprivate-proper": nonprivate_proper,
    "packing": packing,
    "corollary-3.8": corollary_3_8,
    "lemma-3.9": lemma_3_9,
    "finite-class": finite_class,
    "theorem-3.2": theorem_3_2,
    "theorem-4.2": theorem_4_2,
    "representation": representation,
    "claim-4.5": claim_4_5,
    "hash": hashing,
}
