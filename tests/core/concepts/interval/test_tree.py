"""The learner `tree`: its privacy by enumeration, its candidates by brute force, its numbers."""

import itertools
import math
from functools import lru_cache

import mpmath as mp
import numpy as np
import pytest
from scipy import special
from scipy.stats import binom

import privsc_core as pv
from privsc_core import catalog
from privsc_core.catalog import distribution
from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.concepts.interval import ladders
from privsc_core.concepts.interval.cascade import Occupied, Runs
from privsc_core.concepts.interval.distributions import Hard, target
from privsc_core.concepts.interval.ladders import hard_chances, ladder_law
from privsc_core.concepts.interval.learners import Search, Tree
from privsc_core.concepts.interval.nodes import Ancestors, Candidates, Scale, groups
from privsc_core.concepts.shared.sample import Sample
from privsc_core.draw.landscape import contest_picture, contest_rows
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.evaluate.landscape import Standpoint
from privsc_core.exhibits.interval.interior import (
    Solver,
    candidates,
    examples_needed,
    halved,
    halves,
    needs,
    points_needed,
    reduced,
    solved,
    threshold,
)
from privsc_core.exhibits.interval.tree import STEPS, slack_of, tree_exhibit, tree_run
from privsc_core.numerics.tails import gaussian_parameter
from privsc_core.numerics.trinomial import product_mean, two_counts
from tests.budget import assert_same_rate
from tests.core.support import law, setting
from tests.depth import deep, whole

# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere


DEFAULT = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1, "delta": 1e-6}

# --- Candidates and scores, straight from their definition --------------------------------------


def plain_candidates(d, records, most):
    """Return {t: score} over all t in [1, 2T - 1]."""
    top = 2 << d

    def margin(t):
        if t in (0, top):
            return math.inf if t == 0 else -math.inf
        return sum(x >= t for x, y in records if y) - sum(x < t for x, y in records if not y)

    found = {}
    for t in range(1, top):
        step = t & -t
        left, right = margin(t - step), margin(t + step)
        if left > 0 > right:
            mistakes = max(
                sum(x >= t for x, y in records if y), sum(x < t for x, y in records if not y)
            )
            found[t] = max(0, min(left / 2, -right / 2, most - mistakes))
    return found


def sampled(d, records):
    return Sample.of(d, [x for x, _ in records], [y for _, y in records])


def told(d, records, most):
    candidates = Candidates.of(sampled(d, records), Scale(1.0, 0.0, 1, most))
    return {candidates.node(i): s for i, s in enumerate(candidates.score.tolist())}


@pytest.mark.parametrize("d", [1, 2, 5])
def test_candidates_are_those_of_the_definition_and_one_example_moves_no_score_by_more_than_1(d):
    rng = np.random.default_rng(d)
    for _ in range(deep(150, 2000)):
        m, most = int(rng.integers(1, 20)), int(rng.integers(1, 12))
        places = rng.integers(1, (1 << d) + 1, size=4)  # few points, so that they repeat
        draw = lambda: (int(rng.choice(places)), int(rng.integers(2)))  # noqa: B023, E731
        records = [draw() for _ in range(m)]
        found = told(d, records, most)
        assert found == plain_candidates(d, records, most)
        assert len(found) <= d + 1
        moved = told(d, [draw(), *records[1:]], most)
        assert all(abs(found.get(t, 0) - moved.get(t, 0)) <= 1 for t in found | moved)


def test_a_large_domain_is_no_trouble():
    d, rng = 4096, np.random.default_rng(1)
    j = target(d, "alternating")
    records = [(j - 1, 1)] * 300 + [(j, 0)] * 300 + [(1, 1)] * 1900
    found = Tree().run(sampled(d, records), Cell(d, 1.0, 0.1, 0.1), rng)
    assert found.j == j


# --- Privacy ------------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def every_bag(d, m):
    """Return all samples as counts of records, and per sample and level (D(A), -D(B), E, t)."""
    records = list(itertools.product(range(1, (1 << d) + 1), (0, 1)))
    bags = list(itertools.combinations_with_replacement(range(len(records)), m))
    counts = np.array([np.bincount(bag, minlength=len(records)) for bag in bags])
    parts = np.full((len(bags), d + 1, 4), -np.inf)
    for row, bag in zip(parts, bags, strict=True):
        candidates = Candidates.of(sampled(d, [records[i] for i in bag]), Scale(1.0, 0.0, 1, 0))
        for place, level in enumerate(candidates.level.tolist()):
            row[level] = (
                2 * candidates.left[place], 2 * candidates.right[place], -candidates.room[place], candidates.node(place)
            )  # fmt: skip
    return counts, parts


