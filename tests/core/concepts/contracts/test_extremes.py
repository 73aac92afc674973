"""beta down to 1e-300 and 1 - beta down to 1e-15: every number a second time, in 40 digits.

Planted faults that this finds: 1 - beta rounded to a float, failure as 1 - success, a window that
leaves out 2e-14 of the mass, a bound that claims a distribution on which it is passed.
"""

import math

import mpmath as mp
import numpy as np
import pytest
from scipy import stats

import privsc_core as pv
from privsc_core import InputError, catalog
from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.inequalities import log_tail, packing_limit
from privsc_core.evaluate.need import need
from privsc_core.numerics.expectations import expected_rest
from privsc_core.numerics.trinomial import two_sided_odds
from tests.core.references import exact
from tests.core.support import CONCEPTS, setting
from tests.depth import in_turn, whole

RARE = [1e-12, 1e-17, 1e-40, 1e-300]
CERTAIN = [1 - 1e-3, 0.99999, 0.9999999999999, 0.999999999999999]


def binomial(m, p, value):
    """E[value(K)] in forty digits."""
    p = exact(p)
    weight, total = (1 - p) ** m, mp.mpf(0)
    for k in range(m + 1):
        total += weight * value(k)
        weight *= (m - k) * p / (1 - p) / (k + 1)
    return total


def close(found, wanted, rel=1e-9):
    assert wanted > 0
    assert abs(mp.mpf(float(found)) / wanted - 1) < rel, (float(found), mp.nstr(wanted, 15))


def least(name, concept="point", **cell):
    cell = {"d": 16, "epsilon": 0.5, "alpha": 0.1} | cell
    return pv.bound(concept=concept, bound=name, **cell).m.item()


def enough(learner, concept="point", **cell):
    cell = {"d": 16, "epsilon": 0.5, "alpha": 0.1} | cell
    return pv.need(concept=concept, learner=learner, **cell).m.item()


def packing(m, rivals, loss, alpha):
    """Return the packing limit and its complement in forty digits."""
    return (
        binomial(m, alpha, lambda k: 1 / (1 + rivals * mp.exp(-loss * k))),
        binomial(m, alpha, lambda k: 1 / (1 + mp.exp(loss * k) / rivals)),
    )


@pytest.mark.parametrize("beta", [whole(1e-17), 1e-300, whole(0.9999999999999)])
def test_limits_are_right_relative_to_themselves(beta):
    rng = np.random.default_rng(38)
    for _ in range(4):
        d, alpha = int(rng.integers(2, 40)), float(np.round(rng.uniform(0.02, 0.4), 3))
        epsilon = float(np.round(rng.uniform(0.1, 4), 3))
        m = int(min(least("packing", d=d, epsilon=epsilon, alpha=alpha, beta=beta), 4000))
        rivals = mp.mpf(2) ** d - 2
        at = (np.array(m), np.array(float(mp.log(rivals))), alpha, np.array(epsilon))
        reached, lost = packing(m, rivals, exact(epsilon), alpha)
        # Next to the least float the smallest weights have fewer digits.
        rel = 1e-9 if beta > 1e-200 else 1e-7
        close(packing_limit(*at, log_tail(beta)), reached)
        close(packing_limit(*at, log_tail(beta), lost=True), lost, rel)


def point(learner, d, epsilon, alpha, beta):
    """Return failure at m in forty digits, from the formula of the law on `hard`."""
    half, a, big = exact(epsilon) / 2, exact(alpha), mp.mpf(2) ** d

    def mechanism(m, rivals):
        def rest(k):
            odds = rivals * mp.exp(-half * k) + mp.exp(-half * m)
            return odds / (1 + odds)

        return binomial(m, alpha, rest)

    def hashed(m):
        buckets = mp.mpf(2) ** math.ceil(math.log2(4 / (alpha * beta)))
        return 1 / buckets + (1 - 1 / buckets) * mechanism(m, buckets - 2)

    return {
        "erm": lambda m: (1 - a) ** m * (1 - 1 / (big - 1)),
        "exponential": lambda m: mechanism(m, big - 2),
        "hash": hashed,
    }[learner]


