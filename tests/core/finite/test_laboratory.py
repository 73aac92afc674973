"""The laboratory's game, coins, learner and families: against brute force and the theory's numbers."""

import itertools
import math
from functools import lru_cache

import numpy as np
import pytest

from privsc_core.draw.laboratory_figures import coins_picture, families_picture, trial_picture
from privsc_core.errors import InputError
from privsc_core.finite import FiniteClass, ready
from privsc_core.finite.families import BITS, FAMILIES, priced
from privsc_core.finite.game import leaf_mistakes, move, played
from privsc_core.finite.littlestone import MistakeTree, Node, littlestone
from privsc_core.finite.ready import game_of, points_of
from privsc_core.finite.shatter import vc
from privsc_core.finite.trial import good_rows, trial, two_steps
from tests import budget

coins = np.random.default_rng(77)
CLASSES = [ready(w) for w in ("thresholds-8", "cube-3", "rectangles-3-2", "parities-3")] + [
    FiniteClass(tuple(coins.choice(32, size, replace=False).tolist()), 5) for size in (3, 9, 14, 20)
]
USUAL = {"epsilon": 0.5, "alpha": 0.1, "beta": 0.1}
BY_NAME = {family.name: family for family in FAMILIES}


@lru_cache
def usual(axes):
    return priced(axes, **USUAL)


def optimal(of):
    tree = MistakeTree(of)
    return tree.tree(of.everyone, littlestone(of).found)


# --- The game -----------------------------------------------------------------------------------


@pytest.mark.parametrize("of", CLASSES, ids=lambda of: f"{len(of)}x{of.points}")
def test_nature_forces_the_dimension_whatever_is_predicted(of):
    depth, forced = littlestone(of).found, []
    for said in itertools.product("01", repeat=len(of).bit_length() + 1):
        game = played(of, "learner", "".join(said))
        assert (len(game.rounds), game.asked, game.left) == (game.mistakes, None, 0)
        for i in game.concepts:
            assert all(of.concepts[i] >> one.x & 1 == one.label for one in game.rounds)
        forced.append(game.mistakes)
    assert min(forced) == depth  # who predicts badly is wrong more often


@pytest.mark.parametrize("of", CLASSES, ids=lambda of: f"{len(of)}x{of.points}")
def test_the_algorithm_errs_at_most_so_often_whatever_nature_does(of):
    depth, most = littlestone(of).found, 0
    for _ in range(12):
        moves, left = "", depth
        for x in coins.integers(0, of.points, 8).tolist():
            game = played(of, "nature", moves)
            label = 1 - game.predictions[x]  # against the algorithm, where the rules allow it
            label = label if game.splits[x][label] else 1 - label
            moves += move(x, label)
            after = played(of, "nature", moves)
            wrong = after.mistakes - game.mistakes
            assert after.left <= left - wrong
            left = after.left
        most = max(most, played(of, "nature", moves).mistakes)
    assert most <= depth
    assert most >= depth - 1  # nature that does not look ahead comes near


def test_a_move_against_the_rules_ends_the_game():
    of = ready("thresholds-4")
    assert len(played(of, "nature", "2y3n1n").rounds) == 1  # point 3 is 1 where point 2 is
    assert len(played(of, "nature", "1n9y2n").rounds) == 1
    assert len(played(of, "learner", "0" * 60).rounds) == 2
    # Who changes sides leaves moves of the other one behind.
    assert not played(of, "nature", "01").rounds
    assert not played(of, "learner", "2y3n").rounds
    for side, moves in (("learner", "2"), ("judge", ""), ("nature", "y1")):
        with pytest.raises(InputError):
            played(of, side, moves)
    assert game_of("thresholds-4", "nature", "2y").left == 1
    assert points_of("3.1.9.3", 4) == (0, 2)


# --- Coins on the tree --------------------------------------------------------------------------


@pytest.mark.parametrize("of", CLASSES, ids=lambda of: f"{len(of)}x{of.points}")
def test_every_hypothesis_tosses_coins_on_the_tree(of):
    tree, depth = optimal(of), littlestone(of).found
    for h in range(1 << of.points):
        wrong = leaf_mistakes(tree, h)
        assert [wrong.count(i) for i in range(depth + 1)] == [
            math.comb(depth, i) for i in range(depth + 1)
        ]
    for concept in of.concepts:  # a concept is right on the whole path to one leaf
        assert list(leaf_mistakes(tree, concept)).count(0) == 1


def test_a_tree_that_is_not_complete_is_no_coin():
    lame = Node(0, (Node(1, (None, None)), None))
    assert sorted(leaf_mistakes(lame, 0)) == [0, 1, 1]


def test_the_picture_of_coins_says_both_rows():
    picture = coins_picture(optimal(ready("thresholds-8")), 0b1010)
    assert picture.table == {
        "mistakes": [0, 1, 2, 3],
        "leaves": [1, 3, 3, 1],
        "binomial": [1, 3, 3, 1],
    }


# --- A learner on a class -----------------------------------------------------------------------