def least_slack(d, m, epsilon, delta, most, fault=""):
    """Return the least delta over all neighbours, of the learner with a v of our own, or a broken one.

    Of the node that is drawn, or the lump. By multisets, as the order of the examples does not
    matter.
    """
    counts, parts = every_bag(d, m)
    rate = epsilon / 2
    lump = max(1.0, math.expm1(rate) / delta) * (1 if fault == "C without k" else d + 1)
    rate *= 2 if fault == "rate" else 1
    left, right, mistakes, node = np.moveaxis(parts, 2, 0)
    half = 1.0 if fault == "D not halved" else 0.5
    there = node > 0
    score = np.minimum(np.minimum(half * left, half * right), most - mistakes)
    weight = np.where(there, np.expm1(rate * np.maximum(np.where(there, score, 0), 0)), 0.0)
    table = np.full((len(counts), 2 << d), 0.0)
    table[:, 0] = lump
    for level in range(d + 1):
        here = np.flatnonzero(there[:, level])
        table[here, node[here, level].astype(int)] += weight[here, level]
    table /= table.sum(axis=1, keepdims=True)
    index = {tuple(row): i for i, row in enumerate(counts.tolist())}
    worst, factor = 0.0, math.exp(epsilon)
    for old, new in itertools.permutations(range(counts.shape[1]), 2):
        here = np.flatnonzero(counts[:, old])
        moved = counts[here].copy()
        moved[:, old] -= 1
        moved[:, new] += 1
        neighbour = np.array([index[tuple(row)] for row in moved.tolist()])
        excess = np.maximum(table[here] - factor * table[neighbour], 0.0).sum(axis=1)
        worst = max(worst, float(excess.max()))
    return worst


# (d, m), epsilon, delta, v: v so small that tiny samples reach it.
INSTANCES = [
    (1, 8, 1.0, 0.05, 6), (2, 4, 1.0, 0.05, 4), (2, 5, 0.5, 0.01, 5), whole(2, 6, 1.0, 0.05, 5),
    whole(2, 7, 1.0, 0.05, 6),
]  # fmt: skip


@pytest.mark.parametrize(("d", "m", "epsilon", "delta", "most"), INSTANCES)
def test_enumerated_neighbours_need_no_more_than_the_slack(d, m, epsilon, delta, most):
    assert 0.2 * delta < least_slack(d, m, epsilon, delta, most) <= delta


@pytest.mark.parametrize("fault", ["rate", "D not halved", "C without k"])
def test_planted_faults_are_caught(fault):
    assert least_slack(2, 6, 1.0, 0.05, 5, fault) > 0.05 * 1.05


def test_the_audit_of_its_own_instance_passes():
    found = audit(Tree(), delta=0.01)
    assert (found.private, found.delta) == (True, 0.01)


def test_without_a_slack_it_refuses_in_one_sentence():
    words = r"delta must be in \(0, 0.5\) for tree; got 0.0"
    cell = {"concept": "interval", "learner": "tree", "d": 4, "epsilon": 1.0, "alpha": 0.1}
    for ask in (
        lambda: pv.success(**cell, m=50),
        lambda: pv.need(**cell, beta=0.1),
        lambda: pv.learn(**cell, x=[1, 2], y=[1, 0]),
        lambda: pv.audit(concept="interval", learner="tree"),
        lambda: pv.reach(**(cell | {"d": 4}), wanted="m", beta=0.1),
    ):
        with pytest.raises(InputError, match=words):
            ask()
    assert (
        pv.bound(concept="interval", bound="tree", d=4, epsilon=1.0, alpha=0.1, beta=0.1)
        .reason.item()
        .startswith("says nothing for delta = 0")
    )


# --- Utility ------------------------------------------------------------------------------------


def test_some_candidate_of_a_realizable_sample_reaches_u():
    """Every realizable sample of up to 4 points (6 with --deep) at d = 2, every u up to 4."""
    for m in range(1, deep(5, 7)):
        for points in itertools.combinations_with_replacement(range(1, 5), m):
            for j, u in itertools.product(range(1, 6), range(1, 5)):
                records = [(x, int(x < j)) for x in points]
                assert max(told(2, records, 3 * u - 1).values()) >= u


