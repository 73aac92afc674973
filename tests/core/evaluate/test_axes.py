"""The ends of axes: numbers that are foretold give the ends that simulated ones would give."""

import numpy as np
import pytest

from privsc_core.catalog import CONCEPTS
from privsc_core.errors import InputError
from privsc_core.evaluate import views
from privsc_core.evaluate.need import guessed, need, pilot_trials
from privsc_core.evaluate.scenario import Scenario
from tests.depth import deep, spread

FORETOLD = [
    pytest.param(concept, learner, law, id=f"{concept.name}-{learner.name}-{law.name}")
    for concept in CONCEPTS
    for learner in concept.learners
    for law in concept.distributions
    if law.name in learner.guess_within
]


def settings(learner, law, count):
    """Yield random settings of which the learner has a number, and it."""
    rng = np.random.default_rng(20)
    trials = 8 if law.name in learner.slow else pilot_trials(1000)
    while count:
        at = {
            "d": int(rng.choice([2, 3, 5, 16, 64, 128])),
            "epsilon": round(float(rng.uniform(0.05, 2.0)), 3),
            "alpha": round(float(rng.uniform(0.02, 0.33)), 3),
            "beta": round(float(rng.uniform(0.01, 0.4)), 3),
            "delta": 1e-6,
        }
        try:
            found = need(learner, law, **at, trials=trials, rough=True)
        except InputError:
            continue
        if np.isfinite(found.m):
            count -= 1
            yield at, float(found.m)


@pytest.mark.parametrize(("concept", "learner", "law"), spread(FORETOLD, 14))
def test_a_foretold_number_is_about_that_of_a_simulation(concept, learner, law):
    assert learner.laws[law.name] != "exact"
    for at, m in settings(learner, law, deep(3, 8)):
        told = guessed(learner, law, **at)
        assert m / 2.0 <= told <= learner.guess_within[law.name] * m, at


@pytest.mark.parametrize(("concept", "learner", "law"), FORETOLD)
def test_ends_are_those_of_simulated_numbers(concept, learner, law, monkeypatch):
    shown = [
        Scenario(concept.name, (learner.name, *more), distribution=law.label, m=500, **at)
        for more in {(), *[(e.name,) for e in concept.learners if e.laws.get(law.name) == "exact"]}
        for at, _ in settings(learner, law, deep(2, 3))
    ]
    ends = [views.frame(one, "m") for one in shown]
    monkeypatch.setattr(type(learner), "guess_within", {})
    assert ends == [views.frame(one, "m") for one in shown]


def test_ends_by_a_number_that_is_foretold_wrongly_are_noticed(monkeypatch):
    concept, learner, law = FORETOLD[0].values
    exact = next(e.name for e in concept.learners if e.laws.get(law.name) == "exact")
    at, _ = next(settings(learner, law, 1))
    shown = Scenario(concept.name, (exact, learner.name), distribution=law.label, m=500, **at)
    true = views.frame(shown, "m")
    monkeypatch.setattr(views, "guessed", lambda *_, **__: 1.0)
    assert views.frame(shown, "m") != true


def test_nothing_is_foretold_where_a_number_is_refused():
    concept = next(c for c in CONCEPTS if c.name == "halfspace")
    learner = next(e for e in concept.learners if e.name == "averaging")
    law = next(e for e in concept.distributions if e.name == "uniform")
    at = {"epsilon": 1.0, "alpha": 0.1}
    assert guessed(learner, law, d=8, beta=0.1, **at) > 1.0
    assert np.isnan(guessed(learner, law, d=law.most_d + 1, beta=0.1, **at))
    assert np.isnan(guessed(learner, law, d=8, beta=1e-9, **at))
