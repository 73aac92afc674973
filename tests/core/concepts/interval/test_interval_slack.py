"""The ladder of the tree, the contest, and the interior point problem, each by another route."""

import itertools
import math
from functools import lru_cache

import numpy as np
import pytest
from scipy.stats import binom

import privsc_core as pv
from privsc_core import catalog
from privsc_core.concepts.interval.distributions import target
from privsc_core.concepts.interval.learners import Tree
from privsc_core.concepts.shared.sample import Sample
from privsc_core.draw.slack_figures import contest_picture, contest_rows
from privsc_core.errors import InputError
from privsc_core.evaluate.landscape import Standpoint
from privsc_core.exhibits.interval.climb import STEPS, climbed, ladder, slack_of
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
from tests.core.concepts.interval.test_tree import plain_candidates

AT = Standpoint(epsilon=0.5, alpha=0.1, beta=0.1, delta=1e-6)
RUN = {"law": "cascade", "d": 8, "m": 1000, "seed": 1, "epsilon": 0.5, "alpha": 0.1, "beta": 0.1}

# --- The ladder ---------------------------------------------------------------------------------


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
    for seed in range(1, 6):
        found = climbed(**(cell | {"seed": seed}))
        learner = Tree(delta=delta, apart=True)
        excess = []
        for side in (found.here, found.there):
            told = records(side)
            assert len(told) == m
            plain = plain_candidates(d, told, found.scale.most)
            assert {r.node: r.score for r in side.rungs} == plain
            assert all(r.low < r.node < r.high for r in side.rungs)
            sample = Sample.of(d, [x for x, _ in told], [y for _, y in told])
            chances = learner.output_distribution(sample, epsilon=0.5, alpha=0.1, beta=0.1)
            assert chances["lump"] == pytest.approx(side.lump, abs=1e-12)
            for rung in side.rungs:
                assert chances[rung.node] == pytest.approx(rung.chance, abs=1e-12)
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
        last = ladder(**RUN, **at, delta=0.0, step=step)
        assert len(last.said) == number
        shown = {t["name"] for t in last.scores.figure["data"]}
        assert ("v − E(t)" in shown) == (number >= 3)
        assert ("score" in shown) == (number >= 4)
    assert last.promised == "10⁻⁶"
    assert climbed(**RUN, delta=0.0).target == target(8, "alternating") == 85


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        ({"law": "x"}, "law must be one of cascade, hard; got x."),
        ({"d": 9}, r"d must be in \[4, 8\] to show every rung; got 9."),
        ({"change": "x"}, "change must be one of none, flip, move; got x."),
    ],
)
def test_what_no_ladder_has_is_refused_in_a_sentence(over, sentence):
    with pytest.raises(InputError, match=sentence):
        climbed(**(RUN | over), delta=1e-6)


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


INSTANCES = [(1, 8), (2, 6), (3, 4)]


@lru_cache(maxsize=3)
def every(d, n):
    return {
        points: plain(points, d)
        for points in itertools.combinations_with_replacement(range(1, (1 << d) + 1), n)
    }


@pytest.mark.parametrize(("d", "n"), INSTANCES)
def test_candidates_are_those_of_the_definition_few_and_inside(d, n):
    for points, scores in every(d, n).items():
        assert candidates(points, d) == scores
        assert len(scores) <= d + 1
        assert all(points[0] <= t // 2 <= points[-1] for t, score in scores.items() if score)


def least_slack(d, n, epsilon, delta, fault=""):
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


@pytest.mark.parametrize(("d", "n"), INSTANCES)
def test_the_solver_is_private_by_enumeration(d, n):
    assert 0.2 * 0.05 < least_slack(d, n, 1.0, 0.05) <= 0.05


@pytest.mark.parametrize("fault", ["rate", "C without k"])
def test_a_broken_solver_is_caught(fault):
    assert max(least_slack(d, n, 1.0, 0.05, fault) for d, n in INSTANCES) > 0.05


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


def test_least_numbers_of_the_theory():
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