# --- The law on `hard` and its numbers ----------------------------------------------------------


def on_hard(d, j, m, epsilon, delta, a, most):
    """Return success, the lump's lucky guess counted as failure."""
    right = Scale.of(d=d, epsilon=epsilon, beta=0.1, delta=delta)
    scale = Scale(right.rate, right.log_lump, right.enough, most)
    parts = groups(d, j)
    return sum(
        float((w * hard_chances(x, y, scale, parts, 0.0)[0]).sum()) for x, y, w in two_counts(m, a)
    )


# recipe: theory of 2026-11-22, by its own program; the lump counts as failure there.
@pytest.mark.parametrize(
    ("cell", "expected"),
    [((4, 3, 60, 2, 0.05, 0.2, 9), 0.47320), ((6, 21, 200, 1, 0.01, 0.15, 30), 0.60599)],
)
def test_the_law_in_five_digits(cell, expected):
    assert on_hard(*cell) == pytest.approx(expected, abs=6e-6)


@pytest.mark.parametrize("d", [5, 8])
def test_the_law_is_what_the_algorithm_gives_for_every_target(d):
    """At every j the expectation over K_L, K_R, rest of the algorithm's own chances."""
    m, epsilon, delta, a = 7, 2.0, 0.05, 0.3
    scale = Scale.of(d=d, epsilon=epsilon, beta=0.4, delta=delta)
    learner = Tree(delta=delta)
    for j in (3, 5, 8, 1 << (d - 1), (1 << d) - 3):
        total, expected = 0.0, 0.0
        lucky = 1 / ((1 << d) + 1)
        for x, y, w in two_counts(m, a):
            total += float((w * hard_chances(x, y, scale, groups(d, j), lucky)[0]).sum())
        for x in range(m + 1):
            for y in range(m + 1 - x):
                chance = math.comb(m, x) * math.comb(m - x, y) * a ** (x + y)
                chance *= (1 - 2 * a) ** (m - x - y)
                records = [(j - 1, 1)] * x + [(j, 0)] * y + [(1, 1)] * (m - x - y)
                given = learner.output_distribution(sampled(d, records), Cell(d, epsilon, a, 0.4))
                expected += chance * given[j]
        assert total == pytest.approx(expected, abs=1e-12), j


@pytest.mark.parametrize("beta", [0.2, 1e-9, 1 - 1e-9])
def test_one_count_is_enough_where_all_cells_begin_at_0(monkeypatch, beta):
    """In the middle of the domain: as the sum over both counts says, also of rare failures."""
    m, d = np.array([1, 30, 400, 1500])[:, None, None], np.array([3, 64, 2000])[:, None]
    cells = Setting(m, d, np.array([0.1, 1.0]), 0.12, beta, 1e-6)
    assert not ladders._of_right(groups(12, Hard("alternating").target(12)))
    one = ladder_law(Hard(), cells)
    monkeypatch.setattr(ladders, "_of_right", lambda _: False)
    both = ladder_law(Hard(), cells)
    assert one.value == pytest.approx(both.value, rel=0.0, abs=1e-13)
    smaller = "failure" if beta < 0.5 else "value"
    if beta != 0.2:
        assert getattr(one, smaller) == pytest.approx(getattr(both, smaller), rel=1e-12, abs=0.0)


def test_it_never_falls_with_m():
    for d, epsilon, goal in ((8, 0.5, "alternating"), (64, 1.0, "alternating"), (6, 2.0, "middle")):
        at = distribution("interval", f"hard({goal})")
        m = np.arange(1, deep(900, 4000), 3)
        values = Tree().success(at, setting(m, d, epsilon, 0.1, 0.1, delta=1e-4)).value
        assert (np.diff(values) >= -1e-13).all()


def cell(d):
    return DEFAULT | {"d": d}


def test_where_scores_end():
    ends = {8: (71, 212), 16: (74, 221), 64: (79, 236), 1024: (90, 269), 10**6: (118, 353)}
    for d, (enough, most) in ends.items():
        scale = Scale.of(d=d, epsilon=0.5, beta=0.1, delta=1e-6)
        assert (scale.enough, scale.most) == (enough, most)
        # Least: one less leaves the lump more than beta / 2.
        for u, fine in ((enough, True), (enough - 1, False)):
            lost = 1 / (1 + math.exp(float(scale.log_gain(u)) - scale.log_lump))
            assert (lost <= 0.05) is fine


