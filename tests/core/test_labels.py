"""Labelled and unlabelled examples: laws, walls and amplification against their reference values."""

import math

import numpy as np
import pytest

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.generic.labels import (
    amplified,
    label_ceiling,
    label_wall,
    pool,
    transcript_labels,
)
from privsc_core.concepts.point import unlabelled_laws as laws
from privsc_core.concepts.point.distributions import Hard
from privsc_core.concepts.point.learners import Exponential, Generic, GenericFlip, generic
from privsc_core.concepts.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.evaluate.need import need
from privsc_core.evaluate.success import success
from tests import budget
from tests.core.support import runs

AT = {"concept": "point", "d": 16, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}


# Values of 60,000 full runs and of a program written apart from this one.
@pytest.mark.parametrize(
    ("m", "u", "d", "spurious", "epsilon", "alpha", "expected"),
    [
        (100, 600, 16, 0.1, 0.5, 0.1, 0.76259),
        (150, 400, 16, 1.0, 0.5, 0.1, 0.38967),
        (100, 2000, 64, 0.1, 0.5, 0.1, 0.78134),
        (120, 500, 16, 0.01, 0.5, 0.1, 0.11369),
        (20, 40, 3, 1.0, 1.0, 0.2, 0.72929),
        (10, 30, 4, 1.0, 1.0, 0.3, 0.63527),
    ],
)
def test_the_law_of_points(  # noqa: PLR0917 - a setting with its value
    m, u, d, spurious, epsilon, alpha, expected
):
    found = success(Generic(u=u, spurious=spurious), Hard(), m=m, d=d, epsilon=epsilon, alpha=alpha)
    assert found.value == pytest.approx(expected, abs=6e-6)
    assert found.value + found.failure == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize(
    ("flip", "expected"), [(False, (448, 96, 53, 31)), (True, (330, 72, 41, 25))]
)
def test_labels_with_all_people_of_the_world(flip, expected):
    learner = (GenericFlip if flip else Generic)(u=10**6, spurious=0.001)
    for epsilon, m in zip((0.1, 0.5, 1.0, 2.0), expected, strict=True):
        one = need(learner, Hard(), d=16, epsilon=epsilon, alpha=0.1, beta=0.1)
        assert one.m == m


@pytest.mark.parametrize(
    ("learner", "m", "cell"),
    [
        (Generic(u=60, spurious=1.0), 20, (3, 1.0, 0.2)),
        (GenericFlip(u=60, spurious=1.0), 20, (3, 1.0, 0.2)),
    ],
)
def test_runs_agree_with_the_law(learner, m, cell):
    d, epsilon, alpha = cell
    trials = 2000
    hits = runs(learner, Hard(), m, d, epsilon, alpha, 0.1, trials=trials)
    law = success(learner, Hard(), m=m, d=d, epsilon=epsilon, alpha=alpha).value.item()
    budget.assert_rate(int(hits.sum()), trials, law, learner.name)


def test_its_budget_reaches_every_public_function():
    found = pv.success(
        learner="generic", m=120, u=1000, **{k: v for k, v in AT.items() if k != "beta"}
    )
    assert found.value == pytest.approx(0.938, abs=5e-4)
    assert pv.need(learner="generic", u=816, **AT).m >= 100
    assert pv.need(learner="generic", u=10**6, **AT).m < pv.need(learner="generic", u=900, **AT).m
    reached = pv.reach(
        concept="point",
        learner="generic",
        wanted="d",
        m=120,
        u=2000,
        epsilon=0.5,
        alpha=0.1,
        beta=0.1,
    )
    assert reached.value > 16
    assert catalog.learner("point", "generic", 7).unlabelled == 7
    assert catalog.learner("point", "exponential", 7) == Exponential()
    assert pv.Scenario("point", ("generic",), u=5).chosen[0].unlabelled == 5