@pytest.mark.parametrize(("learner", "beta"), in_turn(["erm", "exponential", "hash"], RARE))
def test_need_of_points_at_a_tiny_beta(learner, beta):
    rng = np.random.default_rng(round(-math.log10(beta)))
    for _ in range(2):
        cell = (int(rng.integers(2, 30)), float(np.round(rng.uniform(2, 4), 2)))
        alpha = float(np.round(rng.uniform(0.2, 0.45), 2))
        m = int(enough(learner, d=cell[0], epsilon=cell[1], alpha=alpha, beta=beta))
        lost = point(learner, *cell, alpha, beta)
        now, before = lost(m), lost(m - 1)
        assert now <= exact(beta) < before
        entry = pv.catalog.learner("point", learner)
        law = pv.catalog.distribution("point", "hard")
        close(entry.success(law, setting(m, *cell, alpha, beta)).failure, now)


@pytest.mark.parametrize("beta", [1e-12, 1e-17])
def test_intervals_at_a_tiny_beta(beta):
    """A double sum over the counts of both points, in forty digits."""
    d, epsilon, alpha = 4, 4.0, 0.4
    m = int(enough("exponential", "interval", d=d, epsilon=epsilon, alpha=alpha, beta=beta))
    half, a = exact(epsilon) / 2, exact(alpha)

    def lost(m):
        total, row = mp.mpf(0), (1 - 2 * a) ** m
        falls = [mp.exp(-half * k) for k in range(m + 1)]
        for left in range(m + 1):
            weight = row
            for right in range(m - left + 1):
                odds = 6 * falls[left] + 9 * falls[right] + falls[m - right]
                total += weight * odds / (1 + odds)
                weight *= (m - left - right) * a / (1 - 2 * a) / (right + 1)
            row *= (m - left) * a / (1 - 2 * a) / (left + 1)
        return total

    assert lost(m) <= exact(beta) < lost(m - 1)


@pytest.mark.parametrize("beta", [1e-9, 1e-17, 1e-300, *CERTAIN])
def test_the_single_sums_and_the_lattice_agree(beta):
    """Two routes to the share between two rare events, where both can be had."""
    from privsc_core.numerics import trinomial as tails

    rng = np.random.default_rng(7)
    compared = 0
    for _ in range(30):
        p, rate = float(rng.uniform(0.02, 0.4)), float(rng.uniform(0.05, 2))
        logs = float(rng.uniform(1, 20)), float(rng.uniform(1, 20))
        size = int(math.exp(rng.uniform(2, 8)))
        both = two_sided_odds(size, p, *logs, rate, log_tail(beta))
        slow = tails._lattice(size, p, *logs, rate, log_tail(beta))
        if both is None or slow is None:
            continue
        compared += 1
        for one, other in zip(both, slow, strict=True):
            if one > 0.01 * min(beta, 1 - beta):
                assert one == pytest.approx(other, rel=1e-6)
    assert compared > 15