# recipe: theory of 2026-11-22, Rao-Blackwell there (± 25).
@pytest.mark.parametrize(
    ("name", "expected"),
    [("band(16,alternating)", 1125), ("uniform(alternating)", 1044), ("uniform", 345)],
)
def test_least_numbers_elsewhere(name, expected):
    found = pv.need(concept="interval", learner="tree", distribution=name, trials=500, **cell(64))
    assert found.m == pytest.approx(expected, rel=0.035)


def test_few_levels_stand_for_many():
    """At d = 300 groups of levels are merged; at d = 256 none is: the law hardly moves."""
    for name in ("uniform(alternating)", "band(16,alternating)", "band(1024,0.3,alternating)"):
        at = distribution("interval", name)
        near, far = (
            law(Tree(), at, 1000, d, 0.5, 0.1, 0.1, delta=1e-6, trials=250) for d in (256, 300)
        )
        assert near == pytest.approx(far, abs=0.05)


def test_the_bound_holds_on_random_distributions():
    """On random masses over 2^4 points: the failure given the sample, on average over samples."""
    rng = np.random.default_rng(5)
    d, epsilon, alpha, beta, delta = 4, 2.0, 0.2, 0.2, 0.01
    m = int(pv.bound(
        concept="interval", bound="tree", d=d, epsilon=epsilon, alpha=alpha, beta=beta, delta=delta
    ).m)  # fmt: skip
    learner, lost = Tree(delta=delta), []
    for j in range(1, 18):
        masses = rng.dirichlet(np.full(16, 0.3))
        for _ in range(deep(4, 40)):
            x = (1 + rng.choice(16, size=m, p=masses)).tolist()
            chances = learner.output_distribution(
                Sample.of(d, x, [int(p < j) for p in x]), Cell(d, epsilon, alpha, beta)
            )
            lost.append(sum(
                share for t, share in chances.items()
                if masses[min(t, j) - 1 : max(t, j) - 1].sum() > alpha
            ))  # fmt: skip
    # The proof leaves a factor of about 3.
    assert 0 < np.mean(lost) <= beta


# --- The cascade --------------------------------------------------------------------------------


# recipe: theory of 2026-11-22, section 4 (± 2 %).
@pytest.mark.parametrize(("d", "tree", "pure"), [(8, 950, 94), (16, 1530, 180), (64, 1670, 470)])
def test_on_the_cascade_every_scale_counts(d, tree, pure):
    for learner, expected in (("tree", tree), ("exponential", pure)):
        found = pv.need(
            concept="interval", learner=learner, distribution="cascade", trials=500, **cell(d)
        )
        assert found.m == pytest.approx(expected, rel=0.02 + 3 / expected)


def runs_and_ladder(d, m, alpha, scale, rng, trials=5):
    """Return the chances of the same samples by runs and by all levels."""
    law = distribution("interval", "cascade")
    ancestors, scales, keep = Ancestors.of(law, d, alpha), d - 2, min(m, 2 * scale.most)
    counts = rng.multinomial(m, np.full(2 * scales, 0.5 / scales), size=trials)
    until = np.cumsum(counts.reshape(trials, 2, scales), axis=2)
    sizes = [np.rint(np.cumsum(side) * 2 * scales).astype(int) for side in ancestors.shells]
    padded = np.pad(until, ((0, 0), (0, 0), (1, 0)))
    within = [np.pad(padded[:, side, size], ((0, 0), (1, 0))) for side, size in enumerate(sizes)]
    rows = []
    for trial, (left, right) in enumerate(np.minimum(until, keep)):
        rows.append((trial, -1, 0, 0))
        steps = np.diff(left + right, prepend=0)
        rows += [(trial, i, left[i], right[i]) for i in np.flatnonzero(steps)]
    found = Runs.of(law, d, alpha).chances(Occupied(*np.array(rows).T), scale)
    return found, ancestors.chances(np.concatenate(within, axis=1), scale)


