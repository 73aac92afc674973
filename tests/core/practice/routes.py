"""Independent routes to the answers of questions: laws, inequalities, enumeration, never the call that answered."""

import functools
import math
import types

import numpy as np
from scipy import stats

from privsc_core.api import audit
from privsc_core.catalog import bound as find_bound
from privsc_core.catalog import concept as find_concept
from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.concepts.shared.hypotheses import FAILURE
from privsc_core.concepts.shared.sample import Sample
from privsc_core.evaluate.need import need
from privsc_core.numerics.decimals import complement
from tests.classes import inequality, known

_FAR = 10**9


def near(value, truth):
    """Return whether a number is the true one, up to a thousandth."""
    return abs(value - truth) <= 1e-3 * abs(truth)


# --- Numbers of samples --------------------------------------------------------------------------


def chance(scenario, learner, m, **instead):
    """Return the success probability by the learner's own law, at many m at once."""
    at = scenario.settings() | instead
    here = Setting(
        np.atleast_1d(np.asarray(m, dtype=np.int64)), np.array(at["d"]), np.array(at["epsilon"]),
        at["alpha"], at["beta"], at["delta"],
    )  # fmt: skip
    return learner.at(at["delta"]).success(scenario.law, here).value


def succeeds(scenario, name, m, **instead):
    """Return whether m examples reach the goal, by the learner's own law."""
    goal = complement(instead.get("beta", scenario.beta))
    return bool(chance(scenario, of(scenario, name), m, **instead)[0] >= goal)


def of(scenario, name):
    """Return a learner by its name."""
    return next(one for one in scenario.entries if one.name == name)


@functools.cache
def _least(scenario, learner, instead):
    m = float(need(learner, scenario.law, **scenario.settings() | dict(instead)).m)
    goal = complement(dict(instead).get("beta", scenario.beta))
    if math.isnan(m):
        assert chance(scenario, learner, _FAR, **dict(instead))[0] < goal
        return None
    short, enough = chance(scenario, learner, [max(m - 1, 1), m], **dict(instead))
    assert enough >= goal
    assert m == 1 or short < goal
    return int(m)


def least_of(scenario, learner, **instead):
    """Return the least m of a learner, confirmed on both sides by the law; None where there is none."""
    return _least(scenario, learner, tuple(sorted(instead.items())))


def least(scenario, name, **instead):
    """Return the least m, confirmed on both sides by the law; None where there is none.

    All learners that are asked here never succeed less with more examples.
    """
    return least_of(scenario, of(scenario, name), **instead)


def compared(scenario):
    """Return the learners whose numbers questions compare."""
    here = scenario.law.name
    return [
        one for one in scenario.entries
        if one.laws.get(here) == "exact" and here not in one.slow and not one.unlabelled
    ]  # fmt: skip


def best(scenario, **kind):
    """Return the least number of all compared learners with some attributes."""
    those = [x for x in compared(scenario) if all(getattr(x, k) == v for k, v in kind.items())]
    return min(m for x in those if (m := least(scenario, x.name)) is not None)


# --- Bounds --------------------------------------------------------------------------------------


@functools.cache
def _allowed(scenario, bound, m, instead):
    """Return whether m satisfies a bound: by the success that it allows or promises, where it tells that.

    Else by its second writing, in fifty digits.
    """
    at, entry = Cell(**scenario.settings() | dict(instead)), find_bound(scenario.concept, bound)
    if m <= 0:
        return False
    if (limit := entry.limit(at.at(m))) is not None:
        return bool(limit >= complement(at.beta) * (1 - 1e-12))
    slack = () if entry.free_of_delta else (at.delta,)
    holds = inequality(scenario.concept_class, bound)
    return bool(holds(m, at.d, at.epsilon, at.alpha, at.beta, *slack))


def allowed(scenario, bound, m, **instead):
    """Return whether m satisfies a bound at the setting or another one."""
    return _allowed(scenario, bound, m, tuple(sorted(instead.items())))


@functools.cache
def _edge(scenario, bound, instead):
    m = find_bound(scenario.concept, bound).least(Cell(**scenario.settings() | dict(instead))).m
    assert allowed(scenario, bound, m, **dict(instead))
    assert m == 1 or not allowed(scenario, bound, m - 1, **dict(instead))
    return m


def edge(scenario, bound, **instead):
    """Return the number of a bound, confirmed on both sides by its second writing."""
    return _edge(scenario, bound, tuple(sorted(instead.items())))


def binds(scenario, bound, learner):
    """Return whether a lower bound speaks of a learner, as the tests of its class have it."""
    return known(scenario.concept_class).binds[bound](learner)


def with_(learner, **changed):
    """Return what stands for a learner with other attributes."""
    names = ("name", "privacy", "proper", "efficient", "unlabelled", "labelled")
    return types.SimpleNamespace(**{n: getattr(learner, n) for n in names} | changed)


# --- Privacy -------------------------------------------------------------------------------------


@functools.cache
def private(concept, name):
    """Return whether the outputs of a learner differ by at most its epsilon, on all tiny samples."""
    found = audit(concept=concept, learner=name)
    return found.worst <= found.epsilon * (1 + 1e-9)


@functools.cache
def proper(concept, name):
    """Return whether a learner answers with concepts only, in many runs on tiny samples."""
    learner, rng = find_concept(concept).learners, np.random.default_rng(3)
    learner = next(one for one in learner if one.name == name)
    samples = [Sample.of(3, [1, 2], [label, 0]) for label in (0, 1)]
    at = Cell(3, 0.5, 0.2, 0.2)
    found = [learner.run(sample, at, rng) for sample in samples for _ in range(30)]
    is_concept = known(find_concept(concept)).is_concept
    return all(is_concept([h.predict(x) for x in range(1, 9)]) for h in found if h is not FAILURE)


def coin(epsilon):
    """Return the distributions of randomised response on two neighbouring inputs: it spends all of epsilon."""
    right = math.exp(epsilon) / (1 + math.exp(epsilon))
    return np.array([right, 1 - right]), np.array([1 - right, right])


def loss(one, other):
    """Return the largest log ratio of two distributions."""
    return float(np.max(np.abs(np.log(one) - np.log(other))))


def together(first, *more):
    """Return the joint distribution of independent outputs."""
    return functools.reduce(np.kron, more, first)


def sampled(epsilon, q):
    """Return the largest loss of a person that is asked with probability q: over all that the others may do."""
    one, other = coin(epsilon)
    rest = np.linspace(one[0] * math.exp(-epsilon), other[0] * math.exp(epsilon), 2001)
    return float(np.max(np.log((q * one[0] + (1 - q) * rest) / (q * other[0] + (1 - q) * rest))))


def tail(t, epsilon):
    """Return how often Laplace noise of scale 1/epsilon exceeds t."""
    return 2 * stats.laplace(scale=1 / epsilon).sf(t)