@pytest.mark.parametrize(("beta", "matters"), [(1e-7, True), (1e-12, False), (1e-300, False)])
def test_the_corner_of_the_lattice_says_what_the_whole_of_it_says(monkeypatch, beta, matters):
    """A rare failure to its last digits, and not without the term that the corner is for."""
    from privsc_core.numerics import trinomial as tails

    # Then nothing is left to single sums.
    monkeypatch.setattr(tails, "_GAP", 0.0)
    compared = mattered = 0
    rng = np.random.default_rng(11)
    for _ in range(150):
        p, rate = float(rng.uniform(0.02, 0.48)), float(np.exp(rng.uniform(-6, 1)))
        size = int(math.exp(rng.uniform(4, 9)))
        few = size * p - rng.uniform(0.3, 1.3) * math.sqrt(-2.0 * math.log(beta) * size * p)
        logs = [max(rate * few, 1.0) + float(rng.uniform(0, 1)) for _ in range(2)]
        slow = tails._lattice(size, p, *logs, rate, log_tail(beta))
        if not beta * 1e-3 < slow[1] < 1e-6:
            continue
        compared += 1
        both = two_sided_odds(size, p, *logs, rate, log_tail(beta))
        assert both == pytest.approx(slow, rel=1e-11, abs=0.0)
        with monkeypatch.context() as without:
            without.setattr(tails, "_corner", lambda *_: 0.0)
            single = two_sided_odds(size, p, *logs, rate, log_tail(beta))
        mattered += single != pytest.approx(slow, rel=1e-9, abs=0.0)
    assert compared > 10
    assert mattered > 2 or not matters


def test_no_epsilon_is_left_out_because_its_whole_lattice_would_be_large():
    """Where none of both sides fails at once failures add up, to twice a sum over one count."""
    m, d, alpha, beta = 5_988_921, 497_382, 0.0288, 2.36e-7
    counts = np.arange(150_000, 195_000)
    log_odds = d * math.log(2) - math.log(2)

    def lost(epsilon):
        odds = np.exp(np.clip(log_odds - 0.5 * epsilon * counts, -700.0, 700.0))
        return 2.0 * float(stats.binom.pmf(counts, m, alpha) @ (odds / (1.0 + odds)))

    setting = {"m": m, "d": d, "alpha": alpha, "beta": beta}
    found = pv.reach(concept="interval", wanted="epsilon", learner="exponential", **setting)
    assert lost(found.value) < beta < lost(found.value - 0.001)


def test_the_share_of_all_others_is_exact():
    """Against the sum over all multinomial counts, with groups of next to no weight."""
    rng = np.random.default_rng(1)
    # In the last two the factors of a term are floats, and their product is not.
    rare = [0.998, 0.001, 0.001]
    for weight, chances in (
        *((w, None) for w in (0.3, 1e-5, 1e-40, 1e-200, 0.0)), (1e-14, rare), (1e-297, rare),
    ):  # fmt: skip
        n, p = 6, chances or rng.dirichlet([1.0, 1.0, 1.0])
        w = [weight, weight * 0.1]
        total = mp.mpf(0)
        for a in range(n + 1):
            for b in range(n + 1 - a):
                c = n - a - b
                share = mp.mpf(b) * w[0] + mp.mpf(c) * w[1]
                chance = mp.factorial(n) / mp.factorial(a) / mp.factorial(b) / mp.factorial(c)
                chance *= mp.mpf(p[0]) ** a * mp.mpf(p[1]) ** b * mp.mpf(p[2]) ** c
                total += chance * (share / (a + share) if a + share else 1)
        found = expected_rest(
            np.array(float(n)), np.array(p[0]), [np.array(p[1]), np.array(p[2])],
            [np.array(w[0]), np.array(w[1])],
        )  # fmt: skip
        close(found, total, 1e-11)


GUARANTEED = [
    pytest.param(c.name, b.name, x.name, id=f"{c.name}-{b.name}-{x.name}")
    for c in CONCEPTS
    for b in c.bounds
    for x in c.learners
    if b.kind == "upper"
    and b.constants != "rate"
    and b.binds(x)
    # It is proved for a larger class than the one that runs.
    and b.name != "representation"
    # Where the law is simulated so rare an event is refused.
    and x.laws.get(c.distributions[0].name) == "exact"
]
BETAS = [1e-5, 1e-9, 1e-17, 1e-100, 1e-300, *CERTAIN]


