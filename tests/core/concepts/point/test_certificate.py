"""The alpha-representation certificate against the other side of the game and plain cases."""

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.optimize import linprog

from privsc_core.concepts.point.learners.representation import class_size, draw_class
from tests.depth import deep


def points(d):
    return np.eye(2**d, dtype=bool)


def mixture_value(hypotheses, target):
    """The hypothesis player's side: the mixture whose worst point is best (minimax)."""
    wrong = (hypotheses != target).astype(float)
    count = len(hypotheses)
    solved = linprog(
        np.append(np.zeros(count), 1.0),
        A_ub=np.column_stack([wrong.T, -np.ones(wrong.shape[1])]),
        b_ub=np.zeros(wrong.shape[1]),
        A_eq=np.append(np.ones(count), 0.0)[None, :],
        b_eq=[1.0],
    )
    return solved.fun


def grid_value(hypotheses, target, steps=24):
    """Maximise over a grid of distributions on four points: a lower bound of the value."""
    best = 0.0
    wrong = (hypotheses != target).astype(float)
    for cut in itertools.combinations(range(steps + 3), 3):
        a, b, c = cut
        law = np.array([a, b - a - 1, c - b - 1, steps + 2 - c]) / steps
        best = max(best, float((wrong @ law).min()))
    return best


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_the_class_represents_itself(d):
    found = certify(points(d), points(d))
    assert found.worst == pytest.approx(0, abs=1e-9)
    assert found.values.shape == (2**d,)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_zero_function_alone_represents_no_point(d):
    found = certify(np.zeros((1, 2**d), dtype=bool), points(d))
    assert found.values == pytest.approx(np.ones(2**d), abs=1e-9)
    # All mass on a target attains it.
    assert found.distribution.max() == pytest.approx(1, abs=1e-9)


def test_all_functions_but_the_point_leave_a_small_error():
    # Target c_1 on [4]; hypotheses: the pairs through 1. The best distribution spreads over
    # the three others, so the value is 1/3.
    hypotheses = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]], dtype=bool)
    found = certify(hypotheses, points(2)[:1])
    assert found.worst == pytest.approx(1 / 3, abs=1e-9)
    assert found.distribution == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=1e-9)


@pytest.mark.parametrize("seed", range(deep(4, 12)))
def test_both_sides_of_the_game_agree(seed):
    rng = np.random.default_rng(seed)
    hypotheses = rng.random((rng.integers(1, 9), 4)) < rng.uniform(0.1, 0.7)
    found = certify(hypotheses, points(2))
    for value, target in zip(found.values, points(2), strict=True):
        assert value == pytest.approx(mixture_value(hypotheses, target), abs=1e-8)
        below = grid_value(hypotheses, target)
        assert below - 1e-9 <= value <= below + 0.1
    worst = int(np.argmax(found.values))
    errors = (hypotheses != points(2)[worst]) @ found.distribution
    assert errors.min() == pytest.approx(found.worst, abs=1e-8)
    assert found.distribution.sum() == pytest.approx(1, abs=1e-9)


def test_lemma_3_10_for_every_class_of_one_function_at_d_2():
    for labels in itertools.product((False, True), repeat=4):
        assert certify(np.array([labels]), points(2)).worst >= 0.5 - 1e-9


def test_lemma_3_10_for_drawn_classes_of_two_functions_at_d_3():
    rng = np.random.default_rng(6)
    for _ in range(25):
        hypotheses = rng.random((2, 8)) < rng.uniform(0.1, 0.9)
        assert certify(hypotheses, points(3)).worst >= 0.5 - 1e-9


@pytest.mark.parametrize(("d", "alpha"), [(1, 0.4), (2, 0.4), (3, 0.45)])
def test_the_drawn_class_represents_points_at_half_alpha(d, alpha):
    rng = np.random.default_rng(1)
    member = draw_class(d, alpha, rng)
    size = class_size(d, alpha)
    assert member.shape == (size.sets, 2**d)
    assert member.sum(axis=1).max() <= size.members
    found = certify(member, points(d))
    assert found.worst <= alpha / 2
    for value, target in zip(found.values, points(d), strict=True):
        assert value == pytest.approx(mixture_value(np.unique(member, axis=0), target), abs=1e-8)


def test_a_class_thinned_to_nothing_is_no_representation():
    member = draw_class(3, 0.45, np.random.default_rng(1))
    without_a_point = member[~member[:, 2]]
    assert certify(without_a_point, points(3)).values[2] == pytest.approx(1, abs=1e-9)


# The alpha-representation certificate (BBKN13, Definition 3.1): one linear program per target.


@dataclass(frozen=True, slots=True, eq=False)
class Certificate:
    """How well a finite class represents every target.

    `values` is max over distributions of the least error of a hypothesis, for each target: the
    value of a zero-sum game, exact up to the solver's 1e-9. The class alpha-represents the targets
    if and only if all are at most alpha. `worst` is the largest of them, and `distribution` attains
    it.
    """

    values: np.ndarray
    worst: float
    distribution: np.ndarray


def certify(hypotheses, targets):
    """Solve max_D min_h Pr_D[h(x) != c(x)] for every target; both are tables of labels."""
    distinct = np.unique(hypotheses, axis=0)
    points = distinct.shape[1]
    values = np.empty(len(targets))
    attained = np.zeros((len(targets), points))
    for row, target in enumerate(targets):
        # Maximise v with sum_x D(x) [h(x) != c(x)] >= v for every h.
        wrong = (distinct != target).astype(np.float64)
        solved = linprog(
            np.append(np.zeros(points), -1.0),
            A_ub=np.column_stack([-wrong, np.ones(len(wrong))]), b_ub=np.zeros(len(wrong)),
            A_eq=np.append(np.ones(points), 0.0)[None, :], b_eq=[1.0],
            bounds=[(0.0, 1.0)] * points + [(0.0, 1.0)],
        )  # fmt: skip
        values[row] = solved.x[points]
        attained[row] = solved.x[:points]
    worst = int(np.argmax(values))
    return Certificate(values, float(values[worst]), attained[worst])