def test_runs_between_occupied_scales_are_all_levels():
    """Every d from 8 to 64, at random settings and scores that end early."""
    rng = np.random.default_rng(11)
    spread = []
    for d in range(8, 65, deep(4, 1)):
        for alpha in (0.02, 0.2, 0.5):
            right = Scale.of(
                d=d,
                epsilon=float(np.exp(rng.uniform(-1, 2))),
                beta=0.1,
                delta=10 ** -rng.uniform(1, 8),
            )
            scale = Scale(right.rate, right.log_lump, 1, int(rng.integers(3, 80)))
            by_runs, by_levels = runs_and_ladder(d, int(rng.integers(1, 500)), alpha, scale, rng)
            assert by_runs == pytest.approx(by_levels, abs=1e-12), (d, alpha)
            spread += by_runs.tolist()
    assert np.ptp(spread) > 0.9


def test_points_next_to_the_step_are_drawn_as_samples_are():
    """The law by runs against plain runs of the learner, and against a smaller sample."""
    law, learner, d, m, runs = distribution("interval", "cascade"), Tree(delta=1e-3), 12, 200, 1200
    rng, cell = np.random.default_rng(2), {"epsilon": 2.0, "alpha": 0.1, "beta": 0.1}
    scale, by_runs = learner.scale(d, 2.0, 0.1), Runs.of(law, d, 0.1)

    def drawn(size):
        found = by_runs.draw(size, 4000, by_runs.kept(size, scale, 2.0), rng)
        return int((rng.random(4000) < by_runs.chances(found, scale)).sum())

    outputs = (
        learner.run(law.draw(m=m, d=d, alpha=0.1, rng=rng), Cell(d, **cell), rng)
        for _ in range(runs)
    )
    wins = sum(law.succeeds(found, d=d, alpha=0.1) for found in outputs)
    assert 0.1 < wins / runs < 0.9
    assert_same_rate(wins, runs, drawn(m), 4000)
    with pytest.raises(AssertionError):
        assert_same_rate(wins, runs, drawn(3 * m // 5), 4000)


# recipe: theory of 2026-11-22, section 4 (± 2 %): 2200 and 2630; here of 2,000 samples each.
def test_the_cascade_at_a_million_bits():
    who = {"concept": "interval", "learner": "tree", "distribution": "cascade", "trials": 500}
    for d, m in ((10**4, 2187), (10**6, 2583)):
        below, above = (pv.success(**who, m=n, **cell(d)).value.item() for n in (m - 60, m + 60))
        assert below < 0.9 < above
    assert float(pv.success(**(who | {"learner": "atoms"}), m=2000, **cell(10**6)).value) < 1e-3


def test_the_cascade_has_its_domain():
    at = {"concept": "interval", "distribution": "cascade", "m": 9}
    with pytest.raises(InputError, match="d must be at most 16384 on cascade to weigh all"):
        pv.success(**at, learner="exponential", **cell(20_000))
    with pytest.raises(InputError, match="d must be at most 4096 for a sample of cascade"):
        distribution("interval", "cascade").draw(
            m=9, d=5000, alpha=0.1, rng=np.random.default_rng(1)
        )
    strict = cell(10**6) | {"epsilon": 1e-3}
    with pytest.raises(
        InputError, match=r"epsilon must be at least .* to simulate here; got 0.001"
    ):
        pv.success(**(at | {"m": 10**5}), learner="tree", **strict)


# --- The baseline: noisy binary search ----------------------------------------------------------


def searched(d, m, epsilon, delta, a, ones):
    """Return E[Phi(K_L / s)^r Phi(K_R / s)^(d + 1 - r)]."""
    spread = Search(delta=delta).spread(d, epsilon)
    return product_mean(
        m, a, lambda k: special.ndtr(k / spread) ** ones,
        lambda k: special.ndtr(k / spread) ** (d + 1 - ones),
    )  # fmt: skip


def test_the_search_in_the_digits_of_the_theory():
    assert gaussian_parameter(0.5, 1e-6) == pytest.approx(0.124106, abs=6e-7)
    assert Search(delta=0.01).spread(6, 2.0) == pytest.approx(5.90666, abs=6e-6)
    assert searched(6, 60, 2.0, 0.01, 0.2, 3) == pytest.approx(0.78572, abs=6e-6)
    # recipe: theory of 2026-11-22, section 4, at r = (d+1)/2 ones, rounded down.
    for d, epsilon, alpha, delta, m in (
        (8, 0.5, 0.1, 1e-6, 1120), (16, 0.5, 0.1, 1e-6, 1690), (64, 0.5, 0.1, 1e-6, 3862),
        (1024, 0.5, 0.1, 1e-6, 19211), (64, 1, 0.1, 1e-6, 2043), (1024, 0.1, 0.1, 1e-6, 86351),
        (1024, 0.5, 0.05, 1e-6, 38428), (16, 2, 0.2, 1e-3, 161),
    ):  # fmt: skip
        ones = (d + 1) // 2
        assert searched(d, m, epsilon, delta, alpha, ones) >= 0.9
        assert searched(d, m - 1, epsilon, delta, alpha, ones) < 0.9
    who = {"concept": "interval", "learner": "search"}
    # recipe: by quadrature with normal counts there (± 0.1 %).
    for d, m in ((10**4, 68_600), (10**6, 836_000)):
        assert pv.need(**who, **cell(d), target="alternating").m == pytest.approx(m, rel=1e-3)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 1e-6), (3.0, 0.1), (1e-3, 1e-12), (50, 0.3)])
