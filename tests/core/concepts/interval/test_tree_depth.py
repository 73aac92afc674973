"""Deeper trees of thresholds: their numbers, privacy, candidates and laws, each by another route."""

import itertools
import math
import statistics
from collections import defaultdict
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import privsc_core as pv
from privsc_core.catalog import distribution
from privsc_core.concepts.contracts import Cell, Setting
from privsc_core.concepts.interval.bounds.finite import TreeBound
from privsc_core.concepts.interval.deeper import Step, hard_by_paths, hard_by_regimes, regimes
from privsc_core.concepts.interval.distributions import target
from privsc_core.concepts.interval.ladders import Grown, on_hard
from privsc_core.concepts.interval.learners import Tree, Tree2, Tree3
from privsc_core.concepts.interval.nodes import Candidates, Scale, candidates_most
from privsc_core.concepts.shared.sample import Sample
from privsc_core.errors import InputError
from privsc_core.evaluate.audit import audit
from privsc_core.numerics.trinomial import two_counts
from tests.budget import assert_rate, power
from tests.depth import deep, whole

DEFAULT = {"epsilon": 0.5, "beta": 0.1, "delta": 1e-6}
AT = Cell(1, 0.5, 0.1, 0.1, 1e-6)


# --- The numbers of every depth (recipe: theory of 2026-11-29, sections 2 and 4) -----------------


@pytest.mark.parametrize(
    ("d", "needs", "enough", "candidates"),
    [
        (8, (1835, 3411, 6765, 13_628), (71, 71, 73), (9, 9, 15)),
        (64, (2102, 3524, 6765, 13_628), (79, 73, 73), (65, 15, 15)),
        (1024, (2471, 3630, 6864, 13_821), (90, 75, 74), (1025, 23, 19)),
        (10**4, (2775, 3684, 6864, 13_821), (99, 76, 74), (10_001, 29, 19)),
        (10**6, (3401, 3748, 6960, 13_821), (118, 77, 75), (1_000_001, 41, 23)),
    ],
)
def test_what_each_depth_guarantees(d, needs, enough, candidates):
    found = [TreeBound(depth=r).least(Cell(d, 0.5, 0.1, 0.1, 1e-6)).m for r in (1, 2, 3, 4)]
    assert found == list(needs)
    scales = [Scale.of(d=d, depth=r, **DEFAULT) for r in (1, 2, 3)]
    assert [scale.enough for scale in scales] == list(enough)
    assert [candidates_most(r, d)[0] for r in (1, 2, 3)] == list(candidates)
    # v, theta_1 and theta_2, written out.
    one, two, three = enough
    assert [scale.most for scale in scales] == [3 * one - 1, 5 * two - 2, 9 * three - 4]
    assert [scale.centres for scale in scales] == [
        (), (3 * two - 1,), (5 * three - 2, 2 * three - 1)
    ]  # fmt: skip


BEYOND = {
    24: (3775, 3798, 6960, 13_821), 25: (3871, 3801, 6960, 13_821), 26: (3968, 3804, 6960, 13_821),
    32: (4516, 3856, 7054, 13_821), 64: (7495, 4019, 7065, 13_821),
    256: (25_339, 4309, 7164, 14_008), 1024: (96_745, 4635, 7259, 14_008),
    2**20: (97_481_398, 6194, 7470, 14_192),
}  # fmt: skip


def test_domains_beyond_every_float_are_told_by_the_log_of_their_levels():
    for place, r in enumerate((1, 2, 3, 4)):
        found = TreeBound(depth=r).leasts_over(list(BEYOND), AT)
        assert found.tolist() == [row[place] for row in BEYOND.values()]
    few = {2**26: (7101, 7570), 2**28: (7427, 7657), 2**29: (7591, 7659), 2**30: (7717, 7661)}
    few[2**32] = 8044, 7666
    for place, r in enumerate((2, 3)):
        found = TreeBound(depth=r).leasts_over(list(few), AT)
        assert found.tolist() == [row[place] for row in few.values()]


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_both_ways_to_tell_a_domain_agree_and_nothing_falls_with_it(depth):
    bound = TreeBound(depth=depth)
    bits = [2**L - 1 for L in range(1, 20)]
    plain = [bound.least(Cell(d, 0.5, 0.1, 0.1, 1e-6)).m for d in bits]
    assert bound.leasts_over(np.log2(np.array(bits) + 1), AT).tolist() == plain
    levels = np.sort(np.exp2(np.random.default_rng(depth).uniform(0, 32, 200)))
    rising = bound.leasts_over(levels, AT)
    assert (np.diff(rising) >= 0).all()
    assert rising[-1] > rising[0] > 0
    # An integer of 2^53 levels and the float beside it are one size.
    assert candidates_most(depth, 2**53 - 1)[1] == pytest.approx(candidates_most(depth, 1, 53)[1])