def cells(concept, count):
    rng = np.random.default_rng(2013)
    for beta in BETAS:
        for _ in range(count):
            yield {
                "d": int(np.exp(rng.uniform(np.log(16), np.log(300)))),
                "epsilon": float(np.round(np.exp(rng.uniform(np.log(0.3), np.log(3))), 3)),
                "alpha": float(np.round(rng.uniform(0.05, 0.3), 3)),
                "beta": beta,
            }


SLOW = 1e-50
"""Below this beta these laws take seconds a number."""
SLOW_LEARNERS = {"tree", "tree-2", "ranks-coarse", "sq-laplace", "sq-gauss"}


@pytest.mark.parametrize(("concept", "entry", "learner"), GUARANTEED)
def test_need_is_at_most_the_guarantee(concept, entry, learner):
    compared = 0
    slack = catalog.learner(concept, learner).privacy_slack
    for cell in ({**cell, "delta": slack} for cell in cells(concept, 1)):
        if learner in SLOW_LEARNERS and cell["beta"] < SLOW:
            continue
        promised = least(entry, concept, **cell)
        if not math.isnan(promised) and learner != "noise-boosted":
            assert enough(learner, concept, **cell) <= promised, cell
            compared += 1
    assert compared > (3 if learner in SLOW_LEARNERS else 6) or learner in {
        "noise-boosted",
        "representation",
    }


@pytest.mark.whole
def test_need_of_the_tree_is_at_most_its_guarantee_at_a_tiny_beta():
    slack = catalog.learner("interval", "tree").privacy_slack
    at = [{**cell, "delta": slack} for cell in cells("interval", 1) if cell["beta"] < SLOW]
    assert len(at) == 2
    for cell in at:
        assert enough("tree", "interval", **cell) <= least("tree", "interval", **cell), cell


@pytest.mark.parametrize("beta", [1e-17, 1e-300])
def test_many_examples_leave_the_tree_the_lump_alone(beta):
    # Every count passes the largest score v, so that nothing but the lump is beside the target:
    # failure (1 - lucky) / (1 + (e^{epsilon v / 2} - 1) / C), however many examples there are.
    tree, hard = catalog.learner("interval", "tree"), catalog.distribution("interval", "hard")
    d, epsilon, delta = 51, mp.mpf(1.088), mp.mpf(1e-6)
    lump = (d + 1) * (mp.exp(epsilon / 2) - 1) / delta
    v = 3 * mp.ceil(mp.log(1 + lump * (2 / exact(beta) - 1)) / (epsilon / 2)) - 1
    wanted = 1 / (1 + (mp.exp(epsilon * v / 2) - 1) / lump)
    for m in (10**6, 10**9):
        at = setting(m, d, 1.088, 0.214, beta, delta=1e-6)
        failure = tree.success(hard, at).failure.item()
        if beta > SLOW:
            close(failure, wanted)
        else:  # about 1e-900 is no float
            assert wanted < failure <= beta


def standing(concept, entry, learner):
    """Return the first distribution of the class, or `hard`, where the learner's law is exact."""
    named = [x for x in concept.distributions if x.name == "hard"] or concept.distributions[:1]
    known = learner.laws.get(named[0].name) == "exact" and named[0].name in {
        "hard",
        *entry.valid_on,
    }
    return named[0] if known else None


BOUND = [
    pytest.param(c, b, x, id=f"{c.name}-{b.name}-{x.name}")
    for c in CONCEPTS
    for b in c.bounds
    for x in c.learners
    if b.kind == "lower" and b.constants != "rate" and b.binds(x) and standing(c, b, x)
    and x.name in {"erm", "exponential", "exponential-proper", "laplace", "geometric"}
]  # fmt: skip


@pytest.mark.parametrize(("concept", "entry", "learner"), BOUND)
def test_need_is_at_least_a_lower_bound(concept, entry, learner):
    law = standing(concept, entry, learner)
    for cell in cells(concept, 1):
        excluded = entry.least(Cell(**cell)).m
        if excluded is not None and entry.holds_on(law, Cell(**cell)):
            found = need(learner, law, **cell).m.item()
            assert math.isnan(found) or found >= excluded, (cell, found, excluded)