def test_the_gaussian_slack_in_forty_digits(epsilon, delta):
    mu = gaussian_parameter(epsilon, delta)
    mp.mp.dps = 40
    e, x = mp.mpf(epsilon), mp.mpf(mu)
    slack = mp.ncdf(-e / x + x / 2) - mp.exp(e) * mp.ncdf(-e / x - x / 2)
    assert float(slack) == pytest.approx(delta, rel=1e-9)


@pytest.mark.parametrize(("d", "m"), [(1, 5), (2, 4), (3, 3)])
def test_the_search_is_private_and_half_of_its_noise_is_not(d, m):
    class HalfNoise(Search):
        def spread(self, d, epsilon):
            return super().spread(d, epsilon) / 2

    right = audit(Search(), delta=0.05, d=d, m=m)
    assert right.private
    assert right.least_delta > 0.01
    assert not audit(HalfNoise(), delta=0.05, d=d, m=m).private


def test_the_search_refuses_to_be_pure():
    with pytest.raises(InputError, match=r"delta must be in \(0, 0.5\) for search; got 0.0"):
        pv.need(concept="interval", learner="search", d=4, epsilon=1.0, alpha=0.1, beta=0.1)


# The candidates of the tree, the contest, and the interior point problem, each by another route.


AT = Standpoint(epsilon=0.5, alpha=0.1, beta=0.1, delta=1e-6)
RUN = {"law": "cascade", "d": 8, "m": 1000, "seed": 1, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}

# --- The candidates -----------------------------------------------------------------------------


def records(side):
    """Return the examples of a side as pairs."""
    each = zip(side.points, side.ones.tolist(), side.zeros.tolist(), strict=True)
    return [(x, y) for x, ones, zeros in each for y in [1] * ones + [0] * zeros]


@pytest.mark.parametrize(
    "over",
    [
        {"delta": 1e-6, "change": "flip", "example": 3},
        {"d": 6, "m": 12, "delta": 0.01, "change": "move", "example": 2, "place": 64},
        {"law": "hard", "d": 4, "m": 9, "delta": 0.05, "change": "flip"},
        {"law": "hard", "d": 5, "m": 40, "delta": 0.01, "change": "move", "example": 99},
    ],
    ids=["many", "few", "flip", "last"],
)
def test_rungs_are_those_of_the_definition_and_chances_those_of_the_learner(over):
    cell = RUN | over
    d, m, delta = (cell[name] for name in ("d", "m", "delta"))
    for seed in range(1, deep(3, 6)):
        found = tree_run(**(cell | {"seed": seed}))
        learner = Tree(delta=delta, apart=True)
        excess = []
        for side in (found.here, found.there):
            told = records(side)
            assert len(told) == m
            plain = plain_candidates(d, told, found.scale.most)
            assert {r.node: r.score for r in side.candidates} == plain
            assert all(r.low < r.node < r.high for r in side.candidates)
            sample = Sample.of(d, [x for x, _ in told], [y for _, y in told])
            chances = learner.output_distribution(sample, Cell(sample.d, 0.5, 0.1, 0.1))
            assert chances["lump"] == pytest.approx(side.lump, abs=1e-12)
            for one in side.candidates:
                assert chances[one.node] == pytest.approx(one.chance, abs=1e-12)
            excess.append(chances)
        lost = max(
            sum(max(p - math.exp(0.5) * b[t], 0.0) for t, p in a.items())
            for a, b in (excess, excess[::-1])
        )
        assert slack_of(found) == pytest.approx(lost, abs=1e-15)
        assert slack_of(found) <= delta
        assert found.moved <= 1
        assert found.appeared <= delta / (d + 1)
        old, new = (sorted(records(side)) for side in (found.here, found.there))
        assert sum(old.count(record) > new.count(record) for record in set(old)) <= 1


