"""Learners with a privacy slack that can also do without: their laws, bounds and audits at delta > 0.

The contract suites ask them at delta = 0, where they are pure.
"""

import itertools
import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest

import privsc_core as pv
from privsc_core.catalog import CONCEPTS
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared import unseen
from privsc_core.draw import traces as drawn
from privsc_core.draw import views
from privsc_core.evaluate.audit import audit
from privsc_core.evaluate.bounds import bound_limit
from privsc_core.evaluate.scenario import Scenario
from privsc_core.own.runs import run_once
from tests import budget
from tests.classes import inequality
from tests.core.support import enumerated_success

# Who has a slack and can do without.
FREE = [
    pytest.param(c, a, id=f"{c.name}-{a.name}")
    for c in CONCEPTS
    for a in c.learners
    if a.privacy == "approximate" and not a.privacy_slack
]
WALKED = [
    pytest.param(c, next(b for b in c.bounds if b.name == "packing-delta"), id=c.name)
    for c in CONCEPTS
    if any(b.name == "packing-delta" for b in c.bounds)
]


def test_there_is_something_to_test():
    assert FREE
    assert WALKED


# --- Privacy ------------------------------------------------------------------------------------


def rushed(learner):
    """Return the learner with epsilon in place of epsilon / 2 in the exponent."""
    return type("Rushed", (type(learner),), {"score_rate": lambda _, epsilon: epsilon})(
        learner.privacy_slack
    )


@pytest.mark.parametrize(("concept", "learner"), FREE)
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.3), (0.2, 0.05), (1.0, 0.0), (3.0, 1e-6)])
def test_the_audit_confirms_the_slack(concept, learner, epsilon, delta):
    found = audit(learner, delta=delta, epsilon=epsilon)
    assert found.private
    assert found.delta == delta
    if delta == 0:
        assert found.worst <= epsilon + 1e-9  # pure


@pytest.mark.parametrize(("concept", "learner"), FREE)
def test_the_audit_catches_the_rate_epsilon_in_place_of_half_of_it(concept, learner):
    at = {"delta": 0.3, "epsilon": 1.0, "m": 4}
    found = audit(learner, **at)
    assert found.private
    assert found.least_delta > 0.05
    planted = audit(rushed(learner.at(0.3)), **at)
    assert not planted.private
    assert planted.least_delta > 1.1 * 0.3


def least_slack(rate, epsilon, delta, log_all, most=15):
    """Return the least slack over counts up to `most` of three answers among all others."""
    log_lump = float(unseen.log_effective(log_all, epsilon, delta))
    counts = np.array(list(itertools.product(range(most + 1), repeat=3)))
    shares = np.exp([
        unseen.log_weights(c, log_all, log_all + math.log1p(-3 * math.exp(-log_all)), rate, log_lump)
        for c in counts
    ])  # fmt: skip
    shares /= shares.sum(axis=1, keepdims=True)
    place = {tuple(c): i for i, c in enumerate(counts.tolist())}
    worst = 0.0
    for down in (None, 1):
        step = np.array([1, 0, 0]) - (np.arange(3) == down)
        there = [(i, place.get(tuple(c))) for i, c in enumerate((counts + step).tolist())]
        a, b = np.array([p for p in there if p[1] is not None]).T
        for p, q in ((shares[a], shares[b]), (shares[b], shares[a])):
            worst = max(worst, np.maximum(p - math.exp(epsilon) * q, 0).sum(axis=1).max())
    return worst


@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.01), (0.5, 1e-6), (2.0, 0.2)])
def test_on_an_endless_domain_the_slack_is_used_up_and_no_more(epsilon, delta):
    # Outputs are the seen answers and the lump, which then hits none of them.
    assert least_slack(epsilon / 2, epsilon, delta, 1e6) == pytest.approx(
        delta / (1 + delta), rel=1e-6
    )
    assert least_slack(epsilon, epsilon, delta, 1e6) > 1.5 * delta


