"""A learner that somebody brings, through the doors of Python."""

import numpy as np

import privsc_core as pv
from privsc_core import catalog
from tests import budget

SETTING = {"d": 4, "epsilon": 1.0, "alpha": 0.2}


def noisy_max(x, y, *, d, epsilon, rng):
    """The exponential mechanism over points, by Gumbel noise."""
    ones, zeros = (np.bincount(x[y == label] - 1, minlength=2**d) for label in (1, 0))
    return 1 + int(np.argmax(ones - zeros + rng.gumbel(scale=2 / epsilon, size=2**d)))


def asked(learner, **more):
    at = {"concept": "point", "m": 40, "trials": 400} | SETTING | more
    return pv.success(learner=learner, **at)


def test_every_door_takes_objects():
    concept = catalog.concept("interval")
    law, bound = concept.distributions[1], concept.bounds[0]
    assert catalog.concept(concept) is concept
    assert catalog.distribution("interval", law) is law
    assert catalog.bound("interval", bound) is bound
    entry = concept.learners[1]
    assert catalog.learner(concept, entry) is entry
    at = {"d": 8, "epsilon": 1.0, "alpha": 0.1}
    named = pv.success(
        concept="interval", learner=entry.name, distribution=law.label, m=50, trials=50, **at
    )
    given = pv.success(concept=concept, learner=entry, distribution=law, m=50, trials=50, **at)
    assert named.value == given.value
    assert pv.bound(concept=concept, bound=bound, beta=0.1, **at).m == pv.bound(
        concept="interval", bound=bound.name, beta=0.1, **at
    ).m  # fmt: skip


def test_a_function_has_the_law_of_the_mechanism_that_it_is():
    trials = 4000
    found = asked(noisy_max, trials=trials)
    law = asked("exponential").value.item()
    assert found.method == "monte-carlo"
    budget.assert_rate(round(found.value.item() * trials), trials, law, "noisy max")
    assert found.low <= found.value <= found.high