def test_a_ladder_without_a_slack_has_that_of_its_learner_and_steps_add_up():
    at = {"change": "none", "example": 1, "place": 1}
    last = None
    for number, step in enumerate(STEPS, start=1):
        last = tree_exhibit(**RUN, **at, delta=0.0, step=step)
        assert len(last.said) == number
        shown = {t["name"] for t in last.scores.figure["data"]}
        assert ("v − E(t)" in shown) == (number >= 3)
        assert ("score" in shown) == (number >= 4)
    assert last.promised == "10⁻⁶"
    assert tree_run(**RUN, delta=0.0).target == target(8, "alternating") == 85


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        ({"law": "x"}, "law must be one of cascade, hard; got x."),
        ({"d": 9}, r"d must be in \[4, 8\] to show every candidate; got 9."),
        ({"change": "x"}, "change must be one of none, flip, move; got x."),
    ],
)
def test_what_no_ladder_has_is_refused_in_a_sentence(over, sentence):
    with pytest.raises(InputError, match=sentence):
        tree_run(**(RUN | over), delta=1e-6)


# --- Hard for whom ------------------------------------------------------------------------------

# recipe: theory of 2026-11-22, sections 4 and 5, d = 64; simulated there within 25.
CONTEST = {
    "hard(alternating)": {"atoms": 668, "tree": 1894},
    "cascade": {"exponential": 470, "tree": 1670},
    "band(16,0.5,alternating)": {"exponential": 729, "tree": 1125},
    "uniform(alternating)": {"exponential": 101, "atoms": math.nan, "tree": 1044},
}


def test_the_contest_has_the_numbers_of_the_theory_and_of_the_core():
    found, picture = contest_picture(AT, "interval", "uniform", 64)
    labels = [label for _, label in found.contest.laws]
    for label, known in CONTEST.items():
        for learner, m in known.items():
            row, column = labels.index(label), found.contest.learners.index(learner)
            here = found.m[row, column]
            assert here == pytest.approx(m, rel=0.03, nan_ok=True)
            if found.exact[row, column]:
                own = pv.need(
                    concept="interval", learner=learner, distribution=label, d=64, epsilon=0.5,
                    alpha=0.1, beta=0.1, delta=1e-6,
                ).m  # fmt: skip
                np.testing.assert_equal(here, float(own))
    assert contest_rows(found)[3][1:3] == ["≈ 101", "never"]
    at = {curve.name: curve.at for curve in found.curves.learners}
    assert at["tree"] == found.m[3, 2]
    assert "uniform" in picture.title
    assert contest_picture(AT, "interval", "nonsense", 64)[0].word == "hard"


# --- The interior point problem -----------------------------------------------------------------


def plain(points, d):
    """Return {t: score}, straight from the definition."""
    h, top = len(points) // 2, 4 << d

    def odd(t):
        return h - sum(2 * x < t for x in points)

    def margin(t):
        if t in {0, top}:
            return math.inf if t == 0 else -math.inf
        return odd(t) if t % 2 else sorted((odd(t - 1), odd(t + 1), 0))[1]

    found = {}
    for t in range(1, top):
        step = t & -t
        if margin(t - step) > 0 > margin(t + step):
            found[t] = max(0, min(margin(t - step), -margin(t + step), h - abs(margin(t))))
    return found


CONTEST_INSTANCES = [(1, 8), (2, 6), (3, 4)]


@lru_cache(maxsize=3)
def every(d, n):
    return {
        points: plain(points, d)
        for points in itertools.combinations_with_replacement(range(1, (1 << d) + 1), n)
    }