def test_without_a_slack_it_is_pure_on_a_small_domain_and_a_planted_rate_is_not():
    assert least_slack(0.5, 1.0, 0.0, math.log(5)) < 1e-15
    assert least_slack(1.0, 1.0, 0.0, math.log(5)) > 0.01


def test_the_lump_is_never_larger_than_the_domain_nor_smaller_than_one():
    for epsilon, delta, d in itertools.product((0.01, 1, 50), (0, 1e-300, 1e-6, 0.4), (1, 64, 1e6)):
        size = float(unseen.log_effective(d * math.log(2), epsilon, delta))
        assert 0 <= size <= d * math.log(2) * (1 + 1e-12)
        mp.mp.dps = 50
        n, e, s = mp.mpf(2) ** int(d), mp.mpf(epsilon) / 2, mp.mpf(delta)
        expected = mp.log(max(1, 1 / (1 / n + s / (mp.exp(e) - 1))))
        assert size == pytest.approx(float(expected), rel=1e-12, abs=1e-14)


# --- Laws ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("concept", "learner"), FREE)
def test_laws_are_what_summing_over_samples_gives(concept, learner):
    epsilon, alpha, delta = 1.3, 0.2, 0.05
    ready, compared = learner.at(delta), 0
    for distribution in concept.distributions:
        if learner.laws.get(distribution.name) != "exact":
            continue
        for m, d in ((1, 3), (3, 3)):
            found = pv.success(
                concept=concept.name, learner=learner.name, distribution=distribution.label, m=m,
                d=max(d, distribution.least_d), epsilon=epsilon, alpha=alpha, delta=delta, beta=0.1,
            ) if distribution.least_d <= d else None  # fmt: skip
            if found is not None:
                expected = enumerated_success(ready, distribution, m, d, epsilon, alpha, 0.1)
                assert found.value == pytest.approx(expected, abs=1e-12)
                compared += 1
    assert compared


@pytest.mark.parametrize(("concept", "learner"), FREE)
def test_real_runs_succeed_as_often_as_the_law_says(concept, learner):
    law, delta, trials = concept.distributions[0], 0.01, 1500
    at = {"m": 60, "d": 6, "epsilon": 1.0, "alpha": 0.15}
    expected = pv.success(
        concept=concept.name, learner=learner.name, **at, beta=0.1, delta=delta
    ).value
    rng = np.random.default_rng(11)
    hits = sum(run_once(learner.at(delta), law, **at, beta=0.1, rng=rng) for _ in range(trials))
    budget.assert_rate(hits, trials, float(expected), f"{learner.name} with a slack")


@pytest.mark.parametrize(("concept", "learner"), FREE)
def test_without_a_slack_it_promises_pure_privacy(concept, learner):
    assert (learner.promise(0.0), learner.promise(1e-9)) == ("pure", "approximate")
    assert learner.at(0.0).privacy_slack == 0.0
    assert learner.at(1e-9).privacy_slack == 1e-9


def test_only_who_cannot_do_without_a_slack_has_a_default():
    own = {
        (c.name, a.name): a.privacy_slack for c in CONCEPTS for a in c.learners if a.privacy_slack
    }
    assert own == dict.fromkeys(
        [
            ("release", "stability"),
            ("interval", "search"),
            ("interval", "tree"),
            ("interval", "tree-2"),
            ("interval", "tree-3"),
            ("line", "vote"),
            ("conjunction", "sq-gauss"),
            ("marginals", "gauss"),
            ("marginals", "projected"),
            ("point", "generic-stable"),
        ],
        1e-6,
    )
    for learner in (a for c in CONCEPTS for a in c.learners if a.privacy_slack):
        assert learner.promise(0.0) == "approximate"


# --- The numbers of the theory: epsilon = 0.5, alpha = beta = 0.1, delta = 1e-6 unless said ------


