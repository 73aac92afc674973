"""The law of wrong bits on spikes against sums of positive terms alone, in which nothing cancels."""

import dataclasses
import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.special import expit, ndtr
from scipy.stats import binom, poisson

from privsc_core import catalog
from privsc_core.concepts.contracts import Setting
from privsc_core.concepts.shared import shattered_law as law_of_spikes
from privsc_core.concepts.shared.shattered_law import Counts, shattered_law, wrong_bits
from privsc_core.evaluate.need import guessed, need
from privsc_core.numerics import tails as poisson_module
from privsc_core.numerics.tails import log_poisson, log_poisson_mean, poisson_weights
from tests.depth import deep, spread

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


@pytest.mark.parametrize("mean", [3.0, 41.0, 1e3, 1e5, 1e7, 1e9, 1e12])
def test_logs_of_poisson_weights_in_thirty_digits(monkeypatch, mean):
    k = np.unique(np.maximum(np.rint(mean + math.sqrt(mean) * np.linspace(-8, 8, 21)), 0.0))
    with mpmath.workdps(40):
        wanted = [
            float(i * mpmath.log(mean) - mpmath.mpf(mean) - mpmath.loggamma(i + 1))
            for i in map(mpmath.mpf, k.astype(int).tolist())
        ]
    assert log_poisson(k, mean) == pytest.approx(wanted, abs=2e-13, rel=0)
    for i in (0, -1):
        assert float(log_poisson(np.array(k[i]), mean)) == log_poisson(k, mean)[i]
    monkeypatch.setattr(poisson_module, "_DIGITS", 10.0)
    if mean > 1e5:
        assert log_poisson(k, mean) != pytest.approx(wanted, abs=2e-13, rel=0)


def test_poisson_weights_of_means_are_those_of_scipy():
    k = np.array([0.0, 1.0, 2.0, 39.0, 40.0, 41.0, 1e3, 1e7])
    assert log_poisson_mean(k) == pytest.approx(poisson.logpmf(k, k), abs=1e-8)
    assert log_poisson_mean(k) == pytest.approx(log_poisson(k, np.maximum(k, 1e-300)), abs=1e-13)


@pytest.mark.parametrize(("m", "d"), [(20, 400), (500, 1000), (1000, 1000), (3000, 1000)])
def test_bits_that_no_example_tells_are_counted_where_all_tell_one(m, d):
    """With a = 1 the number of wrong bits hangs on the counts as much as it can."""
    assert wrong_bits(m, d, 1.0, PROFILES["unseen"]) == pytest.approx(unseen_bits(m, d), abs=1e-13)


