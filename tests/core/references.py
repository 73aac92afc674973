"""The inequality of every bound, coded again from theory.md in fifty digits.

``holds(m, d, epsilon, alpha, beta)`` tells whether m samples are allowed (lower) or suffice
(upper). A new bound needs a line here, under its concept class: a test says so.
"""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
from scipy.stats import binom

from tests.core.support import generated, seed_bits

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
    return converse_mean(m, mp.mpf(2) ** d - 2, exact(epsilon), exact(alpha))


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


# --- Intervals ----------------------------------------------------------------------------------


def interval_nonprivate(m, d, epsilon, alpha, beta):
    """Concepts c_2 and c_3 differ at point 2 only: even d = 1 has them."""
    return (1 - exact(alpha)) ** m / 2 <= exact(beta)


def interval_packing(m, d, epsilon, alpha, beta):
    """Targets c_3, ..., c_T: T - 3 rivals, and two rare points of mass alpha each."""
    mass, rivals = 2 * exact(alpha), mp.mpf(2) ** d - 3
    if mass > 1 or rivals <= 0:
        return True
    return converse_mean(m, rivals, exact(epsilon), mass) >= 1 - exact(beta)


def lemma_5_2(m, d, epsilon, alpha, beta):
    b = exact(beta)
    return mp.mpf(2) ** d * mp.exp(-exact(epsilon) * m) * (1 - b) <= b


def interval_finite_class(m, d, epsilon, alpha, beta):
    r = 1 - exact(alpha) * (1 - mp.exp(-exact(epsilon) / 2))
    return mp.mpf(2) ** d * r**m <= exact(beta)


def interval_theorem_3_2(m, d, epsilon, alpha, beta):
    e = exact(epsilon)
    return m >= max(8, 4 / e) / exact(alpha) * mp.log(2 * (mp.mpf(2) ** d + 1) / exact(beta))


def bits_per_bit(gamma):
    """1 - H2(gamma)."""
    return 1 + gamma * mp.log(gamma, 2) + (1 - gamma) * mp.log(1 - gamma, 2)


def hopeless_runs(d, accuracy, confidence):
    """Return the most runs N with log2 N below (1 - H2(gamma)) d."""
    gamma = accuracy + confidence - accuracy * confidence
    return mp.ceil(mp.mpf(2) ** (bits_per_bit(gamma) * d)) - 1


def luck(d, accuracy, confidence):
    """Return q: those runs on dummies all fail with probability above `confidence`."""
    runs = hopeless_runs(d, accuracy, confidence)
    return -mp.expm1(mp.log(confidence) / runs) if runs >= 1 else mp.mpf(1)


def moved(m, log_luck, mass, epsilon):
    """E[min(1, q e^(eps K))] for K ~ Bin(m, mass), in floats."""
    count = np.arange(m + 1)
    return float(binom.pmf(count, m, mass) @ np.exp(np.minimum(log_luck + epsilon * count, 0.0)))


def corollary_4_3(m, d, epsilon, alpha, beta):
    """The papers' point: s = 4 alpha and delta' = 1/4, for alpha at most 1/4."""
    q = luck(d, mp.mpf(1) / 4, mp.mpf(1) / 4)
    return moved(m, float(mp.log(q)), min(4 * alpha, 1.0), epsilon) >= 1 - beta


def log_lucks(d, accuracy):
    """Return log q over a grid of delta', in floats (so 2^bits is not rounded above 2^40)."""
    most = (0.5 - accuracy) / (1 - accuracy)
    confidence = most * np.concatenate(
        [np.geomspace(1e-9, 0.5, 400), np.linspace(0.5, 0.9999, 400)]
    )
    gamma = accuracy + confidence - accuracy * confidence
    bits = d * (1 + gamma * np.log2(gamma) + (1 - gamma) * np.log2(1 - gamma))
    whole = np.log(np.maximum(np.ceil(np.exp2(np.minimum(bits, 40.0)) - 1e-9) - 1, 1e-300))
    ratio = np.log(-np.log(confidence)) - np.where(bits > 40, bits * np.log(2), whole)
    exponent = np.exp(np.clip(ratio, -36.0, 5.0))
    return np.where(ratio < -36, ratio, np.log(-np.expm1(-exponent))), confidence


def littlestone(m, d, epsilon, alpha, beta):
    """Tell that no (s, delta') of a grid finer than the core's excludes m."""
    for s in np.geomspace(2.001 * alpha, 1.0, 160) if 2.001 * alpha < 1 else [1.0]:
        if moved(m, log_lucks(d, alpha / s)[0].min(), s, epsilon) < 1 - beta:
            return False
    return True