def test_a_beta_beyond_floats_is_refused_in_a_sentence():
    for beta in (0.9999999999999999, 1e-301):
        with pytest.raises(InputError, match="at least 1e-300 and 1 - beta at least 1e-15"):
            least("packing", beta=beta)
    assert least("packing", beta=0.999999999999999) >= 1


def test_simulated_laws_refuse_what_samples_cannot_show():
    with pytest.raises(InputError, match="rarer events do not occur in samples"):
        enough("exponential", distribution="bystanders", beta=1e-9)


@pytest.mark.parametrize(("learner", "beta"), [("noise-tuned", 1e-9), ("noise", 1e-9)])
def test_a_learner_that_is_limited_says_how_much_it_fails(learner, beta):
    found = pv.need(
        concept="point", learner=learner, d=64, epsilon=0.5, alpha=0.1, beta=beta
    )  # fmt: skip
    assert math.isnan(found.m.item())
    reason = str(found.reason.item())
    assert "fails with probability" in reason
    said, asked = (
        reason.split("probability ")[1].split(" even", maxsplit=1)[0],
        reason.rsplit(" ", 1)[1],
    )
    assert float(said) > float(asked) == beta
    assert said != asked


@pytest.mark.parametrize(
    ("cell", "holds"),
    [
        ((16, 0.5, 0.1, 0.1), True),
        ((2, 0.5, 0.5, 0.5), True),
        ((1, 0.5, 0.1, 0.1), False),  # T = 2: `hard` has no rival, c_2 always succeeds
        ((2, 0.05, 0.1, 0.7), False),  # a guess among T - 1 = 3 points is right often enough
        ((2, 0.2, 0.95, 0.1), False),  # K is nearly m, and there are 2 rivals in place of 3
    ],
)
def test_where_corollary_3_8_holds_on_the_hard_distribution(cell, holds):
    d, epsilon, alpha, beta = cell
    entry = pv.catalog.bound("point", "corollary-3.8")
    at = {"d": d, "epsilon": epsilon, "alpha": alpha, "beta": beta}
    law = pv.catalog.distribution("point", "hard")
    assert entry.holds_on(law, Cell(**at)) is holds
    assert entry.holds_on(pv.catalog.distribution("point", "single"), Cell(**at))
    if not holds:
        assert entry.least(Cell(**at)).m > pv.catalog.bound("point", "packing").least(Cell(**at)).m


@pytest.mark.parametrize(
    ("concept", "name"), [("point", "corollary-3.8"), ("interval", "lemma-5.2")]
)
def test_the_first_bounds_of_the_paper_follow_from_packing_where_they_say_so(concept, name):
    """The shortcut of `holds_on` is a theorem: its conclusion on random settings."""
    rng = np.random.default_rng(4)
    entry, sharp = pv.catalog.bound(concept, name), pv.catalog.bound(concept, "packing")
    law = pv.catalog.distribution(concept, "hard")
    compared = 0
    for _ in range(400):
        at = {
            "d": int(rng.integers(2, 9)), "epsilon": float(np.exp(rng.uniform(-4, 2))),
            "alpha": float(rng.uniform(0.02, 0.5)), "beta": float(rng.uniform(0.001, 0.5)),
        }  # fmt: skip
        if entry.holds_on(law, Cell(**at)) and entry.least(Cell(**at)).m is not None:
            assert entry.least(Cell(**at)).m <= sharp.least(Cell(**at)).m, at
            compared += 1
    assert compared > 100


def test_packing_says_that_it_says_nothing_without_rivals():
    for concept in ("point", "interval"):
        found = pv.bound(
            concept=concept, bound="packing", d=1, epsilon=0.5, alpha=0.1, beta=1e-9
        )  # fmt: skip
        assert found.m.item() == 1
        assert "no rivals" in str(found.note.item())