def test_the_last_examples_are_the_unlabelled_ones():
    x = [3] * 40 + [5] * 40
    told = {"concept": "point", "learner": "generic", "x": x, "d": 4, "epsilon": 50.0, "u": 40}
    ones = pv.learn(y=[0] * 80, **told)
    assert ones.description == pv.learn(y=[0] * 40 + [1] * 40, **told).description
    with pytest.raises(InputError, match="u must be less than the number of examples, 80; got 80"):
        pv.learn(y=[0] * 80, **told | {"u": 80})


class Twice(Generic):
    """Planted: the whole epsilon in the exponent."""

    def score_rate(self, epsilon):
        return epsilon


class Peeking(Generic):
    """Planted: reads the labels of the unlabelled examples."""

    def output_distribution(self, sample, **at):
        zeros = int((sample.labels[-self.u :] == 0).sum())
        return super().output_distribution(sample, **at | {"epsilon": at["epsilon"] * (1 + zeros)})


def test_the_audit_catches_what_is_planted(monkeypatch):
    assert audit(Peeking(), d=1, m=4).worst > 1.0
    monkeypatch.setattr(generic, "threshold_of", lambda *_: -80.0)
    assert audit(Generic(), d=1, m=5).private
    assert not audit(Twice(), d=1, m=5).private


def test_unlabelled_labels_are_not_read():
    law = Generic(u=2).output_distribution
    at = {"epsilon": 1.0, "alpha": 0.1, "beta": 0.1}
    assert law(Sample.of(2, [1, 2, 3], [1, 0, 1]), **at) == law(
        Sample.of(2, [1, 2, 3], [1, 1, 0]), **at
    )


def test_the_wall():
    assert [label_wall(e, 0.1, 0.1) for e in (0.1, 0.5, 1.0, 2.0)] == [330, 72, 39, 23]
    assert label_wall(40.0, 0.1, 0.1) == 16


def test_the_ceiling_is_what_the_best_flips_give():
    """On k labels of the point the best chain of probabilities, step by step."""
    m, epsilon, alpha = 6, 0.7, 0.3
    grown, total = math.exp(epsilon), 0.0
    for k in range(m + 1):
        # The largest p with 1 - p reached from p in k flips, by halving.
        low, high = 0.0, 1.0
        for _ in range(60):
            p = q = 0.5 * (low + high)
            q = 1.0 - q
            for _ in range(k):
                q = min(grown * q, 1.0 - (1.0 - q) / grown)
            low, high = (p, high) if q >= p else (low, p)
        total += math.comb(m, k) * alpha**k * (1 - alpha) ** (m - k) * low
    assert label_ceiling(m, epsilon, alpha) == pytest.approx(total, abs=1e-12)


def test_nobody_beats_the_ceiling():
    for m in (10, 40, 72):
        best = success(GenericFlip(u=10**6), Hard(), m=m, d=8, epsilon=0.5, alpha=0.1).value
        assert best <= label_ceiling(m, 0.5, 0.1)


def test_amplification_and_transcript():
    assert amplified(1.0, 0.1) == pytest.approx(0.158565, abs=5e-7)
    assert amplified(4.0, 0.01) == pytest.approx(0.429170, abs=5e-7)
    assert transcript_labels(0.5, 0.1, 0.1) == pytest.approx(5.17, abs=0.005)
    assert transcript_labels(0.5, 0.01, 0.1) == pytest.approx(48.84, abs=0.3)


def test_the_pool_to_ask_from():
    found = [(m, pool(m, inner, 0.1)) for m, inner in ((448, 0.1), (53, 1.0), (31, 2.0), (20, 4.0))]
    assert found == [(448, 448), (53, 866), (31, 1884), (20, 10193)]
    assert pool(53, 1.0, 0.01) == 9062
    for m, inner in ((53, 1.0), (31, 2.0)):
        size = pool(m, inner, 0.1)
        assert amplified(inner, m / size) <= 0.1 < amplified(inner, m / (size - 1))


def test_a_plane_is_the_product_of_its_tables():
    kept = laws.kept_shares(400, 16, 0.5, 0.1, 0.1)
    assert kept.sum() == pytest.approx(1.0, abs=1e-13)
    drawn = laws.drawn_shares(120, 16, 0.5, 0.1, 0.1)
    assert np.allclose(drawn.sum(axis=0), 1.0)
