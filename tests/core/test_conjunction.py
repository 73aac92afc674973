"""Conjunctions: reference values, laws by other means, planted faults."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import multinomial

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.conjunction import CONJUNCTION
from privsc_core.concepts.conjunction.hypotheses import Conjunction
from privsc_core.concepts.conjunction.learners import Erm, Exponential
from privsc_core.concepts.contracts import TinyInstance
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audited
from privsc_core.evaluate.microscope import examine
from tests.core.support import law, setting

AT = {"alpha": 0.1, "beta": 0.1, "epsilon": 0.5}
SPIKES = next(x for x in CONJUNCTION.distributions if x.name == "spikes")


# recipe: the formulas of theory-vadhan.md, sections 1 and 4, at alpha = beta = 0.1, epsilon = 0.5
@pytest.mark.parametrize(("d", "untold", "finite", "exponential"), [
    (8, 349, 351, 184), (16, 810, 599, 287), (64, 4133, 2087, 1016),
])  # fmt: skip
def test_least_m(d, untold, finite, exponential):
    bounds = [
        catalog.bound("conjunction", name).samples(d=d, **AT).m
        for name in ("untold", "finite-class")
    ]
    assert bounds == [untold, finite]
    assert int(pv.need(concept="conjunction", learner="exponential", d=d, **AT).m) == exponential


# --- Laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("m", "d", "s", "a"), [(5, 2, 1, 0.6), (4, 3, 0, 1.0), (3, 3, 2, 0.9)])
def test_a_literal_is_wrong_until_it_is_told(m, d, s, a):
    """By all counts of the spikes."""
    law_of = multinomial(m, [a / d] * d + [1 - a])
    for alpha in (0.05, a / d + 0.01):
        most = int(alpha * d / a)
        wanted = sum(
            law_of.pmf([*counts, m - sum(counts)])
            for counts in itertools.product(range(m + 1), repeat=d)
            if sum(counts) <= m and sum(k == 0 for k in counts[s:]) <= most
        )
        found = law(Erm(), SPIKES.resized(a, s), m, d, 1.0, alpha, 0.1)
        assert found == pytest.approx(wanted, abs=1e-13)


def test_the_target_does_not_matter_to_the_exponential_mechanism():
    values = {law(Exponential(), SPIKES.resized(0.5, s), 60, 8, 0.5, 0.1, 0.1) for s in (0, 4, 8)}
    assert len(values) == 1
    assert law(Erm(), SPIKES.resized(0.5, 8), 1, 8, 0.5, 0.1, 0.1) == 1


def test_rare_successes_and_failures_are_right_relative_to_themselves():
    # recipe: d = 4, s = 3, a = 1/2: the one other literal is never told with (7/8)^m
    few = SPIKES.resized(0.5, 3)
    rare = Erm().success(few, setting(400, 4, 1.0, 0.1, 1e-20))
    assert float(rare.failure) == pytest.approx(0.875**400, rel=1e-9)
    # recipe: d = 12, s = 0, r = 2, m = 10: all ten examples are spikes, and none comes twice
    chance = np.prod(np.arange(12, 2, -1) / 24)
    found = Erm().success(SPIKES.resized(0.5, 0), setting(10, 12, 1.0, 0.1, 1 - 1e-9))
    assert float(found.value) == pytest.approx(chance, rel=1e-7)


# --- What runs do ---------------------------------------------------------------------------------


def test_mistakes_of_all_conjunctions_are_counted_one_by_one():
    rng = np.random.default_rng(2)
    sample = Sample.of(3, rng.integers(1, 9, 20).tolist(), rng.integers(0, 2, 20).tolist())
    pairs = [(sample.points[i], y) for i, y in zip(sample.index, sample.labels, strict=True)]
    wanted = [sum(Conjunction(j, 3).predict(x) != y for x, y in pairs) for j in range(1, 9)]
    assert Exponential().mistakes(sample).tolist() == wanted


@dataclass(frozen=True)
class Steep(Exponential):
    def score_rate(self, epsilon):
        return epsilon


def test_the_papers_exponent_is_caught_to_lose_twice_as_much():
    tiny = TinyInstance(d=2, m=3, epsilon=0.5, alpha=0.1, beta=0.1)
    assert audited(Exponential(), tiny).worst <= 0.5 + 1e-9
    assert audited(Steep(), tiny).worst > 0.6


def test_what_is_refused_and_told():
    with pytest.raises(InputError, match=r"^alpha must be less than a = 0\.3 for spikes; got 0\.3"):
        pv.success(concept="conjunction", learner="erm", distribution="spikes(0.3)", m=9, d=4,
                   epsilon=1, alpha=0.3, beta=0.1)  # fmt: skip
    with pytest.raises(InputError, match=r"^d must be at most 18 to go through all 2\^d conj"):
        examine(concept="conjunction", learner="exponential", m=30, d=19, epsilon=1, alpha=0.1)
    told = examine(concept="conjunction", learner="erm", m=200, d=6, epsilon=1, alpha=0.1, seed=3)
    assert any("4 of 6 bits are left" in step.words for step in told.steps)
    assert told.hypothesis.parameters == {"S": "111100"}