@pytest.mark.parametrize(
    ("profile", "m", "d"),
    spread([(p, *at) for at in ((0, 6), (1, 5), (12, 6), (60, 9)) for p in PROFILES], 6),
)
def test_rare_numbers_of_wrong_bits_are_right_relative_to_themselves(m, d, profile):
    rho, compared = PROFILES[profile], 0
    for a, share, chance in itertools.product(
        deep((0.1, 0.9), (0.1, 0.5, 0.9)), (0.0, 0.5, 1.0), (1e-12, 0.4)
    ):
        law = dataclasses.replace(SPIKES, a=a, share=share)
        steady = law.relevant(d)
        told = d - steady
        wanted = binom.pmf(np.arange(steady + 1), steady, chance)
        if told:
            wanted = np.convolve(wanted, bit_by_bit(m, told, a * told / d, rho))
        for most in range(d):
            alpha = a * (most + 0.5) / d
            setting = Setting(np.array([m]), np.array(d), np.array(1.0), alpha, 1e-30, 0.0, 1000, 1)
            found = shattered_law(
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
        found = shattered_law(law, setting, lambda m: m, lambda k, *_: rho(k), law.relevant, chance)
        for at, (size, bits, _) in enumerate(setting.cells()):
            steady = law.relevant(bits) if chance[at] else 0
            told = bits - law.relevant(bits)
            alone = wrong_bits(size, told, a * told / bits, rho) if told else np.ones(1)
            alone = np.convolve(alone, binom.pmf(np.arange(steady + 1), steady, chance[at]))
            wanted = alone[: law.allowed(bits, alpha) + 1].sum()
            assert found.value.flat[at] == pytest.approx(wanted, abs=3e-13)
            between += 1e-3 < wanted < 1 - 1e-3
    assert between >= 100


def by_moments(m, d, a, most):
    """At most so many bits are wrong, each that was not seen by a coin: an alternating sum in 700 digits."""
    with mpmath.workdps(700):
        total, share, sign = mpmath.mpf(1), mpmath.mpf(1), mpmath.mpf(1)
        for k in range(1, d + 1):
            share *= mpmath.mpf(d - k + 1) / (2 * k)  # how many sets of k, and their coins
            if k > most + 1:
                sign *= -mpmath.mpf(k - 1) / (k - 1 - most)
            if k > most:
                total -= sign * share * (1 - k * mpmath.mpf(a) / d) ** m
        return total


@pytest.mark.parametrize(("m", "d", "a", "most"), [
    (60, 9, 0.5, 2), (700, 900, 0.5, 310), (700, 900, 1.0, 205), (60, 900, 1.0, 430),
    (40_000, 1000, 0.125, 2),
])  # fmt: skip
def test_powers_of_many_bits_lose_no_digits(m, d, a, most):
    """An ulp between two ways to sum what is right would be 1e-13 in its 900th power."""
    law = dataclasses.replace(SPIKES, a=a, share=0.0)
    at = Setting(np.array(m), np.array(d), np.array(1.0), a * (most + 0.5) / d, 0.1, 0.0, 1000, 1)
    found = shattered_law(law, at, lambda m: m, lambda k, *_: 0.5 * (k == 0))
    assert 1e-6 < found.value < 1 - 1e-6
    assert found.value.item() == pytest.approx(float(by_moments(m, d, a, most)), abs=5e-14)


@pytest.mark.parametrize("mean", [300, 900, 9_000])
@pytest.mark.parametrize("scale", [1.3, 40.0, 400.0])
def test_steep_noise_near_the_mean_is_seen_at_every_count(mean, scale):
    """As envelopes ask: a threshold in the middle of the counts. `wrong_bits` looks at all of so few."""
    law, at = dataclasses.replace(SPIKES, share=0.0), mean + 0.37 * mean**0.5

    def laplace(k):
        tail = 0.5 * np.exp(-np.abs(at - k) / scale)
        return np.where(k > at, tail, 1.0 - tail)

    for rho in (laplace, lambda k: ndtr((at - k) / scale)):
        setting = Setting(np.array(8 * mean), np.array(4), np.array(1.0), 0.3, 0.1, 0.0, 1000, 1)
        found = shattered_law(law, setting, lambda m: m, lambda k, *_, rho=rho: rho(k))
        wanted = wrong_bits(8 * mean, 4, law.a, rho)[:3].sum()
        assert found.value.item() == pytest.approx(wanted, abs=1e-13)
        assert 0.1 < wanted < 0.9


@pytest.mark.parametrize("beta", [1e-7, 1e-20, 1e-100])
@pytest.mark.parametrize(("m", "a", "scale"), [
    (40_000, 0.5, 0.4), (300_000, 0.3, 2.0), (3_000_000, 0.6, 1.0), (300_000, 0.3, 400.0),
])  # fmt: skip
def test_steep_noise_that_rarely_fails_is_seen_between_counts(monkeypatch, beta, m, a, scale):
    """Of one bit against the sum over all counts; a step that no count sees between is planted."""
    deviation = np.sqrt(m * a)
    at = m * a - 0.9 * np.sqrt(-2.0 * np.log(beta) * (1.0 - a)) * deviation

    def rho(k):
        return expit((at - k) / scale)

    def lost():
        tail = Setting(*(np.array(1),) * 3, 0.1, beta, 0.0, 1000, 1)
        counts = Counts.of(m, 1, a, tail.log_tail)
        assert counts.step > 1
        return law_of_spikes._few(counts, law_of_spikes._Bits(1), rho, 0, tail)[1]

    k = np.arange(max(m * a - 26.0 * deviation, 0.0) // 1, m * a + 14.0 * deviation)
    wanted = np.exp(binom.logpmf(k, m, a) - np.log(beta)) @ rho(k) * beta
    assert lost() == pytest.approx(wanted, rel=2e-8, abs=0.0)
    monkeypatch.setattr(Counts, "seen", lambda self, profile: profile(self.at))
    assert scale == 400.0 or lost() != pytest.approx(wanted, rel=1e-3, abs=0.0)


def test_steep_noise_of_two_bits_is_seen_between_counts():
    """Against the sum over both counts, near the mean and far from it."""
    m, a = 26_000, 0.8
    first = np.arange(9_200, 11_600)
    for at in deep((9_900.2,), (10_400.5, 9_900.2)):
        rho = expit(np.maximum(at - first, -700.0) / 0.3)
        none = sum(
            binom.pmf(k, m, a / 2) * (1.0 - p) * (binom.pmf(first, m - k, a / (2.0 - a)) @ (1.0 - rho))
            for k, p in zip(first.tolist(), rho.tolist(), strict=True)
        )  # fmt: skip
        found = wrong_bits(m, 2, a, lambda k, at=at: expit(np.maximum(at - k, -700.0) / 0.3))
        assert found[0] == pytest.approx(none, rel=1e-9)


@pytest.mark.parametrize("concept", ["parity", "conjunction"])
@pytest.mark.parametrize("d", [40, 3000])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_a_search_on_spikes_begins_near_its_answer(concept, d, epsilon):
    """Where the weight of all 2^d concepts would have it begin, it is many times as far."""
    learner, law = catalog.learner(concept, "exponential"), catalog.distribution(concept, "spikes")
    at = {"d": d, "epsilon": epsilon, "alpha": 0.1, "beta": 0.1, "delta": 0.0}
    assert 0.5 < guessed(learner, law, **at) / need(learner, law, **at).m < 2.0