def by_enumeration(of, target, weights, *, epsilon, alpha, m):
    """Sum over all samples, one by one; errors and weights from the rows."""
    rows, total, found = of.rows(), sum(weights), 0.0
    wrong = [[a != b for a, b in zip(row, rows[target], strict=True)] for row in rows]
    good = [
        sum(w for w, bad in zip(weights, row, strict=True) if bad) <= alpha * total for row in wrong
    ]
    for sample in itertools.product(range(of.points), repeat=m):
        chance = math.prod(weights[x] / total for x in sample)
        scores = [math.exp(-epsilon * sum(row[x] for x in sample) / 2) for row in wrong]
        found += chance * sum(s for s, g in zip(scores, good, strict=True) if g) / sum(scores)
    return found


@pytest.mark.parametrize(
    ("weights", "alpha"), [((1, 1, 1), 0.1), ((5, 1, 0), 0.2), ((1, 2, 3), 0.35)]
)
def test_the_simulation_is_the_sum_over_all_samples(weights, alpha):
    of, trials = FiniteClass((0, 1, 3, 4, 7), 3), 4000
    found = trial(of, 2, weights, epsilon=1.5, alpha=alpha, beta=0.1, trials=trials)
    for m in (1, 2, 4, 6):
        at = int(np.flatnonzero(found.m == m)[0]) if m in found.m else None
        if at is None:
            continue
        wanted = by_enumeration(of, 2, weights, epsilon=1.5, alpha=alpha, m=m)
        # A mean of values in [0, 1] varies at most as a share of coins does.
        budget.assert_rate(round(found.value[at] * trials), trials, wanted, f"m = {m}")
        # The planted twin: the paper's weights, e^{-eps mistakes}, are another learner.
        if m == 6 and alpha < 0.35:
            twice = by_enumeration(of, 2, weights, epsilon=3.0, alpha=alpha, m=m)
            assert not budget.agrees(round(found.value[at] * trials), trials, twice)
    assert (found.low <= found.value).all()
    assert (found.promised <= found.high + 1e-12).all()
    assert found.good == int(good_rows(of, 2, weights, alpha).sum())


def test_what_is_promised():
    # recipe: both formulas apart from this code, at |C| = 2^16.
    assert two_steps(2**16, **USUAL) == 2956
    found = trial(ready("thresholds-8"), 0, **USUAL, trials=50)
    assert (found.one_step, found.two_step) == (202, 1178)
    assert found.promised[found.m >= found.one_step].min() >= 0.9
    assert (found.promised <= found.high + 1e-9).all()


def test_a_target_that_is_none_gets_one_sentence():
    of = ready("thresholds-4")
    for target, weights, says in (
        (5, (), "target must be a row from 1 to 5; got 6."),
        (0, (1, 2), "weights must be 4 whole numbers"), (0, (0, 0, 0, 0), "not all 0"),
        (0, (1, 1, 1, 10**7), "weights must be"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=says.split(";", maxsplit=1)[0]):
            trial(of, target, weights, **USUAL)
    picture = trial_picture("thresholds-4", 1, (3, 1, 1, 1), **USUAL, seed=2)
    assert "rows have error at most α" in picture.caption


# --- Classes of any size ------------------------------------------------------------------------


# recipe: theory-fx14.md, part C: pure lower bounds at the defaults.
@pytest.mark.parametrize(
    ("name", "axes", "b", "depth", "m"),
    [("BOX", 10, 16, 300, 271), ("BOX", 100, 32, 6200, 5117), ("HS", 10, 16, 736, 635),
     ("Thr", 1, 64, 64, 71), ("Thr", 1, 128, 128, 126), ("Line", 1, 128, 2, 53)],
)  # fmt: skip
def test_golden_families(name, axes, b, depth, m):
    found = next(one for one in usual(axes) if one.family.name == name)
    at = int(np.flatnonzero(found.b == b)[0])
    assert (int(found.depth[at]), int(found.lower[at])) == (depth, m)
    assert (found.lower <= found.upper).all()


# A ready-made class, whose point and label are the dummy; its family, k and b.
@pytest.mark.parametrize(
    ("word", "dummy", "name", "axes", "b"),
    [("thresholds-4", (3, 1), "Thr", 1, 2), ("thresholds-8", (7, 1), "Thr", 1, 3),
     ("intervals-4", (1, 1), "BOX", 1, 2), ("intervals-8", (3, 1), "BOX", 1, 3),
     ("intervals-16", (7, 1), "BOX", 1, 4), ("rectangles-4-4", (5, 1), "BOX", 2, 2),
     ("half-planes-2", (0, 1), "HS", 2, 1), ("half-planes-4", (5, 1), "HS", 2, 2),
     ("balls-2", (0, 1), "BALL", 2, 1), ("lines-3", (0, 0), "Line", 1, 2)],
)  # fmt: skip
def test_families_hold_on_what_can_be_computed(word, dummy, name, axes, b):
    of, family = ready(word), BY_NAME[name]
    assert littlestone(of.labelled(*dummy)).found >= family.depth(b, axes)
    grown = math.log(len(of)) - 1e-9
    assert family.log_size(b, axes) >= grown
    assert vc(of).found == family.vc(b, axes)
    if name == "BOX":
        assert family.log_size(b, axes) == pytest.approx(math.log(len(of)))


def test_the_picture_has_a_row_a_class_and_size():
    found, picture = families_picture(3, **USUAL)
    assert len(found) == len(FAMILIES)
    assert len(picture.table["b"]) == sum(one.b.size for one in found)
    assert set(picture.table["b"]) == set(BITS)
    with pytest.raises(InputError):
        priced(0, **USUAL)
