"""The optimum of all mechanisms: against the referee, closed forms, learners below and bounds above it."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import privsc_core as pv
from privsc_core.concepts.contracts import Cell
from privsc_core.errors import InputError
from privsc_core.evaluate.scenario import Scenario
from privsc_core.exhibits.finite import TARGETS, best, best_picture
from privsc_core.finite import FiniteClass, ready
from privsc_core.finite.concept import with_code
from privsc_core.finite.concept.distributions import Weights, size_of
from privsc_core.finite.optimum import alike, most_examples, optimum
from privsc_core.own import own
from tests.core.support import decimal, setting
from tests.referee import optimum as referee
from tests.referee.games import Task, exactly, game

HOW_MANY = 200


def random_class(rng):
    """Return a tiny class with weights of its points, some of them 0 or equal."""
    points = int(rng.integers(1, 4))
    size = int(rng.integers(1, min(5, 2**points) + 1))
    of = FiniteClass(tuple(rng.choice(1 << points, size, replace=False).tolist()), points)
    weights = tuple(rng.integers(0, 4, points).tolist())
    return of, weights if sum(weights) else ()


def shares(of, weights):
    given = np.array(weights or [1] * of.points)
    return given / given.sum()


def laws(of, weights, m, *, epsilon, alpha, loss):
    """Return the success of the exponential mechanism over the rows, target by target.

    Summed over all sequences of points. With a loss of its own it is another mechanism.
    """
    rows, chance = np.array(of.rows()), shares(of, weights)
    picks = np.array(list(itertools.product(range(of.points), repeat=m)))
    drawn = chance[picks].prod(axis=1)
    found = []
    for target in rows:
        wrong = rows != target
        good = wrong @ chance <= alpha + 1e-12
        scores = np.exp(-0.5 * loss * epsilon * wrong[:, picks].sum(axis=2))
        found.append(float(drawn @ ((good @ scores) / scores.sum(axis=0))))
    return np.array(found)


def test_no_private_learner_is_above_it_on_200_random_classes():
    rng = np.random.default_rng(63)
    margins, faults = [], 0
    for turn in range(HOW_MANY):
        of, weights = random_class(rng)
        m, epsilon = int(rng.integers(1, 4)), float(rng.choice([0.1, 0.5, 1.0, 3.0]))
        at = {"epsilon": epsilon, "alpha": float(rng.choice([0.1, 0.3, 0.45]))}
        kind, least = (("average", np.mean), ("worst", np.min))[turn % 2]
        best = optimum(of, m, weights, **at, targets=kind)
        assert 0.0 <= best.low <= best.high <= 1.0
        assert best.high - best.low < 1e-9
        found = least(laws(of, weights, m, **at, loss=1.0))
        assert found <= best.high + 1e-12  # the sum over samples rounds
        margins.append(best.high - found)
        # The planted fault: weights e^{-eps mistakes}, without the 2, are not ε-private.
        faults += least(laws(of, weights, m, **at, loss=2.0)) > best.high + 1e-6
        if turn % 8 == 0:
            for less in ({"targets": "worst"}, {"proper": True}):
                assert optimum(of, m, weights, **at, **less).low <= best.high
            assert best.low <= optimum(of, m, weights, **at, delta=0.01).high
    assert 0.0 < np.median(margins) < 0.1
    assert faults > 10


@pytest.mark.parametrize("seed", range(8))
def test_it_is_the_referee_s(seed):
    rng = np.random.default_rng(seed)
    of, weights = FiniteClass((0, 3, 5, 6, 7)[: 2 + seed % 4], 3), (1, 2, 1 + seed % 2)
    m, epsilon, delta = 1 + seed % 3, float(rng.choice([0.5, 2.0])), 0.02 * (seed % 2)
    alpha = float(rng.choice([0.1, 0.26, 0.4]))
    masses = {x + 1: exactly(decimal(w) / sum(weights)) for x, w in enumerate(weights)}
    tasks = [Task(tuple(row), masses) for row in of.rows()]
    for proper in (False, True):
        answers = of.rows() if proper else list(itertools.product((0, 1), repeat=3))
        wanted = referee.optimum(
            game(tasks, answers, decimal(alpha)), m, epsilon=epsilon, delta=delta,
            privacy="approximate" if delta else "pure",
        )  # fmt: skip
        found = optimum(
            of, m, weights, epsilon=epsilon, alpha=alpha, delta=delta, targets="worst",
            proper=proper,
        )  # fmt: skip
        assert found.low - 1e-7 <= wanted <= found.high + 1e-7


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_one_example_of_one_point_is_randomised_response(epsilon, delta):
    of = ready("cube-1")  # the label is the target
    kept = math.exp(epsilon) / (math.exp(epsilon) + 1.0)
    wanted = kept + delta * (1.0 - kept)
    found = optimum(of, 1, epsilon=epsilon, alpha=0.3, delta=delta)
    assert found.low == pytest.approx(wanted, abs=1e-8)
    assert found.high == pytest.approx(wanted, abs=1e-8)


def test_what_says_nothing_changes_nothing():
    """Points that repeat another one, its complement, or are labelled alike; and concepts alike on the rest."""
    at = {"epsilon": 1.0, "alpha": 0.2, "targets": "worst"}
    small = optimum(FiniteClass((0b00, 0b01, 0b11), 2), 2, (2, 3), **at)
    # The first point twice, the second turned and once as it was, a point without weight.
    rows = (0b0_01_00, 0b1_01_11, 0b0_10_11)
    twice = optimum(FiniteClass(rows, 5), 2, (1, 1, 2, 1, 0), **at, proper=True)
    assert small.low == pytest.approx(twice.low, abs=1e-9)
    at["alpha"] = 0.1
    blank = optimum(FiniteClass((0b100, 0b101, 0b111), 3), 2, (2, 3, 5), **at)
    assert blank.low < small.low - 0.01  # half of the examples say nothing
    assert optimum(FiniteClass((1,), 1), 3, **at).low == pytest.approx(1.0)


@pytest.mark.parametrize("word", ["points-4", "cube-3", "thresholds-3", "parities-2"])
def test_symmetries_change_nothing(word, monkeypatch):
    of, at = ready(word), {"epsilon": 0.8, "alpha": 0.2, "delta": 0.01, "targets": "worst"}
    with_them = optimum(of, 2, **at)
    monkeypatch.setattr("privsc_core.finite.optimum._symmetries", lambda *_: [])
    monkeypatch.setattr(
        "privsc_core.finite.optimum._game", optimum.__globals__["_game"].__wrapped__
    )
    without = optimum(of, 2, **at)
    assert with_them.unknowns < without.unknowns
    assert with_them.low == pytest.approx(without.low, abs=1e-9)


def test_heavy_weights_and_an_epsilon_as_good_as_none_have_an_optimum():
    of, at = ready("thresholds-3"), {"alpha": 0.2, "targets": "worst"}
    heavy = tuple(10**9 * weight for weight in (1, 2, 1))
    assert most_examples(of, heavy, alpha=0.2) == most_examples(of, (1, 2, 1), alpha=0.2) > 0
    few, many = (optimum(of, 2, one, epsilon=1.0, **at) for one in ((1, 2, 1), heavy))
    assert few.low == pytest.approx(many.low, abs=1e-12)
    # As for learners: an error of 1/3 is above 0.3333333333333333.
    third, more = (
        optimum(of, 2, epsilon=1.0, alpha=alpha, targets="worst") for alpha in (1 / 3, 0.34)
    )
    assert third.high < more.low - 0.01
    fine = Scenario(with_code(of), ("erm",), distribution="weights(1e9,0.333333333333,1)", d=2)
    with pytest.raises(InputError, match="weights must have fewer digits"):
        best(fine, "worst", 0.01)
    for delta in (0.0, 0.1):
        some, all_ = (optimum(of, 2, epsilon=e, delta=delta, **at) for e in (30.0, 1e3))
        assert some.low <= all_.high <= some.high + 1e-9
    for wrong in ((1, -1, 1), (1, 1), (2**53, 1, 1)):
        with pytest.raises(InputError, match=r"^weights must be 3 whole numbers from 0 to"):
            most_examples(of, wrong, alpha=0.2)


def test_a_program_too_large_is_refused_in_a_sentence():
    of = ready("random-16-64-1")
    most = most_examples(of, alpha=0.05)
    assert most >= 1
    with pytest.raises(InputError, match=rf"^m must be at most {most} for the linear program"):
        optimum(of, most + 1, epsilon=1.0, alpha=0.05)
    # At a larger alpha one hypothesis suits several targets, and there are too many to try.
    assert most_examples(of, alpha=0.3) == 0
    with pytest.raises(InputError, match=r"^class must have at most 12 points that differ"):
        optimum(of, 1, epsilon=1.0, alpha=0.3)
    with pytest.raises(InputError, match=r"^targets must be one of average, worst"):
        optimum(of, 1, epsilon=1.0, alpha=0.3, targets="all")


# --- Lower bounds --------------------------------------------------------------------------------


def hard(of, alpha, parts=100_000):
    """Yield weights of the points as the proofs choose them: some just above alpha, the rest on a dummy."""
    just = int(alpha * parts) + 1
    for size in range(1, of.points + 1):
        for points in itertools.combinations(range(of.points), size):
            yield tuple(int(x in points) for x in range(of.points))
            for dummy in set(range(of.points)) - set(points):
                if (left := parts - size * just) > 0:
                    yield tuple(
                        just if x in points else left * (x == dummy) for x in range(of.points)
                    )


def best_on_hard(of, m, epsilon, alpha):
    """Return the optimum on the worst of these weights."""
    at = {"epsilon": epsilon, "alpha": alpha, "targets": "worst"}
    return min(optimum(of, m, weights, **at).high for weights in hard(of, alpha))


def test_no_lower_bound_excludes_what_it_reaches_on_random_classes():
    rng, told, close = np.random.default_rng(7), [], 0
    for _ in range(12):
        of = random_class(rng)[0]
        m, epsilon, alpha = int(rng.integers(1, 4)), float(rng.choice([0.3, 1.0])), 0.3
        best = best_on_hard(of, m, epsilon, alpha)
        for bound in with_code(of).bounds:
            found = bound.limit(setting(m, size_of(of), epsilon, alpha, 0.1))
            if bound.kind == "lower" and found is not None:
                told.append(bound.name)
                # The masses are above alpha by 1e-5, and each of m examples has one.
                assert best <= float(found) + 1e-4, (bound.name, of)
                close += best > float(found) - 0.05
            if bound.kind == "lower" and (least := bound.least(Cell(1, epsilon, alpha, 0.1)).m):
                # So many examples are needed: with fewer no mechanism reaches 1 - beta.
                assert m >= least or best < 0.9, (bound.name, of)
    assert {"nonprivate", "packing", "blind-guess"} <= set(told)
    assert close > 5  # the optimum is near what the best bound allows


def test_the_figure_has_private_learners_below_the_best():
    scenario = Scenario(
        concept="finite(thresholds-8)", learners=("erm", "exponential", "permute-and-flip"), d=2,
        epsilon=1.0,
    )  # fmt: skip
    for targets in TARGETS:
        table = best_picture(scenario, targets, 0.05).table
        rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
        assert len(rows) > 1
        assert any(row["erm"] > row["optimum"] for row in rows)  # it is not private
        for row in rows:
            assert row["exponential"] <= row["permute-and-flip"] <= row["optimum"]
            assert row["optimum with delta"] is None or row["optimum"] <= row["optimum with delta"]


def test_one_target_of_an_orbit_stands_for_all_where_a_learner_cannot_tell_them_apart():
    """Three thresholds, each with both labels of a point without weight: the first is the last turned over."""
    of = FiniteClass((0b000, 0b100, 0b001, 0b101, 0b011, 0b111), 3)
    law = Weights(of, 1, (1.0, 1.0, 0.0))
    orbit = alike(of, law.whole[1], alpha=0.2)
    assert [one == orbit[0] for one in orbit] == [True, True, False, False, True, True]
    concept = with_code(of)

    mine = own(lambda *_: 1, concept)  # it prefers a name: no symmetry keeps it
    shown = replace(concept, learners=(*concept.learners, mine))
    scenario = Scenario(shown, ("erm", "exponential", mine.name), distribution=law.label, epsilon=1.0,
                        alpha=0.2, trials=2)  # fmt: skip
    for targets, over in (("average", np.mean), ("worst", np.min)):
        found = best(scenario, targets, 0.01)
        at = scenario.settings() | {"m": np.arange(1, len(found.most) + 1), "trials": 2}
        for name, shares in found.learners.items():
            goals = [replace(law, number=i + 1) for i in range(len(of))]
            each = [
                pv.success(concept=shown, learner=name, distribution=goal, **at) for goal in goals
            ]
            wanted = over([one.value for one in each], axis=0)
            np.testing.assert_allclose(shares, wanted, atol=1e-12)
        assert found.learners[mine.name][0] == {"average": 1 / 3, "worst": 0.0}[targets]
