"""The law of wrong bits on spikes against sums of positive terms alone, in which nothing cancels."""

import dataclasses
import itertools

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import binom, poisson

from privsc_core import catalog
from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.spikes_law import spikes_law, wrong_bits
from privsc_core.numerics.poisson import log_poisson, poisson_weights

SPIKES = catalog.distribution("conjunction", "spikes")
PROFILES = {
    "unseen": lambda k: 1.0 * (k == 0),
    "coin": lambda k: 0.5 * 0.7**k,
    "mechanism": lambda k: 1 / (1 + np.exp(k / 2)),
    "gauss": lambda k: ndtr((2.5 - k) / 1.5),
}


def bit_by_bit(m, d, a, rho):
    """How many of d bits are wrong: one bit after the other takes its share of the examples left."""
    k = np.arange(m + 1)
    table = np.zeros((d + 1, m + 1))  # [wrong, examples taken]
    table[0, 0] = 1.0
    for bit in range(d):
        share = min(a / d / (1.0 - a * bit / d), 1.0)
        after = np.zeros_like(table)
        for taken in range(m + 1):
            seen = binom.pmf(k[: m + 1 - taken], m - taken, share)
            wrong = rho(k[: m + 1 - taken].astype(float))
            after[:, taken:] += np.outer(table[:, taken], seen * (1.0 - wrong))
            after[1:, taken:] += np.outer(table[:-1, taken], seen * wrong)
        table = after
    return table.sum(axis=1)


def unseen_bits(m, d):
    """How many of d bits m examples leave unseen, where each tells one: example by example."""
    told = np.zeros(d + 1)
    told[0], k = 1.0, np.arange(d + 1)
    for _ in range(m):
        told = told * k / d + np.append(0.0, told[:-1] * (d - k[:-1]) / d)
    return told[::-1]


@pytest.mark.parametrize(("first", "last", "mean"), [
    (0, 60, 0.01), (0, 60, 7.3), (30, 60, 7.3), (0, 60, 400.5), (9_000, 11_000, 10_000.0),
])  # fmt: skip
def test_poisson_weights_are_those_of_scipy(first, last, mean):
    k = np.arange(first, last + 1.0)
    wanted = poisson.logpmf(k, mean)
    assert log_poisson(k, mean) == pytest.approx(wanted, abs=1e-10)
    assert poisson_weights(k, mean) == pytest.approx(np.exp(wanted - wanted.max()), rel=1e-10)


@pytest.mark.parametrize(("m", "d"), [(20, 400), (500, 1000), (1000, 1000), (3000, 1000)])
def test_bits_that_no_example_tells_are_counted_where_all_tell_one(m, d):
    """With a = 1 the number of wrong bits hangs on the counts as much as it can."""
    assert wrong_bits(m, d, 1.0, PROFILES["unseen"]) == pytest.approx(unseen_bits(m, d), abs=1e-13)


@pytest.mark.parametrize(("m", "d"), [(0, 6), (1, 5), (12, 6), (60, 9)])
@pytest.mark.parametrize("profile", PROFILES)
def test_rare_numbers_of_wrong_bits_are_right_relative_to_themselves(m, d, profile):
    rho, compared = PROFILES[profile], 0
    for a, share, chance in itertools.product((0.1, 0.5, 0.9), (0.0, 0.5, 1.0), (1e-12, 0.4)):
        law = dataclasses.replace(SPIKES, a=a, share=share)
        steady = law.relevant(d)
        told = d - steady
        wanted = binom.pmf(np.arange(steady + 1), steady, chance)
        if told:
            wanted = np.convolve(wanted, bit_by_bit(m, told, a * told / d, rho))
        for most in range(d):
            alpha = a * (most + 0.5) / d
            setting = Setting(np.array([m]), np.array(d), np.array(1.0), alpha, 1e-30, 0.0, 1000, 1)
            found = spikes_law(
                law, setting, lambda m: m, lambda k, *_: rho(k), law.relevant, np.array([chance])
            )
            pairs = ((found.failure, wanted[most + 1 :]), (found.value, wanted[: most + 1]))
            for one, terms in pairs:
                if terms.sum() > 1e-30:
                    assert one.item() == pytest.approx(terms.sum(), rel=1e-6)
                    compared += terms.sum() < 1e-3
    assert compared >= 4


@pytest.mark.parametrize("profile", PROFILES)
def test_cells_together_are_what_each_is_alone(profile):
    """Of all sizes in one call; with a = 1 only wide angles tell, and few bits have few."""
    m, d = np.array([0, 1, 9, 60, 700, 30_000, 10**6])[:, None], np.array([2, 7, 40, 900])
    chance = np.linspace(0.0, 0.3, m.size * d.size)

    def rho(k):
        return PROFILES[profile](np.minimum(k, 1000.0))

    between = 0
    for a, share, error in itertools.product((0.05, 0.5, 1.0), (0.0, 0.5), (0.02, 0.12, 0.45)):
        law = dataclasses.replace(SPIKES, a=a, share=share)
        alpha = a * error
        setting = Setting(m, d, np.array(1.0), alpha, 0.1, 0.0, 1000, 1)
        found = spikes_law(law, setting, lambda m: m, lambda k, *_: rho(k), law.relevant, chance)
        for at, (size, bits, _) in enumerate(setting.cells()):
            steady = law.relevant(bits) if chance[at] else 0
            told = bits - law.relevant(bits)
            alone = wrong_bits(size, told, a * told / bits, rho) if told else np.ones(1)
            alone = np.convolve(alone, binom.pmf(np.arange(steady + 1), steady, chance[at]))
            wanted = alone[: law.allowed(bits, alpha) + 1].sum()
            assert found.value.flat[at] == pytest.approx(wanted, abs=3e-13)
            between += 1e-3 < wanted < 1 - 1e-3
    assert between >= 100
