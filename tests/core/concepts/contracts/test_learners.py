"""What every learner of the catalog promises, whoever wrote it."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.line.learners import HashLine
from privsc_core.concepts.parity.learners import Elimination
from privsc_core.concepts.point.learners import NoiseBoosted, NoiseTuned
from privsc_core.concepts.shared.hypotheses import FAILURE, Hypothesis
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.literature.papers import papers
from tests.classes import known
from tests.core.suites import LABELLED
from tests.core.support import (
    CLASS_LAWS,
    LAWS,
    LEARNERS,
    PRIVATE,
    exists,
    fitting,
    law,
    saying,
    setting,
)
from tests.depth import deep, spread

BITS = (1, *deep((), (2, 16, 200)), 10**5)


def labelled(d):
    """Return samples that a concept fits, and samples that none fits."""
    top = 1 << d
    return {
        "one positive": Sample.of(d, [1, top, 1, top], [0, 1, 0, 1]),
        "no positive": Sample.of(d, [1, 1, top], [0, 0, 0]),
        "only positives": Sample.of(d, [top] * 5, [1] * 5),
        "two positives": Sample.of(d, [1, top, 1], [1, 1, 0]),
        "both labels": Sample.of(d, [1] * 4, [0, 1, 0, 1]),
        "one example": Sample.of(d, [1], [1]),
    }


def enough(learner, sample):
    """Return the sample as often as a histogram needs not to drown in empty points."""
    if learner.labelled:
        return sample
    # At epsilon = 1 and alpha = 0.2 one of 2^d empty points passes with e^(-m/10) / 2.
    copies = 1 + math.ceil(10 * sample.d * math.log(2) / sample.size)
    return Sample(
        sample.d, sample.points, np.tile(sample.index, copies), np.tile(sample.labels, copies)
    )


@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_is_described(concept, learner):
    for text in (learner.name, learner.title, learner.summary, learner.source.place):
        assert text.strip() == text
        assert text
    assert learner.source.paper in papers() or learner.source.paper == "ours"
    assert set(learner.laws) <= {x.name for x in concept.distributions}
    assert learner.laws
    assert learner.labelled or not learner.proper, "what has no labels is no concept"
    assert learner.tiny.m >= 2, "at m = 1 a broken learner can go unnoticed"


@pytest.mark.parametrize("d", BITS)
@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_runs_on_any_sample(concept, learner, d):
    most, words = known(concept).enumerating.get(learner.name, (d, ""))
    if d > most:
        with pytest.raises(InputError, match=words):
            learner.run(
                labelled(d)["one example"],
                Cell(labelled(d)["one example"].d, 1.0, 0.2, 0.2),
                np.random.default_rng(1),
            )
        return
    for number, (kind, few) in enumerate(labelled(d).items()):
        sample = enough(learner, few)
        rng = np.random.default_rng(number)
        for _ in range(3):
            h = learner.run(sample, Cell(sample.d, 1.0, 0.2, 0.2), rng)
            assert isinstance(h, Hypothesis), kind
            assert h.description
            if h is FAILURE:
                with pytest.raises(ValueError, match="⊥"):
                    h.predict(1)
                continue
            for point in (1, 2, (1 << d) // 2 + 1, 1 << d):
                assert h.predict(point) in (0, 1), kind
                assert h.predict(point) == h.predict(point), "a hypothesis is a function"


@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_the_same_generator_gives_the_same_hypothesis(concept, learner):
    most = known(concept).enumerating.get(learner.name, (16,))[0]
    sample = labelled(min(16, most))["one positive"]
    seen = set()
    for _ in range(2):
        rng = np.random.default_rng(5)
        found = [learner.run(sample, Cell(sample.d, 1.0, 0.2, 0.2), rng) for _ in range(5)]
        seen.add(tuple(h is FAILURE or tuple(h.predict(x) for x in range(1, 40)) for h in found))
    assert len(seen) == 1


# Not for data release: counts are no labels.
@pytest.mark.parametrize(("concept", "learner"), LABELLED)
def test_proper_learners_return_concepts(concept, learner):
    rng = np.random.default_rng(3)
    settings = {"epsilon": 0.5, "alpha": 0.2, "beta": 0.2}

    def said(samples):
        found = (learner.run(s, Cell(s.d, **settings), rng) for s in samples for _ in range(30))
        every = range(1, (1 << bits) + 1)
        return {tuple(h.predict(x) for x in every) for h in found if h is not FAILURE}

    bits = max(3, learner.tiny.d)
    few = labelled(bits).values()
    # Who says the same of every small sample must not of large ones.
    rows = said(few)
    if len(rows) == 1:
        rows |= said(
            Sample(s.d, s.points, np.tile(s.index, 200), np.tile(s.labels, 200)) for s in few
        )
    assert all(known(concept).is_concept(row) for row in rows) == learner.proper
    assert len(rows) > 1


@pytest.mark.parametrize(("concept", "learner"), LEARNERS)
def test_output_distributions_are_distributions_over_one_set(concept, learner):
    tiny = learner.tiny
    supports = {}
    for sample in labelled(tiny.d).values():
        chances = learner.audited().output_distribution(sample, tiny, public=4)
        assert min(chances.values()) >= 0
        assert sum(chances.values()) == pytest.approx(1, abs=1e-12)
        # The bins of a release may depend on m, which is public.
        key = "any m" if learner.labelled else sample.size
        supports.setdefault(key, set()).add(frozenset(chances))
    assert {len(seen) for seen in supports.values()} == {1}


@pytest.mark.parametrize(("learner", "distribution"), spread(LAWS, 40))
def test_success_broadcasts_and_agrees_with_single_cells(learner, distribution):
    most = learner.most_d(distribution)
    d = [d for d in (4, 9, 40) if d <= most and exists(distribution, d, 0.2)]
    m, epsilon = [3, 40, 900], [0.3, 2.0]
    whole = learner.success(
        distribution,
        setting(np.reshape(m, (3, 1, 1)), np.reshape(d, (-1, 1)), epsilon, 0.2, 0.1, trials=50),
    )
    assert whole.value.shape == whole.low.shape == whole.high.shape == (3, len(d), 2)
    assert whole.method in {learner.laws[distribution.name], "exact", "bracketed"}
    assert ((whole.low >= 0) & (whole.high <= 1)).all()
    assert ((whole.low <= whole.value) & (whole.value <= whole.high)).all()
    for i, j, k in np.ndindex(whole.value.shape):
        one = law(learner, distribution, m[i], d[j], epsilon[k], 0.2, 0.1, trials=50)
        assert whole.value[i, j, k] == pytest.approx(one, rel=1e-11, abs=1e-300)


EXACT = [p for p in LAWS if p.values[0].laws[p.values[1].name] == "exact"]


@settings(max_examples=deep(4, 1_000))
@given(
    m=st.lists(st.integers(1, 10**6), min_size=2, max_size=2).map(sorted),
    d=st.sampled_from([4, 5, 7, 30, 64, 1000]),
    epsilon=st.floats(0.02, 6),
    alpha=st.sampled_from([0.05, 0.07, 0.1, 0.25, 0.4]),
    beta=st.sampled_from([0.01, 0.1, 0.3]),
)
@pytest.mark.parametrize(("learner", "distribution"), spread(EXACT, 36))
def test_exact_laws_never_fall_with_m(learner, distribution, m, d, epsilon, alpha, beta):
    alpha = fitting(distribution, alpha)
    bits = d if exists(distribution, d, alpha) else 40
    if not learner.labelled:
        # ceil(3 alpha m) rare entries: rounding goes up and down with m, but not in hundreds.
        m = [100 * size for size in m]
    elif not learner.monotone_at(distribution, setting(m, bits, epsilon, alpha, beta)).all():
        m = [m[0], m[0]]
    few, many = learner.success(distribution, setting(m, bits, epsilon, alpha, beta)).value
    assert 0 <= few <= many + 1e-12 <= 1 + 1e-12


@settings(max_examples=deep(4, 1_000))
@given(
    m=st.integers(1, 10**4),
    d=st.sampled_from([4, 30, 64]),
    alpha=st.sampled_from([0.05, 0.1, 0.4]),
    epsilon=st.lists(st.floats(0.02, 6), min_size=2, max_size=2).map(sorted),
)
@pytest.mark.parametrize(("learner", "distribution"), spread(EXACT, 36))
def test_exact_laws_never_fall_with_epsilon(learner, distribution, m, d, alpha, epsilon):
    if isinstance(learner, NoiseBoosted):
        # Its split between runs and selection depends on epsilon: keep it the same.
        m = max(m, 2)
        epsilon = [epsilon[0], epsilon[0]]
    if not learner.eases(distribution, "epsilon"):
        epsilon = [epsilon[0], epsilon[0]]
    alpha = fitting(distribution, alpha)
    bits = d if exists(distribution, d, alpha) else 40
    tight, loose = learner.success(distribution, setting(m, bits, epsilon, alpha, 0.1)).value
    # Tuned rates, bits of a hash and numbers of blocks are for the least m, not for this m: what was enough
    # is still enough.
    tuned = isinstance(learner, NoiseTuned | HashLine | Elimination)
    assert tight <= loose + (1.0 if tuned else 1e-12)
    assert loose >= 0.9 - 1e-3 or tight < 0.9


@pytest.mark.parametrize(("learner", "distribution"), spread(LAWS, 80))
def test_huge_domains_and_samples_are_answered(learner, distribution):
    value = law(
        learner, distribution, 10**7, learner.most_d(distribution), 0.01, 0.1, 0.1, trials=100
    )
    assert 0 <= value <= 1


@pytest.mark.parametrize(("learner", "distribution"), LAWS)
def test_a_law_that_ends_before_its_distribution_says_so(learner, distribution):
    most = learner.most_d(distribution)
    assert most <= distribution.most_d
    if most < distribution.most_d:
        with pytest.raises(InputError, match=f"^d must be at most {most} .*; got {most + 1}"):
            law(learner, distribution, 100, most + 1, 0.5, 0.1, 0.1, trials=2)


EXTREMES = [
    {"epsilon": 1e-9}, {"epsilon": 40.0}, {"epsilon": 1e3}, {"epsilon": 1e300},
    {"alpha": 1e-6}, {"alpha": 0.49}, {"beta": 1e-9}, {"beta": 0.999}, {"m": 1}, {"m": 10**12},
]  # fmt: skip


@pytest.mark.parametrize(("concept", "learner", "distribution"), spread(CLASS_LAWS, 60))
def test_extreme_settings_give_probabilities_and_no_warning(concept, learner, distribution):
    d = min(64, learner.most_d(distribution))
    for tiny_beta in EXTREMES:
        cell = {"m": 100, "d": d, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1} | tiny_beta
        too_small = cell["alpha"] < known(concept).least_alpha.get(learner.name, 0)
        with saying(tiny_beta):
            if too_small or not exists(distribution, d, cell["alpha"]):
                with pytest.raises(InputError, match=r"^alpha must be at "):
                    law(learner, distribution, **cell, trials=10)
            else:
                assert 0 <= law(learner, distribution, **cell, trials=10) <= 1


@pytest.mark.parametrize(("concept", "learner"), PRIVATE)
def test_a_learner_says_truly_whether_d_matters(concept, learner):
    at = {known(concept).moves_on or concept.distributions[0].name} & learner.laws.keys()
    hard = next(x for x in concept.distributions if x.name in (at or learner.laws))
    d = [d for d in (2, 3, 16, 64, 4000) if exists(hard, d, 0.1)]
    value = learner.success(hard, setting(300, d, 1.0, 0.1, 0.2)).value
    if "d" in learner.idle(hard):
        assert np.ptp(value) == 0
    else:
        assert np.ptp(value) > 1e-6
