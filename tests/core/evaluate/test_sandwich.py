"""Lower bound <= least m of every learner it binds <= upper bound, on a hundred and fifty settings.

Where success never falls with m (test_need_spans scans all laws), "the least m lies above L and not
above U" is "at L - 1 the target is missed, at U it is reached": two evaluations in place of a
search. For data release, where rounding lets success fall a little, the limits are compared at
random m too. A deep run has ten thousand settings.
"""

import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.evaluate.need import need
from tests.classes import known
from tests.classes.interval import rivals_cost_more
from tests.core.support import CLASS_LAWS, CONCEPTS, exists, home, setting
from tests.depth import deep, spread

PAIRS, EACH = deep((4, 15), (50, 200))
SETTINGS = PAIRS * EACH
ENOUGH = SETTINGS // 20  # a check that compares fewer of them says nothing
BINDING = [
    pytest.param(c, b, x, id=f"{c.name}-{b.name}-{x.name}")
    for c in CONCEPTS
    for b in c.bounds
    for x in c.learners
    if b.binds(x) and b.constants != "rate"
]
EACH_CONCEPT = pytest.mark.parametrize("concept", CONCEPTS, ids=lambda c: c.name)


def first(concept):
    return concept.distributions[0]


def blocks(concept):
    """Yield PAIRS blocks of EACH settings (d, epsilon arrays; alpha, beta), all of which exist."""
    rng = np.random.default_rng(2013)
    top = min(0.49, known(concept).alpha_most)
    for _ in range(PAIRS):
        alpha = float(np.round(np.exp(rng.uniform(np.log(0.02), np.log(top))), 3))
        beta = float(np.round(np.exp(rng.uniform(np.log(0.01), np.log(0.3))), 3))
        places = {first(concept).name, known(concept).moves_on}
        laws = [x for x in concept.distributions if x.name in places]
        least = next(d for d in range(1, 9) if all(exists(x, d, alpha) for x in laws))
        most = min(10_000, first(concept).most_d)
        d = np.exp(rng.uniform(np.log(least), np.log(most), EACH)).astype(np.int64)
        epsilon = np.exp(rng.uniform(np.log(0.05), np.log(5), EACH))
        yield np.maximum(d, least), epsilon, alpha, beta


def slack(concept):
    """Return the delta with which a class is asked: who cannot do without has one of its own."""
    return max(entry.privacy_slack for entry in concept.learners)


def numbers(entry, d, epsilon, alpha, beta, *, thinned, delta):
    """Return the bound's numbers, 0 where it says nothing or is not asked."""
    found = np.zeros(d.shape, dtype=np.int64)
    for i in range(0, d.size, thinned):
        value = entry.least(Cell(int(d[i]), float(epsilon[i]), alpha, beta, delta=delta))
        found[i] = value.m or 0
    return found


@functools.cache
def table_of(name):
    concept = next(c for c in CONCEPTS if c.name == name)
    return [
        (
            block,
            {
                b.name: numbers(
                    b, *block, thinned=known(concept).thinned.get(b.name, 1), delta=slack(concept)
                )
                for b in concept.bounds
            },
        )
        for block in blocks(concept)
    ]


@pytest.fixture
def table(concept):
    """Every bound on every setting, once."""
    return table_of(concept.name)


@EACH_CONCEPT
def test_all_bounds_but_rates_speak_of_many_settings(concept, table):
    assert sum(len(block[0]) for block, _ in table) == SETTINGS
    for entry in concept.bounds:
        meaningful = sum(int((found[entry.name] > 1).sum()) for _, found in table)
        assert (meaningful > ENOUGH) == (entry.constants != "rate"), (entry.name, meaningful)


def violations(entry, learner, distribution, table, *, slow, delta):
    bad, compared = [], 0
    for (d, epsilon, alpha, beta), found in table:
        m = found[entry.name] - (entry.kind == "lower")
        here = (m >= 1) & (np.arange(m.size) % slow == 0)
        if not here.any():
            continue
        at = setting(m[here], d[here], epsilon[here], alpha, beta, delta=delta, trials=250)
        value = learner.success(distribution, at).value
        reached = value >= 1 - beta
        wrong = reached if entry.kind == "lower" else ~reached
        bad += [
            (int(at.m[i]), int(at.d[i]), float(at.epsilon[i]), alpha, beta, float(value[i]))
            for i in np.flatnonzero(wrong)
        ]
        compared += value.size
    return bad, compared


