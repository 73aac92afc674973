"""Lower bound <= least m of every learner it binds <= upper bound, on ten thousand settings.

Success never falls with m (test_learners), so "the least m lies above L and not above U" is
"at L - 1 the target is missed, at U it is reached": two evaluations in place of a search.
"""

import numpy as np
import pytest

from privsc_core.evaluate.success import need
from tests.core.support import CONCEPTS, LAWS, setting

PAIRS, EACH = 50, 200
CONCEPT = CONCEPTS[0]
BINDING = [
    pytest.param(b, x, id=f"{b.name}-{x.name}")
    for b in CONCEPT.bounds
    for x in CONCEPT.learners
    if b.binds(x)
]
# Every distribution has the bounds that hold for all of them; these speak of one only.
SPEAKS_OF = {"corollary-3.8": {"single", "hard"}}


def blocks():
    """Yield PAIRS blocks of EACH settings (d, epsilon arrays; alpha, beta)."""
    rng = np.random.default_rng(2013)
    for _ in range(PAIRS):
        alpha = float(np.round(np.exp(rng.uniform(np.log(0.02), np.log(0.49))), 3))
        beta = float(np.round(np.exp(rng.uniform(np.log(0.01), np.log(0.3))), 3))
        d = np.maximum(np.exp(rng.uniform(0, np.log(10_000), EACH)), 1).astype(np.int64)
        yield d, np.exp(rng.uniform(np.log(0.05), np.log(5), EACH)), alpha, beta


def numbers(entry, d, epsilon, alpha, beta):
    found = [
        entry.samples(d=int(a), epsilon=float(e), alpha=alpha, beta=beta).m
        for a, e in zip(d, epsilon, strict=True)
    ]
    return np.array([0 if m is None else m for m in found])


@pytest.fixture(scope="module")
def table():
    """Every bound on every setting, once."""
    return [(block, {b.name: numbers(b, *block) for b in CONCEPT.bounds}) for block in blocks()]


def test_there_are_ten_thousand_settings(table):
    assert sum(len(block[0]) for block, _ in table) == 10_000
    for name in (b.name for b in CONCEPT.bounds):
        meaningful = sum(int((found[name] > 1).sum()) for _, found in table)
        assert meaningful > 500, f"{name} says something on {meaningful} settings only"


def violations(entry, learner, distribution, table):
    bad, compared = [], 0
    for (d, epsilon, alpha, beta), found in table:
        m = found[entry.name] - (entry.kind == "lower")
        here = m >= 1
        if not here.any():
            continue
        at = setting(m[here], d[here], epsilon[here], alpha, beta)
        value = learner.success(distribution, at).value
        reached = value >= 1 - beta
        wrong = reached if entry.kind == "lower" else ~reached
        bad += [
            (int(at.m[i]), int(at.d[i]), float(at.epsilon[i]), alpha, beta, float(value[i]))
            for i in np.flatnonzero(wrong)
        ]
        compared += value.size
    return bad, compared


@pytest.mark.parametrize(("entry", "learner"), BINDING)
def test_no_learner_beats_a_lower_bound_or_misses_an_upper_one(entry, learner, table):
    names = {"hard", "single"} if entry.kind == "upper" else SPEAKS_OF.get(entry.name, {"hard"})
    for distribution in CONCEPT.distributions:
        if distribution.name in names:
            bad, compared = violations(entry, learner, distribution, table)
            assert compared > 500
            assert not bad, f"{distribution.name}: (m, d, epsilon, alpha, beta, success) {bad[:3]}"


def test_curves_lie_between_the_limits(table):
    """The same at every m: value <= limit of lower bounds, value >= limit of upper bounds."""
    rng = np.random.default_rng(5)
    hard = next(x for x in CONCEPT.distributions if x.name == "hard")
    for (d, epsilon, alpha, beta), _ in table[:12]:
        at = setting(np.exp(rng.uniform(0, 12, EACH)), d, epsilon, alpha, beta)
        for learner in CONCEPT.learners:
            value = learner.success(hard, at).value
            for entry in CONCEPT.bounds:
                limit = entry.limit(at)
                if limit is None or not entry.binds(learner):
                    continue
                gap = limit - value if entry.kind == "lower" else value - limit
                assert gap.min() >= -1e-11, (entry.name, learner.name, gap.min())


def test_paper_constants_are_never_sharper_than_ours(table):
    pairs = (
        ("corollary-3.8", "packing"),
        ("lemma-3.9", "packing"),
        ("finite-class", "theorem-3.2"),
    )
    for (d, *_), found in table:
        for low, high in pairs:
            # At d = 1 the hard distribution has no rivals, and packing says nothing.
            here = d >= 2
            assert (found[low] <= found[high])[here].all(), (low, high)


@pytest.mark.parametrize(("learner", "distribution"), LAWS)
def test_need_is_the_least_m_that_reaches_the_target(learner, distribution):
    if learner.laws[distribution.name] != "exact":
        return simulated_need(learner, distribution)
    for d, epsilon, alpha, beta in list(blocks())[:6]:
        bits = np.maximum(d[:4], 64)
        found = need(learner, distribution, d=bits, epsilon=epsilon[:4], alpha=alpha, beta=beta)
        for i, m in enumerate(found.m.tolist()):
            if np.isnan(m):
                assert found.reason[i]
                continue
            sizes = [int(m), max(int(m) - 1, 1)]
            now, before = learner.success(
                distribution, setting(sizes, bits[i], epsilon[i], alpha, beta)
            ).value
            assert now >= 1 - beta
            assert m == 1 or before < 1 - beta
    return None


def simulated_need(learner, distribution):
    m = int(need(learner, distribution, d=64, epsilon=1.0, alpha=0.1, beta=0.2, trials=200).m)
    now, before = learner.success(
        distribution, setting([m, max(m - 1, 1)], 64, 1.0, 0.1, 0.2, trials=200)
    ).value
    assert now >= 0.8
    assert m == 1 or before < 0.8
