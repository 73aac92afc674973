"""The laws of learning a point in fifty digits; the numbers themselves stand in tests/numbers.toml."""

import math

import mpmath as mp
import numpy as np
import pytest

import privsc_core as pv
from tests.core.references import exact
from tests.depth import spread

EPSILON, ALPHA, BETA = 0.5, 0.1, 0.1


def need(learner, d, **more):
    cell = {"epsilon": EPSILON, "alpha": ALPHA, "beta": BETA} | more
    return pv.need(concept="point", learner=learner, d=d, **cell).m.item()


def least(name, d, **more):
    cell = {"epsilon": EPSILON, "alpha": ALPHA, "beta": BETA} | more
    return pv.bound(concept="point", bound=name, d=d, **cell).m.item()


def test_2086_samples_are_not_enough_for_the_finite_class():
    rate = -mp.log(1 - exact(ALPHA) * (1 - mp.exp(-exact(EPSILON) / 2)))
    crossing = (mp.log(mp.mpf(2) ** 64 - 1) - mp.log(exact(BETA))) / rate
    assert 2086.16 < crossing < 2086.18


def mechanism(m, rivals, epsilon, alpha, *, whole=True):
    """E[1 / (1 + rivals e^(-eps K/2) + e^(-eps m/2))] in fifty digits (laws 2 and 6)."""
    a, half = exact(alpha), exact(epsilon) / 2
    weight, total, last = (1 - a) ** m, mp.mpf(0), mp.exp(-half * m) if whole else 0
    for k in range(m + 1):
        total += weight / (1 + rivals * mp.exp(-half * k) + last)
        weight *= (m - k) * a / ((k + 1) * (1 - a))
    return total


@pytest.mark.parametrize(("m", "d", "epsilon", "alpha"), spread([
    (1, 1, 0.5, 0.1), (2, 2, 3.0, 0.3), (334, 8, 0.5, 0.1), (335, 8, 0.5, 0.1),
    (1968, 64, 0.5, 0.1), (1967, 64, 0.5, 0.1), (10_000, 300, 0.5, 0.1), (9_999, 40, 0.02, 0.45),
], 4))  # fmt: skip
def test_law_2_in_thirteen_digits(m, d, epsilon, alpha):
    wanted = mechanism(m, mp.mpf(2) ** d - 2, epsilon, alpha)
    found = pv.success(
        concept="point", learner="exponential", m=m, d=d, epsilon=epsilon, alpha=alpha
    ).value.item()
    assert float(abs(found - wanted) / wanted) < 1e-13 + 1e-15 * d
    if (d, epsilon, alpha) in {(8, EPSILON, ALPHA), (64, EPSILON, ALPHA)}:
        assert (wanted >= 0.9) == (m >= {8: 335, 64: 1968}[d])


@pytest.mark.parametrize(("m", "epsilon", "alpha", "beta"), [
    (1, 0.5, 0.1, 0.1), (365, 0.5, 0.1, 0.1), (366, 0.5, 0.1, 0.1), (8_000, 0.05, 0.03, 0.02),
])  # fmt: skip
def test_law_6_in_thirteen_digits(m, epsilon, alpha, beta):
    bits = math.ceil(math.log2(4 / (alpha * beta)))
    wanted = (1 - mp.mpf(2) ** -bits) * mechanism(m, mp.mpf(2) ** bits - 2, epsilon, alpha)
    found = pv.success(
        concept="point", learner="hash", m=m, d=9, epsilon=epsilon, alpha=alpha, beta=beta
    ).value.item()
    assert float(abs(found - wanted) / wanted) < 1e-13
    if m in (365, 366):
        assert (wanted >= 0.9) == (m == 366)


@pytest.mark.parametrize("d", [1, 2, 8, 700])
@pytest.mark.parametrize("m", [1, 37, 10_000])
def test_laws_1_and_4_by_their_closed_forms(m, d):
    a, e = exact(0.1), exact(0.7)
    missed = (1 - a) ** m
    wanted = {"erm": 1 - missed * (1 - 1 / (mp.mpf(2) ** d - 1))}
    thin = (mp.exp(e) - 1) / (4 + mp.exp(e) - mp.exp(e) / 4 - 1)
    q, s, t = (1 - a * a / 4 * thin) ** m, 1 - a / 8, 1 - a / 4
    wanted["noise"] = s * s * ((1 - q) * s + q * (a / 8))
    wanted["noise-pseudorandom"] = s * t * ((1 - q) + q * (a / 4))
    for learner, value in wanted.items():
        found = pv.success(
            concept="point", learner=learner, m=m, d=d, epsilon=0.7, alpha=0.1
        ).value.item()
        assert found == pytest.approx(float(value), rel=1e-13), learner


def test_law_3_against_the_definition():
    # Four groups of sets, multinomial: the inner expectation by 1/S = integral of e^(-tS).
    m, d, epsilon, alpha = 6, 16, 2.0, 0.3
    p = d * (1 + 6)
    sets = int(mp.ceil(8 * mp.e * p * p / d))
    size = max(1, int(mp.nint(mp.mpf(4) * p * 2**d / sets)))
    whole = 2 ** (d + 1)
    one, both = mp.mpf(size) / whole, mp.mpf(size) * (size - 1) / (whole * mp.mpf(whole - 1))
    a, half, total = exact(alpha), exact(epsilon) / 2, mp.mpf(0)
    with mp.workdps(20):
        for k in range(m + 1):
            groups = [
                (both, mp.exp(-half * (m - k))), (one - both, mp.exp(-half * m)),
                (1 - 2 * one + both, mp.exp(-half * k)),
            ]  # fmt: skip

            def integrand(t, groups=groups):
                rest = (one - both) * mp.exp(-t) + sum(q * mp.exp(-t * w) for q, w in groups)
                return mp.exp(-t) * rest ** (sets - 1)

            share = sets * (one - both) * mp.quad(integrand, [0, 1e-4, 1e-3, 1e-2, 1e-1, 1, 60])
            total += mp.binomial(m, k) * a**k * (1 - a) ** (m - k) * share
    found = pv.success(
        concept="point", learner="representation", m=m, d=d, epsilon=epsilon, alpha=alpha
    ).value.item()
    assert found == pytest.approx(float(total), rel=1e-9)


def test_the_story_in_numbers():
    assert need("noise-tuned", 64) == pytest.approx(2140, abs=5)
    assert need("noise-tuned", 64, distribution="bystanders") == pytest.approx(7080, abs=10)
    assert np.isnan(need("noise", 64, beta=0.01))