@pytest.mark.parametrize(("concept", "entry", "learner"), spread(BINDING, 40))
def test_no_learner_beats_a_lower_bound_or_misses_an_upper_one(concept, entry, learner, table):
    own = known(concept)
    # Every distribution has the upper bounds; a lower one speaks of some.
    everywhere = {"hard", "single", home(concept, learner).name}
    upper = set(entry.promised_on) or everywhere
    names = upper if entry.kind == "upper" else set(entry.valid_on)
    for distribution in concept.distributions:
        if distribution.name in names & set(learner.laws) and not entry.passed(
            learner, distribution
        ):
            bad, compared = violations(
                entry,
                learner,
                distribution,
                table,
                slow=own.slow.get(learner.name, 1),
                delta=slack(concept),
            )
            assert compared > ENOUGH
            assert not bad, f"{distribution.name}: (m, d, epsilon, alpha, beta, success) {bad[:3]}"


@EACH_CONCEPT
def test_curves_lie_between_the_limits(concept, table):
    """The same at every m: value <= limit of lower bounds, value >= limit of upper bounds."""
    rng, seen = np.random.default_rng(5), 0
    for (d, epsilon, alpha, beta), _ in table[: deep(3, 12)]:
        at = setting(
            np.exp(rng.uniform(0, 12, EACH)), d, epsilon, alpha, beta,
            delta=slack(concept), trials=250,
        )  # fmt: skip
        limits = {entry.name: entry.limit(at) for entry in concept.bounds}
        for learner in concept.learners:
            law = home(concept, learner)
            here = slice(None, None, known(concept).slow.get(learner.name, 1))
            some = replace(at, m=at.m[here], d=at.d[here], epsilon=at.epsilon[here])
            value = learner.success(law, some).value
            # Failures rarer than one draw in all may be in none of those that are made.
            rarest = 0.0 if learner.laws[law.name] == "exact" else 1.0 / at.trials
            for entry in concept.bounds:
                limit = limits[entry.name]
                if (
                    limit is None
                    or not entry.binds(learner)
                    or entry.passed(learner, home(concept, learner))
                ):
                    continue
                limit = limit[here]
                places = set(entry.valid_on or entry.promised_on)
                if places and not {home(concept, learner).name, "hard"} & places:
                    continue  # a bound on another distribution alone
                gap = limit - value if entry.kind == "lower" else value - limit
                if entry.kind == "lower":
                    gap = np.where(1.0 - limit < rarest, 0.0, gap)
                assert gap.min() >= -1e-11, (entry.name, learner.name, gap.min())
                seen += 1
    assert seen


@EACH_CONCEPT
def test_paper_constants_are_never_sharper_than_ours(concept, table):
    for (low, high), excused in known(concept).weaker.items():
        compared = 0
        for block, found in table:
            here = ~excused(*block) & (found[low] > 0) & (found[high] > 0)
            assert (found[low] <= found[high])[here].all(), (low, high)
            compared += int(here.sum())
        assert compared > ENOUGH, (low, high, compared)


def test_lemma_5_2_is_ahead_of_packing_at_the_edge():
    # recipe: log(8 * 0.944 / 0.056) / 0.2417 = 20.3, so 21; packing has log 5 in place of log 8.
    cell = {"d": 3, "epsilon": 0.24170819134393728, "alpha": 0.467, "beta": 0.056}
    by_name = {b.name: b.least(Cell(**cell)).m for b in CONCEPTS[1].bounds}
    assert (by_name["lemma-5.2"], by_name["packing"]) == (21, 20)
    assert rivals_cost_more(np.array([3]), None, 0.467, 0.056).all()
    assert not rivals_cost_more(np.array([3, 8, 60]), None, 0.3, 0.056).any()


@pytest.mark.parametrize(("concept", "learner", "distribution"), spread(CLASS_LAWS, 30))
def test_need_is_the_least_m_that_reaches_the_target(concept, learner, distribution):
    if learner.laws[distribution.name] != "exact":
        return simulated_need(learner, distribution)
    for d, epsilon, alpha, beta in itertools.islice(blocks(concept), deep(2, 6)):
        bits = np.clip(d[:4], 64, distribution.most_d)
        found = need(
            learner,
            distribution,
            d=bits,
            epsilon=epsilon[:4],
            alpha=alpha,
            beta=beta,
            delta=learner.privacy_slack,
        )
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
    learner = learner.beside(10**5 if learner.unlabelled else 0)
    d = min(64, learner.most_d(distribution))
    m = int(need(
        learner, distribution, d=d, epsilon=1.0, alpha=0.1, beta=0.2, trials=200,
        delta=learner.privacy_slack,
    ).m)  # fmt: skip
    now, before = learner.success(
        distribution, setting([m, max(m - 1, 1)], d, 1.0, 0.1, 0.2, trials=200)
    ).value
    assert now >= 0.8
    assert m == 1 or before < 0.8