def by_the_book(m, d, epsilon, alpha, beta):
    """Tell that no (s, k0, delta') of a grid excludes m, word by word as in theory.md, section 3."""
    confidence = np.geomspace(1e-3, 0.45, 24)
    for s in np.geomspace(2.05 * alpha, 1.0, 24) if 2.05 * alpha < 1 else []:
        middle, spread = m * s, np.sqrt(m * s * (1 - s)) + 1
        cuts = {*range(12), *np.round(middle + spread * np.linspace(-1, 2.5, 15)).astype(int)}
        for cut in sorted(k for k in cuts if 0 <= k <= m):
            often = 1 - beta - binom.sf(cut, m, s)
            if often <= 0:
                continue
            # N = ceil(log(1/delta') / pi), pi = e^(-eps k0) (1 - beta - Pr[Bin(m, s) > k0]).
            runs = np.log(-np.log(confidence)) + epsilon * cut - np.log(often)
            few = np.log(np.ceil(np.exp(np.minimum(runs, 30))))
            runs = np.where(runs < 30, few, runs)
            gamma = alpha / s + confidence - alpha / s * confidence
            bits = d * (1 + gamma * np.log2(gamma) + (1 - gamma) * np.log2(1 - gamma))
            if ((gamma < 0.5) & (runs / np.log(2) < bits)).any():
                return False
    return True


def images_other_than_1(d):
    """Count the images of the plain class: by enumeration, or 2^l with 60 bits to spare."""
    length = seed_bits(d)
    if d >= 2 * length + 60:
        return mp.mpf(2) ** length
    return mp.mpf(len({generated(s, length, d) for s in range(2**length)} - {1}))


def packing_proper(m, d, epsilon, alpha, beta):
    rivals = images_other_than_1(d) - 1
    return rivals < 1 or converse_mean(m, rivals, exact(epsilon), exact(alpha)) >= 1 - exact(beta)


def finite_class_proper(m, d, epsilon, alpha, beta):
    r = 1 - exact(alpha) * (1 - mp.exp(-exact(epsilon) / 2))
    return (mp.mpf(2) ** seed_bits(d) - 1) * r**m <= exact(beta)


def entries_changed(m, d, epsilon, count, beta):
    """1 / (1 + (T-1) e^(-eps k)) >= 1 - beta for k changed entries."""
    return 1 / (1 + (mp.mpf(2) ** d - 1) * mp.exp(-exact(epsilon) * count)) >= 1 - exact(beta)


def release_packing(m, d, epsilon, alpha, beta):
    return entries_changed(m, d, epsilon, math.ceil(2 * Fraction(str(alpha)) * m), beta)


def theorem_7_2(m, d, epsilon, alpha, beta):
    changed, b = math.ceil(3 * Fraction(str(alpha)) * m), exact(beta)
    return (mp.mpf(2) ** d - 1) * mp.exp(-exact(epsilon) * changed) * (1 - b) <= b


def laplace_histogram(m, d, epsilon, alpha, beta):
    """The least success over the databases covered, each as a product over all points."""
    rate, a, points = exact(epsilon) / 2, exact(alpha), mp.mpf(2) ** d
    x = rate * a * m
    u = mp.exp(-x) / 2

    def least(*margins):
        """Points with counts that far above the threshold; the noise of the others stays below."""
        heavy = mp.fprod(1 - u - mp.exp(-min(x, rate * y)) / 2 for y in margins)
        return heavy * (1 - u) ** (points - len(margins))

    crowd = int(min(1 / (2 * Fraction(str(alpha))), 2**d))
    covered = [least(*[a * m] * crowd), least((1 - a) * m)]
    if Fraction(str(alpha)) <= Fraction(1, 4):
        covered.append(least(a * m, max((1 - 4 * a) * m - 1, mp.mpf(0))))
    return min(covered) >= 1 - exact(beta)


HOLDS = {
    "release": {
        "packing": release_packing,
        "theorem-7.2": theorem_7_2,
        "laplace": laplace_histogram,
    },
    "pseudorandom-point": {
        "packing-proper": packing_proper,
        "packing-relaxed": packing,
        "finite-class-proper": finite_class_proper,
        "finite-class-relaxed": finite_class,
    },
    "point": {
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
    },
    "interval": {
        "nonprivate": interval_nonprivate,
        "packing": interval_packing,
        "littlestone": littlestone,
        "corollary-4.3": corollary_4_3,
        "lemma-5.2": lemma_5_2,
        "finite-class": interval_finite_class,
        "theorem-3.2": interval_theorem_3_2,
    },
}
