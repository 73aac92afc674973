"""Deeper trees of thresholds: their numbers, privacy, candidates and laws, each by another route."""

import numpy as np
import pytest

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.interval.bounds.finite import TreeBound
from privsc_core.concepts.interval.nodes import Scale, candidates_most
from privsc_core.errors import InputError

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
