"""Three routes per number: the law, an enumeration of everything, and repeated real runs."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import itertools
import math

import numpy as np
import pytest

from privsc_core.concepts import interval
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.point.distributions import Hard, Single, Uniform
from privsc_core.concepts.point.learners import (
    Exponential,
    Hash,
    NoiseBoosted,
    Representation,
)
from privsc_core.concepts.shared.hypotheses import FAILURE, LabelFunction
from tests import budget
from tests.classes import known
from tests.core.suites import ENUMERATED
from tests.core.support import (
    CLASS_LAWS,
    accurate,
    conditionals,
    enumerated_success,
    exists,
    fitted,
    fitting,
    law,
    members,
    runs,
    samples,
    useful_m,
)
from tests.depth import deep, firsts

# --- Enumerations -------------------------------------------------------------------------------

CELLS = [(1.0, 0.2, 0.2), (0.3, 0.4, 0.1), (2.5, 0.3, 0.3)]


# A law of each learner; the whole run has those on the other distributions.
@pytest.mark.parametrize(
    ("concept", "learner", "distribution"),
    firsts(ENUMERATED, lambda concept, learner, _: (concept.name, learner.name)),
)
def test_laws_equal_the_sum_over_all_samples_and_outputs(
    concept, learner, distribution, monkeypatch
):
    own, name = known(concept), learner.name
    if name in own.public_coins:
        return public_coins(learner, distribution, own.public_coins[name])
    enumerator = own.enumerators.get(name, enumerated_success)
    bits = [d for d in own.tiny_bits if d <= own.most_bits.get(name, d)]
    compared = 0
    for variant, d, (epsilon, alpha, beta) in itertools.product(
        own.variants.get(name, [learner]), bits, CELLS[: deep(1, 3)]
    ):
        ready = fitted(variant, distribution)
        for member in members(distribution):
            if not exists(member, d, alpha) or getattr(member, "s", 0) > 3:
                continue
            # Rows of labels on 16 points would be 65,536 outputs.
            if d == 4 and not learner.proper:
                continue
            smallest = d < max(own.tiny_bits) or not any(
                exists(member, b, alpha) for b in bits if b < d
            )
            for m in deep((1, 2), (1, 2, 3)) if smallest else (2,):
                cell = (m, d, epsilon, alpha, beta)
                expected = enumerator(fitted(ready, member), member, *cell)
                compare(variant, member, cell, expected, monkeypatch)
                compared += 1
    assert compared >= 2
    return None


def compare(learner, distribution, cell, expected, monkeypatch):
    if learner.laws[distribution.name] == "exact":
        assert law(learner, distribution, *cell) == pytest.approx(expected, abs=1e-12), cell
        return
    estimate, values = conditionals(
        learner, distribution, cell, monkeypatch, trials=deep(6_000, 20_000)
    )
    if estimate.method == "exact":
        assert float(estimate.value) == pytest.approx(expected, abs=1e-12), cell
    else:
        assert float(estimate.value) == pytest.approx(values.mean(), abs=1e-12)
        budget.assert_mean(values, expected, what=f"{learner.name} on {distribution.label}, {cell}")


def public_coins(learner, distribution, draw_class):
    """Average enumerations over drawn classes: bounded, so the tolerance is derived."""
    for d, m, cell in ((1, 2, (1.0, 0.4, 0.2)), (2, 2, (3.0, 0.3, 0.2))):
        verdict = {}
        for row in itertools.product((False, True), repeat=2**d):
            h = LabelFunction(lambda x, row=row: int(row[x - 1]), "a row")
            verdict[row] = accurate(distribution, h.predict, d, cell[1])
        values = []
        for public in range(deep(60, 400)):
            member = draw_class(d, cell[1], np.random.default_rng(public))
            good = np.array([verdict[tuple(row)] for row in member.tolist()])
            given = [
                chance
                * good
                @ list(
                    learner.output_distribution(
                        sample, Cell(sample.d, cell[0], cell[1], cell[2]), public=public
                    ).values()
                )
                for chance, sample in samples(distribution, m, d, cell[1])
            ]
            values.append(min(math.fsum(given), 1.0))
        expected = law(learner, distribution, m, d, *cell)
        budget.assert_mean(values, expected, what=f"{learner.name}, d = {d}, over drawn classes")


# --- Repeated real runs -------------------------------------------------------------------------

TRIALS = deep(500, 4_000)
SIMULATED = [(3, 1.0, 0.2, 0.2), (7, 2.0, 0.35, 0.3)]
# A learner meets both, on one distribution or another; in a deep run on each.
CELLS_OF_LAWS = [
    pytest.param(*pair.values, *cell, id=f"{pair.id}-d={cell[0]}")
    for number, pair in enumerate(CLASS_LAWS)
    for cell in deep(SIMULATED[number % 2 :][:1], SIMULATED)
]


@pytest.mark.parametrize(
    ("concept", "learner", "distribution", "d", "epsilon", "alpha", "beta"),
    firsts(CELLS_OF_LAWS, lambda concept, learner, *_: (concept.name, learner.name)),
)
def test_repeated_runs_agree_with_the_law(
    concept, learner, distribution, d, epsilon, alpha, beta, monkeypatch
):
    alpha = fitting(distribution, alpha, instead=0.3)
    own = known(concept)
    d = max(min(d, own.most_bits.get(learner.name, d)), distribution.least_d)
    variant = own.quick.get(learner.name, learner)
    member = distribution if exists(distribution, d, alpha) else distribution.resized(3)
    m = useful_m(variant, member, d, epsilon, alpha, beta, most=1 << 13)
    cell = (m, d, epsilon, alpha, beta)
    hits = runs(variant, member, *cell, trials=TRIALS)
    what = f"{learner.name} on {member.label}, {cell}"
    if variant.laws[member.name] == "exact":
        budget.assert_rate(int(hits.sum()), TRIALS, law(variant, member, *cell), what)
        return
    estimate, values = conditionals(variant, member, cell, monkeypatch, trials=TRIALS, seed=9)
    if estimate.method == "exact":
        budget.assert_rate(int(hits.sum()), TRIALS, float(estimate.value), what)
    else:
        # Two independent streams: their differences lie in [-1, 1] and have mean zero.
        budget.assert_mean(values - hits, 0.0, low=-1.0, high=1.0, what=what)


def test_the_number_of_runs_notices_a_law_that_is_off():
    found = deep(
        {0.65: 0.66, 0.7: 0.69, 0.8: 0.75, 0.9: 0.81},
        {0.65: 0.88, 0.7: 0.88, 0.8: 0.92, 0.9: 0.92},
    )
    for p, share in found.items():
        assert budget.power(TRIALS, p, share * p) > 0.999


# Where a run is cheap an error of two percent is found.
SHARP = [
    (Exponential(), Single(), (12, 4, 1.0, 0.1, 0.1)),
    *deep(
        [],
        [
            (interval.Exponential(), interval.Hard(), (200, 300, 9.0, 0.3, 0.1)),
            (interval.Exponential(), interval.Hard(), (120, 5, 1.0, 0.15, 0.1)),
            (Exponential(), Hard(), (60, 2, 2.0, 0.3, 0.1)),
            (Exponential(), Hard(), (300, 8, 1.0, 0.1, 0.1)),
            (Hash(bits=6), Hard(), (300, 8, 1.0, 0.1, 0.1)),
        ],
    ),
]


@pytest.mark.parametrize(("learner", "distribution", "cell"), SHARP)
def test_many_runs_agree_with_the_law(learner, distribution, cell):
    p, trials = law(learner, distribution, *cell), 30_000
    assert budget.power(trials, p, 0.98 * p) > 1 - 1e-6
    hits = runs(learner, distribution, *cell, trials=trials)
    budget.assert_rate(int(hits.sum()), trials, p, learner.name)


def test_claim_4_5_really_runs_its_number_of_learners():
    learner, cell = NoiseBoosted(), (500, 5, 1.3, 0.45, 0.3)
    assert learner.split(500, 1.3, 0.45, 0.3)[0] == math.ceil(math.log(5 / 0.3, 1.25))
    hits = runs(learner, Hard(), *cell, trials=300)
    p = law(learner, Hard(), *cell)
    assert 0.3 < p < 0.95
    budget.assert_rate(int(hits.sum()), 300, p, "noise-boosted")


def test_the_representation_runs_without_a_law_too():
    # Uniform, no law: the continuation beyond the sample is by a keyed function.
    hits = runs(Representation(), Uniform(), 60, 2, 2.0, 0.3, 0.2, trials=500)
    assert 0 < hits.sum() <= 500
    assert FAILURE.description
