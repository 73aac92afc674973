"""The inequality of every bound on learning a point, in fifty digits."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

from fractions import Fraction

import mpmath as mp
import numpy as np

from tests.core.references import converse_mean, exact, flipped_mean, halfway_mean, walked_mean


def nonprivate(m, d, epsilon, alpha, beta):
    return d < 2 or (1 - exact(alpha)) ** m / 2 <= exact(beta)


def nonprivate_proper(m, d, epsilon, alpha, beta):
    return (1 - exact(alpha)) ** m * (1 - mp.mpf(1) / (mp.mpf(2) ** d - 1)) <= exact(beta)


def labels(m, d, epsilon, alpha, beta):
    return d < 2 or flipped_mean(m, exact(epsilon), exact(alpha)) >= 1 - exact(beta)


def packing_mean(m, d, epsilon, alpha):
    """E[1 / (1 + (T-2) e^(-eps K))], term by term."""
    return converse_mean(m, mp.mpf(2) ** d - 2, exact(epsilon), exact(alpha))


def packing(m, d, epsilon, alpha, beta):
    return packing_mean(m, d, epsilon, alpha) >= 1 - exact(beta)


def packing_two(m, d, epsilon, alpha, beta):
    rivals = mp.mpf(2) ** d - 2
    return halfway_mean(m, rivals, exact(epsilon), exact(alpha)) >= 1 - exact(beta)


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


def packing_delta(m, d, epsilon, alpha, beta, delta=0.0):
    """E[pi_K], step by step."""
    e, a, slack = mp.exp(exact(epsilon)), exact(alpha), exact(delta)
    if d < 2:
        return True
    return walked_mean(m, 1 / (mp.mpf(2) ** d - 1), e, slack, a) >= 1 - exact(beta)


def seen(m, d, epsilon, alpha, beta, delta=0.0):
    """Look at a grid of masses below alpha, the kink, and where C r^m is 1."""
    n, a, half = mp.mpf(2) ** d, exact(alpha), exact(epsilon) / 2
    keep = 1 - mp.exp(-half)
    size = max(mp.mpf(1), 1 / (1 / n + exact(delta) / (mp.exp(half) - 1)))

    def lost(mass):
        return min(mp.mpf(1), size * (1 - mass * keep) ** m)

    def share(mass):
        return min(mp.mpf(1), (1 - mass) / ((a - mass) * n))

    masses = [a * i / 200 for i in range(200)]
    masses += [(a * n - 1) / (n - 1), (1 - size ** (-mp.mpf(1) / m)) / keep]
    worst = max(share(x) * lost(x) for x in masses if 0 <= x < a)
    return max(worst, lost(a)) <= exact(beta)


def margin(m, d, epsilon, alpha, beta):
    """Tell whether no mass of the target fails too often: a grid of its own, a* and alpha."""
    n, e, a, b = mp.mpf(2) ** d, exact(epsilon), exact(alpha), exact(beta)
    lost = unnamed(m, n, e)

    def failure(mass):
        if mass <= 0:
            return mp.mpf(1)
        weight, total = (1 - mass) ** m, mp.mpf(0)
        for k in range(m + 1):
            total += weight * lost[k]
            weight *= (m - k) * mass / (1 - mass) / (k + 1)
        return total

    def share(mass):
        return min(1 - 1 / n, (1 - mass) / ((a - mass) * n)) if mass < a else 1 - 1 / n

    star = (a * (n - 1) - 1) / (n - 2)
    # Nearer and nearer to alpha, as far as the share is below 1 and not below beta.
    masses = [a - (1 - a) / (n * b * (1 / b) ** (mp.mpf(i) / 7) - 1) for i in range(8)]
    return all(share(x) * failure(x) <= b for x in (a, star, *masses) if x >= 0)


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