@pytest.mark.parametrize(("d", "n"), CONTEST_INSTANCES)
def test_candidates_are_those_of_the_definition_few_and_inside(d, n):
    for points, scores in every(d, n).items():
        assert candidates(points, d) == scores
        assert len(scores) <= d + 1
        assert all(points[0] <= t // 2 <= points[-1] for t, score in scores.items() if score)


def least_contest_slack(d, n, epsilon, delta, fault=""):
    """Return the least delta over all neighbours of the node that is drawn, or of a broken solver."""
    solver = Solver.of(d, epsilon, delta)
    lump = math.exp(solver.log_lump) / (d + 1 if fault == "C without k" else 1)
    rate = epsilon if fault == "rate" else solver.rate
    table = {}
    for points, scores in every(d, n).items():
        weights = {0: lump} | {t: math.expm1(rate * score) for t, score in scores.items()}
        table[points] = {t: w / sum(weights.values()) for t, w in weights.items()}
    worst = 0.0
    for points, chances in table.items():
        for i, x in itertools.product(range(n), range(1, (1 << d) + 1)):
            other = table[tuple(sorted((*points[:i], x, *points[i + 1 :])))]
            worst = max(worst, sum(
                max(p - math.exp(epsilon) * other.get(t, 0.0), 0.0) for t, p in chances.items()
            ))  # fmt: skip
    return worst


@pytest.mark.parametrize(("d", "n"), CONTEST_INSTANCES)
def test_the_solver_is_private_by_enumeration(d, n):
    assert 0.2 * 0.05 < least_contest_slack(d, n, 1.0, 0.05) <= 0.05


@pytest.mark.parametrize("fault", ["rate", "C without k"])
def test_a_broken_solver_is_caught(fault):
    assert max(least_contest_slack(d, n, 1.0, 0.05, fault) for d, n in CONTEST_INSTANCES) > 0.05


def test_so_many_points_suffice_on_every_input():
    d, epsilon, delta, beta = 2, 4.0, 0.3, 0.3
    n = points_needed(d, epsilon, delta, beta)
    assert n <= 14
    solver = Solver.of(d, epsilon, delta)
    for points in itertools.combinations_with_replacement(range(1, 5), n):
        outputs, lump = solved(points, solver)
        assert lump <= beta
        inside = sum(p for z, p in outputs.items() if points[0] <= z <= points[-1])
        assert inside + lump == pytest.approx(1)


# recipe: theory of 2026-11-22, section 4, by a program of its own.
NEEDED = {
    8: (270, 3173), 16: (282, 3278), 64: (302, 3510), 1024: (346, 3972), 10**4: (382, 4349),
    10**6: (458, 5122),
}  # fmt: skip


def test_least_numbers_of_the_contest():
    for d, (points, examples) in NEEDED.items():
        assert points_needed(d, 0.5, 1e-6, 0.1) == points
        assert examples_needed(d, 0.5, 0.1, 0.1, 1e-6) == examples
        h = points_needed(d + 1, *halved(0.5, 1e-6), 0.05) // 2
        enough = [binom.cdf(h - 1, m, 0.1) <= 0.025 for m in (examples - 1, examples)]
        assert enough == [False, True]
    shown = needs(0.5, 0.1, 0.1, 0.0).table
    assert shown["reduction"][shown["d"].index(64)] == 3510
    assert shown["tree"][shown["d"].index(1024)] == 2471


def test_the_reduction_errs_little_and_changes_two_entries_at_most():
    """Every realizable sample: mistakes. Every sample and neighbour: how many entries differ."""
    for d, m, h in ((1, 3, 1), (2, 3, 2), (2, 4, 1)):
        cells = list(itertools.product(range(1, (1 << d) + 1), (0, 1)))
        entries = {}
        for bag in itertools.combinations_with_replacement(cells, m):
            sample = Sample.of(d, [x for x, _ in bag], [y for _, y in bag])
            entries[bag] = sorted(halves(sample, h))
        for bag, given in entries.items():
            for i, cell in itertools.product(range(m), cells):
                other = list(entries[tuple(sorted((*bag[:i], cell, *bag[i + 1 :])))])
                for one in given:
                    if one in other:
                        other.remove(one)
                assert len(other) <= 2
            ones, zeros = ([x for x, y in bag if y == label] for label in (1, 0))
            if max(ones, default=0) < min(zeros, default=(1 << d) + 1):
                for z in range(given[0], given[-1] + 1):
                    assert sum((x < threshold(z)) != y for x, y in bag) <= h - 1


def test_a_run_of_the_reduction_says_what_can_come_out():
    run = reduced(700, 1, 0.5, 0.1, 0.0)
    assert (run.h, run.allowed) == (283, 282)
    assert run.mistakes <= run.allowed
    assert sum(run.picture.table["probability"]) == pytest.approx(1, abs=1e-6)
    assert catalog.distribution("interval", "cascade").target(6) == 21
    assert 21 in run.picture.table["threshold"]


def test_an_odd_number_of_points_is_refused():
    with pytest.raises(InputError, match="points must be even in number, at least 2; got 3"):
        candidates([1, 2, 3], 2)