@pytest.mark.parametrize(
    ("over", "levels", "needs"),
    [
        ({}, 25, (3871, 3801)), ({"delta": 1e-12}, 39, (6407, 6369)),
        ({"delta": 1e-9}, 32, (5139, 5105)), ({"delta": 1e-4}, 20, (2999, 2939)),
        ({"delta": 1e-3}, 17, (2507, 2486)), ({"epsilon": 1.0}, 26, (2244, 2204)),
        ({"epsilon": 1.0, "alpha": 0.2}, 26, (1099, 1080)), ({"beta": 0.01}, 27, (4373, 4354)),
    ],
)  # fmt: skip
def test_where_the_second_depth_begins_to_pay(over, levels, needs):
    at = Cell(**({"d": 1, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1, "delta": 1e-6} | over))
    every = np.arange(3, 64)
    one, two = (TreeBound(depth=r).leasts_over(every, at) for r in (1, 2))
    first = int(np.argmax(two < one))
    assert (every[first], one[first], two[first]) == (levels, *needs)
    assert not (two < one)[:first].any()


def test_a_size_that_no_tree_has_is_refused_in_a_sentence():
    for wrong in (0.0, -1.0, 2.0**33, np.nan):
        with pytest.raises(InputError, match=r"log2_d must be in \(0, 4294967296\]; got"):
            TreeBound(depth=2).leasts_over([3.0, wrong], AT)
    with pytest.raises(InputError, match=r"delta must be in \(0, 0.5\) for tree-2; got 0.0"):
        TreeBound(depth=2).leasts_over([3.0], Cell(1, 0.5, 0.1, 0.1))


# --- Paths and scores, straight from their definition ----------------------------------------------


def plain_stages(d, records, centres, half):
    """Return (n, g, e) of every stage, over all of its positions."""
    size, top = 1 << d, 2 << d

    def counts(t):
        t = min(t, size + 1)
        above, below = ([x for x, y in records if y == label] for label in (1, 0))
        return sum(x >= t for x in above), sum(x < t for x in below)

    ends = [counts(t) for t in range(1, top)]
    rising = [-math.inf, *(-half * (p - n) for p, n in ends), math.inf]
    stages = [(d + 1, rising, [math.inf, *map(max, ends), math.inf])]
    for centre in centres:
        n, _, errs = stages[-1]
        length = 1 + math.ceil(math.log2(n))
        even = [-math.inf, *(min(errs[:: 1 << level]) - centre for level in range(1, n))]
        even += [math.inf] * ((1 << length - 1) + 1 - n)
        odd = [statistics.median((a, b, 0)) for a, b in itertools.pairwise(even)]
        rising = [even[0], *itertools.chain.from_iterable(zip(odd, even[1:], strict=True))]
        stages.append((length, rising, [abs(value) for value in rising]))
    return stages


def cells(stage, level):
    """Yield the ends of the cells of a level where g changes its sign, and their margin."""
    length, rising, _ = stage
    for low in range(0, 1 << length, 1 << level):
        high = low + (1 << level)
        if level <= length and rising[low] < 0 < rising[high]:
            yield low, high, min(-rising[low], rising[high])