# --- Bounds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("concept", "entry"), [
    pytest.param(c, b, id=f"{c.name}-{b.name}")
    for c in CONCEPTS for b in c.bounds if b.name in {"packing-delta", "seen"}
])  # fmt: skip
@pytest.mark.parametrize("delta", [0.0, 1e-9, 1e-3, 0.1])
def test_the_numbers_satisfy_their_inequality_and_one_less_does_not(concept, entry, delta):
    holds = inequality(concept, entry.name)
    for d, epsilon, alpha, beta in ((8, 0.9, 0.1, 0.2), (24, 2.0, 0.3, 0.05), (12, 0.4, 0.25, 0.3)):
        m = entry.least(Cell(d, epsilon, alpha, beta, delta=delta)).m
        assert holds(m, d, epsilon, alpha, beta, delta)
        assert m == 1 or not holds(m - 1, d, epsilon, alpha, beta, delta)


@pytest.mark.parametrize(("concept", "entry"), WALKED)
def test_no_learner_passes_the_packing_bound_with_a_slack(concept, entry):
    bound = [a for a in concept.learners if entry.binds(a)]
    assert bound
    m = np.arange(1, 400, 7)
    for d, epsilon, alpha, delta in (
        (6, 1.0, 0.15, 0.01),
        (64, 2.0, 0.2, 1e-4),
        (5, 0.3, 0.3, 0.2),
    ):
        at = {"m": m, "d": d, "epsilon": epsilon, "alpha": alpha, "beta": 0.1, "delta": delta}
        limit = bound_limit(entry, **at)
        for learner in bound:
            reached = pv.success(concept=concept.name, learner=learner.name, **at).value
            assert (reached <= limit + 1e-12).all()


# The best of all mechanisms for T = 3, m = 4, epsilon = 1, delta = 0.01, alpha = 0.4, by a linear
# program over every mechanism: 0.7648. The bound must not be below it, and the learner not above.
def test_the_packing_bound_with_a_slack_is_above_what_a_linear_program_reaches():
    mean = 0.0
    for k in range(5):
        reached = 1 / 2
        for _ in range(k):
            reached = min(math.e * reached + 0.01, 1 - (1 - reached - 0.01) / math.e, 1.0)
        mean += math.comb(4, k) * 0.4**k * 0.6 ** (4 - k) * reached
    assert mean == pytest.approx(0.8482, abs=5e-5)
    assert mean > 0.7648


# --- Pictures -----------------------------------------------------------------------------------


def test_curves_are_grey_where_the_slack_is_spent_and_say_that_they_have_one():
    scenario = Scenario("point", ("exponential", "seen"), delta=1e-3)
    data = {t["uid"]: t for t in views.picture(scenario, "m").figure["data"]}
    x = np.asarray(data["seen"]["x"], dtype=float)
    plain, grey = (np.asarray(data[uid]["y"], dtype=float) for uid in ("seen", "seen-published"))
    assert np.isnan(plain[x >= 1000]).all()
    assert np.isfinite(plain[x < 1000]).all()
    assert np.isfinite(grey[x >= 1000]).all()
    assert data["seen-published"]["line"]["color"] != data["seen"]["line"]["color"]
    assert data["seen"]["name"].endswith("(δ = 0.001)")
    assert "δ" not in data["exponential"]["name"]
    pure = {t["uid"]: t for t in views.picture(replace(scenario, delta=0.0), "m").figure["data"]}
    assert "seen-published" not in pure
    assert "δ" not in pure["seen"]["name"]
    need = {t["uid"] for t in views.picture(replace(scenario, delta=0.01), "need-d").figure["data"]}
    assert "seen-learner-published" in need
    assert "exponential-learner-published" not in need


def test_what_stands_below_the_control_of_delta():
    assert drawn.below_slider(1e-6, 500).startswith("mδ = 0.0005:")
    assert "grey" in drawn.below_slider(0.01, 500)
    assert "m = 1,000,000. Curves beyond are grey" in drawn.below_slider(1e-6, None)
    assert "purely private" in drawn.below_slider(0.0, 500)