def plain_paths(d, records, centres, most, half=0.5):
    """Return {path: (t, score)}: every position of every stage is looked at."""
    stages = plain_stages(d, records, centres, half)
    found = {}

    def down(stage, path, score, *, alone):
        position = path[-1]
        if not 0 < position < 1 << stages[stage][0]:
            return
        if stage == 0:
            found[path] = position, max(0, min(score, most - stages[0][2][position]))
            return
        for low, high, margin in cells(stages[stage - 1], -(-position // 2)):
            ways = [] if alone else [low, high]
            ways += [(low + high) // 2] if alone or position % 2 else []
            for way in ways:
                down(stage - 1, (*path, way), min(score, margin), alone=False)

    for level in range(1, stages[-1][0] + 1):
        for low, high, margin in cells(stages[-1], level):
            down(len(centres), ((low + high) // 2,), margin, alone=level == 1)
    return found


def sampled(d, records):
    return Sample.of(d, [x for x, _ in records], [y for _, y in records])


def scores(pairs):
    found = defaultdict(list)
    for t, score in pairs:
        if score > 0:
            found[t].append(score)
    return {t: sorted(values) for t, values in found.items()}


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_candidates_are_the_ends_of_paths_and_one_example_moves_no_score_by_more_than_1(depth):
    rng, most_seen = np.random.default_rng(depth), 0
    for _ in range(deep(250, 4000)):
        d, m = int(rng.integers(1, 6)), int(rng.integers(1, 25))
        centres = tuple(rng.integers(1, 9, size=depth - 1).tolist())
        scale = Scale(1.0, 0.0, 1, int(rng.integers(1, 14)), centres)
        places = rng.integers(1, (1 << d) + 1, size=4)
        draw = lambda: (int(rng.choice(places)), int(rng.integers(2)))  # noqa: B023, E731
        records = [draw() for _ in range(m)]
        if rng.random() < 0.5:  # consistent with some threshold
            j = int(rng.integers(1, (1 << d) + 2))
            records = [(x, int(x < j)) for x, _ in records]
        plain = plain_paths(d, records, centres, scale.most)
        found = Candidates.of(sampled(d, records), scale)
        pairs = [(found.node(i), score) for i, score in enumerate(found.score.tolist())]
        assert scores(pairs) == scores(plain.values())
        assert len(pairs) <= candidates_most(depth, d)[0]
        most_seen = max(most_seen, sum(map(len, scores(pairs).values())))
        moved = plain_paths(d, [draw(), *records[1:]], centres, scale.most)
        for path in plain.keys() | moved.keys():
            assert abs(plain.get(path, (0, 0))[1] - moved.get(path, (0, 0))[1]) <= 1
    assert most_seen >= 4


def test_some_candidate_of_a_realizable_sample_reaches_u_and_no_more_is_sure():
    rng, slack = np.random.default_rng(7), []
    for _ in range(deep(1500, 40_000)):
        d, m, u = int(rng.integers(1, 8)), int(rng.integers(1, 60)), int(rng.integers(1, 4))
        depth = int(rng.integers(2, 4))
        centres = {2: (3 * u - 1,), 3: (5 * u - 2, 2 * u - 1)}[depth]
        scale = Scale(1.0, 0.0, u, {2: 5 * u - 2, 3: 9 * u - 4}[depth], centres)
        places = rng.integers(1, (1 << d) + 1, size=int(rng.integers(1, 6)))
        j = int(rng.integers(1, (1 << d) + 2))
        x = rng.choice(places, size=m).tolist()
        best = Candidates.of(Sample.of(d, x, [int(p < j) for p in x]), scale).score.max()
        slack.append(best - u)
    assert min(slack) == 0


# --- Privacy, by enumeration -----------------------------------------------------------------------


@lru_cache(maxsize=2)
def bags(d, m):
    records = list(itertools.product(range(1, (1 << d) + 1), (0, 1)))
    every = list(itertools.combinations_with_replacement(range(len(records)), m))
    counts = np.array([np.bincount(bag, minlength=len(records)) for bag in every])
    return records, every, counts


def least_slack(d, m, centres, most, *, fault=""):
    """Return the least delta over all neighbours, of the learner or a broken one; outputs are t and the lump."""
    records, every, counts = bags(d, m)
    epsilon, delta = 1.0, 0.05
    rate = epsilon / 2
    number = 1 if fault == "k forgotten" else candidates_most(len(centres) + 1, d)[0]
    lump = number * max(1.0, math.expm1(rate) / delta)
    table = np.zeros((len(every), 2 << d))
    for row, bag in enumerate(every):
        sample = [records[i] for i in bag]
        positives = sum(y for _, y in sample)
        here = (
            tuple(c + 4 * (positives % 2) for c in centres)
            if fault == "theta of the data"
            else centres
        )
        last = 1 + 5 * (positives % 2) if fault == "v of the data" else most
        half = 1.0 if fault == "D not halved" else 0.5
        table[row, 0] = lump
        for t, score in plain_paths(d, sample, here, last, half).values():
            table[row, t] += math.expm1(rate * score)
    table /= table.sum(axis=1, keepdims=True)
    index, worst = {tuple(row): i for i, row in enumerate(counts.tolist())}, 0.0
    for old, new in itertools.permutations(range(len(records)), 2):
        here = np.flatnonzero(counts[:, old])
        moved = counts[here].copy()
        moved[:, old] -= 1
        moved[:, new] += 1
        there = np.array([index[tuple(row)] for row in moved.tolist()])
        excess = np.maximum(table[here] - math.exp(epsilon) * table[there], 0.0).sum(axis=1)
        worst = max(worst, float(excess.max()))
    return worst


# Of depth 2: (d, m), theta, v; v and theta so small that tiny samples reach them.
SECOND = [
    (1, 8, (2,), 4), (2, 5, (1,), 3), whole(2, 6, (2,), 4), whole(2, 7, (1,), 4),
    whole(3, 4, (1,), 3), whole(3, 5, (1,), 3),
]  # fmt: skip
THIRD = [
    (1, 8, (1, 1), 4),
    (2, 5, (1, 1), 4),
    whole(2, 6, (1, 1), 4),
    whole(2, 7, (1, 1), 4),
    whole(3, 5, (1, 1), 4),
]


@pytest.mark.parametrize(("d", "m", "centres", "most"), [*SECOND, *THIRD])
def test_enumerated_neighbours_need_no_more_than_the_slack(d, m, centres, most):
    assert 0.2 * 0.05 < least_slack(d, m, centres, most) <= 0.05


# recipe: theory of 2026-11-29, section 4, 10: by its own enumeration.
@pytest.mark.parametrize(
    ("d", "m", "most", "fault", "expected"),
    [
        whole(3, 4, 3, "", 0.047619), whole(2, 7, 4, "", 0.038462),
        whole(2, 7, 4, "k forgotten", 0.166667), whole(2, 7, 4, "D not halved", 0.053467),
    ],
)  # fmt: skip
def test_the_least_slack_in_five_digits(d, m, most, fault, expected):
    assert least_slack(d, m, (1,), most, fault=fault) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("fault", ["k forgotten", "theta of the data", "v of the data"])
def test_planted_faults_are_caught(fault):
    assert least_slack(2, 5, (1,), 4, fault=fault) > 1.05 * 0.05


@pytest.mark.parametrize("learner", [Tree2(), Tree3()], ids=lambda x: x.name)
def test_the_audit_of_its_own_instance_passes(learner):
    found = audit(learner, delta=0.01)
    assert (found.private, found.delta) == (True, 0.01)


# --- The laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["alternating", "middle", "any"])
def test_alike_paths_on_hard_stand_for_all(goal):
    rng = np.random.default_rng(3)
    for _ in range(deep(25, 400)):
        d, u = int(rng.integers(4, 40)), int(rng.integers(1, 6))
        j = int(rng.integers(3, 1 << d)) if goal == "any" else target(d, goal)
        scale = Scale(0.5, float(rng.uniform(0, 8)), u, 5 * u - 2, (3 * u - 1,))
        counts = np.arange(12.0 * u)
        at, step = (counts[:, None], counts[None], scale), Step.of(d, j)
        alike, each = hard_by_regimes(*at, regimes(step), 0.01), hard_by_paths(*at, step, 0.01)
        for one, other in zip(alike, each, strict=True):
            assert one == pytest.approx(other, rel=0.0, abs=1e-13)
        if goal == "alternating":
            assert regimes(Step.alternating(d)) == regimes(step)


# recipe: theory of 2026-11-29, section 4, 8: the lump counts as failure there.
@pytest.mark.parametrize(
    ("d", "m", "most", "centre", "expected"), [(6, 60, 10, 2, 0.405678), (8, 100, 14, 4, 0.901135)]
)
def test_the_law_in_six_digits(d, m, most, centre, expected):
    tree = replace(Grown.at(d, target(d, "alternating"), 2), lucky=0.0)
    right = Scale.of(d=d, epsilon=2.0, beta=0.1, delta=0.05, depth=2)
    scale = replace(right, most=most, centres=(centre,))
    found = sum(
        float((w * tree.chances(x, y, scale=scale, lucky=0.0)[0]).sum())
        for x, y, w in two_counts(m, 0.2)
    )
    assert found == pytest.approx(expected, abs=6e-7)


@pytest.mark.parametrize(
    ("name", "learner", "m", "over"),
    [
        ("hard(alternating)", "tree-2", 300, {}), ("hard", "tree-2", 300, {}),
        ("hard(alternating)", "tree-3", 640, {}), ("cascade", "tree-2", 180, {}),
        ("band(16,0.5,alternating)", "tree-2", 190, {}), ("uniform", "tree-3", 120, {}),
    ],
)  # fmt: skip
def test_real_runs_succeed_as_often_as_the_law_says(name, learner, m, over):
    at = {"d": 8, "epsilon": 3.0, "alpha": 0.1} | over
    law, trials, delta = distribution("interval", name), 400, 0.01
    found = pv.success(
        concept="interval", learner=learner, distribution=name, m=m, delta=delta, trials=20_000,
        **at,
    )  # fmt: skip
    expected = found.value.item()
    assert 0.15 < expected < 0.97
    ready = {"tree-2": Tree2, "tree-3": Tree3}[learner](delta=delta)
    rng = np.random.default_rng(m)
    wins = sum(
        law.succeeds(
            ready.run(law.draw(m=m, d=8, alpha=0.1, rng=rng), Cell(**at, beta=0.1), rng),
            d=8, alpha=0.1,
        )
        for _ in range(trials)
    )  # fmt: skip
    assert_rate(wins, trials, expected)
    assert power(trials, expected, expected - 0.2) > 0.9 or expected < 0.3


def test_beyond_all_floats_the_law_is_told_by_the_log_of_the_levels():
    # recipe: theory of 2026-11-29, section 2, "Crossing on hard".
    known = {
        24: (3290, 3462),
        26: (3453, 3464),
        28: (3596, 3507),
        32: (3902, 3510),
        40: (4512, 3556),
    }
    for levels, needs in known.items():
        for depth, m in enumerate(needs, start=1):
            tree = Grown.beyond(levels, depth)
            sizes = Setting(np.array([m - 1, m]), np.array(1), np.array(0.5), 0.1, 0.1, 1e-6)
            few, enough = on_hard(tree, sizes).value
            assert few < 0.9 <= enough
    # Where d can be written out both ways are one.
    for depth in (1, 2):
        sizes = Setting(np.array([1500, 3000]), np.array(1), np.array(0.5), 0.1, 0.1, 1e-6)
        plain = Grown.at(1023, target(1023, "alternating"), depth)
        assert on_hard(Grown.beyond(10.0, depth), sizes).value == pytest.approx(
            on_hard(plain, sizes).value, abs=1e-14
        )


def test_more_examples_never_hurt_but_by_the_luck_of_the_lump():
    law = distribution("interval", "hard(alternating)")
    for d, epsilon in ((4, 3.0), (64, 0.5)):
        m = np.unique(np.geomspace(1, deep(3000, 9000), 120).astype(np.int64))
        at = lambda m, d=d, epsilon=epsilon: Setting(  # noqa: E731
            m, np.array(d), np.array(epsilon), 0.1, 0.1, 1e-3
        )
        values = Tree2().success(law, at(m)).value
        assert np.diff(values).min() >= (-1e-13 if d == 64 else -1 / 17)
        low, high = Tree2().span(law, at(m[:-8]), at(m[8:]))
        every = np.lib.stride_tricks.sliding_window_view(values, 9)
        assert (low.value <= every.min(axis=1) + 1e-13).all()
        assert (every.max(axis=1) <= high.value + 1e-13).all()


def test_a_large_domain_is_no_trouble():
    d, rng = 4096, np.random.default_rng(1)
    j = target(d, "alternating")
    records = [(j - 1, 1)] * 400 + [(j, 0)] * 400 + [(1, 1)] * 2700
    for learner in (Tree(), Tree2()):
        assert learner.run(sampled(d, records), Cell(d, 1.0, 0.1, 0.1), rng).j == j
    with pytest.raises(InputError, match="d must be at most 16384 on cascade for tree-2"):
        pv.success(
            concept="interval", learner="tree-2", distribution="cascade", m=9, d=20_000,
            epsilon=1.0, alpha=0.1, delta=1e-6,
        )  # fmt: skip


def test_the_log_of_the_levels_stands_in_place_of_d_where_there_is_a_law():
    who = {"concept": "interval", "epsilon": 0.5, "alpha": 0.1, "beta": 0.1, "delta": 1e-6}
    found = pv.need(**who, learner="tree-2", target="alternating", log2_d=40.0)
    assert (found.m, found.asked["log2_d"]) == (3556, 40.0)
    bounds = [pv.bound(**who, bound=name, log2_d=64.0).m for name in ("tree", "tree-2", "tree-3")]
    assert bounds == [7495, 4019, 7065]
    for over, words in (
        ({"learner": "exponential"}, "must be left out for exponential, which takes d"),
        ({"learner": "tree-2", "d": 5}, "must stand without d"),
        ({"learner": "tree-2", "distribution": "band"}, "must be left out on band"),
        ({"learner": "tree-3", "target": "alternating"}, "must be in|must be left out"),
    ):
        with pytest.raises(InputError, match=f"log2_d {words}"):
            pv.need(**who, log2_d=40.0, **over)
