"""The exhibits of the optimum: the linear program, its certificate, the pictures, the proof."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from privsc_core.concepts.shared.inequalities import halfway_steps
from privsc_core.errors import InputError
from privsc_core.exhibits.point import optimum as figures
from privsc_core.exhibits.point.optimum import over_votes, price
from privsc_core.exhibits.point.program import databases, solve
from privsc_core.exhibits.point.proof import MOVES, along, steps
from tests.core.concepts.point.votes import chances, worst_loss

LOG2 = math.log(2)


def halfway(n, m, epsilon):
    """(P2) for k = 0, ..., m votes of n candidates, every whole t tried."""
    return np.array(
        [
            1 - max(1 / (math.exp(epsilon * t) + math.exp(epsilon * (k - t)) / (n - 1)) for t in range(k + 1))
            for k in range(m + 1)
        ]
    )  # fmt: skip


# Candidates, records, epsilon: where the optimum is the halfway bound.
INSTANCES = [
    (2, 8, 0.5), (2, 10, 0.3), (3, 8, 1.0), (4, 8, 0.7), (8, 8, 0.5), (16, 8, 1.0), (255, 8, 2.0),
]  # fmt: skip


@pytest.mark.parametrize(("n", "m", "epsilon"), INSTANCES)
def test_the_optimum_is_the_halfway_bound(n, m, epsilon):
    found, wanted = solve(n, m, epsilon), halfway(n, m, epsilon)
    assert np.abs(found.success - wanted).max() < 1e-7
    assert found.value == pytest.approx(wanted.mean(), abs=1e-7)
    # The certificate: a bound for every mechanism, and a mechanism that meets it.
    assert 0 <= found.dual - found.value + 1e-12 < 1e-7
    assert found.slip < 1e-9


def test_the_optimum_for_a_binomial_number_of_votes():
    n, m, epsilon, share = 4, 8, 0.7, 0.3
    weights = tuple(math.comb(m, k) * share**k * (1 - share) ** (m - k) for k in range(m + 1))
    found = solve(n, m, epsilon, weights)
    assert found.value == pytest.approx(float(np.dot(weights, halfway(n, m, epsilon))), abs=1e-7)
    assert found.dual == pytest.approx(found.value, abs=1e-7)


def test_the_program_without_symmetry_has_the_same_optimum():
    """All ordered databases one by one, three candidates and an abstention."""
    n, m, epsilon = 3, 3, 0.8
    bases = list(itertools.product(range(n + 1), repeat=m))  # n: an abstention
    place = {(s, j): i for i, (s, j) in enumerate(itertools.product(bases, range(n)))}
    rows = []
    for s in bases:
        for at, new in itertools.product(range(m), range(n + 1)):
            other = (*s[:at], new, *s[at + 1 :])
            rows += [(place[s, j], place[other, j]) for j in range(n) if s != other]
    budget = np.zeros((len(rows), len(place)))
    for row, (a, b) in enumerate(rows):
        budget[row, a], budget[row, b] = 1, -math.exp(epsilon)
    sums = np.zeros((len(bases), len(place)))
    for row, s in enumerate(bases):
        sums[row, [place[s, j] for j in range(n)]] = 1
    gain = np.zeros(len(place))
    for j in range(n):
        for k in range(m + 1):
            gain[place[(j,) * k + (n,) * (m - k), j]] += 1 / (n * (m + 1))
    found = linprog(
        -gain, A_ub=budget, b_ub=np.zeros(len(rows)), A_eq=sums, b_eq=np.ones(len(bases))
    )
    assert -found.fun == pytest.approx(solve(n, m, epsilon).value, abs=1e-7)


def test_databases_are_counted_once_each():
    # Partitions of 0, ..., 8: 1 + 1 + 2 + 3 + 5 + 7 + 11 + 15 + 22.
    assert len(list(databases(8, 8))) == len(set(databases(8, 8))) == 67
    assert set(databases(3, 2)) == {(), (1,), (2,), (3,), (1, 1), (2, 1)}


def test_a_program_that_would_take_too_long_is_refused():
    with pytest.raises(InputError, match=r"^m must leave at most 60,000 inequalities"):
        solve(255, 17, 0.5)


# --- The pictures -------------------------------------------------------------------------------


def test_the_price_of_other_votes():
    found = price(60, np.array([0.0, 20.0, 40.0]), 16, 0.5)
    assert found.margin == pytest.approx([0.9999, 0.9918, 0.2050], abs=6e-5)
    assert found.mechanism == pytest.approx([0.9803, 0.9803, 0.9739], abs=6e-5)
    few = price(40, np.zeros(1), 16, 0.5)
    assert (few.margin[0], few.mechanism[0]) == pytest.approx((0.9918, 0.2516), abs=6e-5)
    # The same from the definition, the votes of others on one point or on many.
    law = chances((60, 40), 2**16, 0.5)
    assert law[0] == pytest.approx(found.margin[2], rel=1e-9)
    assert chances((60, *[1] * 40), 2**16, 0.5)[0] == pytest.approx(law[0], rel=1e-3)


def test_slopes():
    """epsilon up to one half, epsilon / 2 from there on; a vote or two behind the optimum."""
    d, epsilon = 64, 0.5
    k = np.arange(200.0)
    found = over_votes(k, d * LOG2, d * LOG2, epsilon)
    assert found.half == pytest.approx((d + 1) * LOG2 / epsilon, rel=0.01)
    climb = slice(int(10 / epsilon), int(0.8 * found.free))
    late = slice(int(1.1 * found.half), 190)
    for odds in (found.packing_two, found.margin):
        assert np.diff(odds[climb]).mean() == pytest.approx(epsilon, rel=0.02)
        assert np.diff(odds[late]).mean() == pytest.approx(epsilon / 2, rel=0.02)
    assert np.diff(found.mechanism) == pytest.approx(epsilon / 2, rel=1e-6)
    assert (found.margin <= found.packing_two + 1e-9).all()
    assert (found.mechanism <= found.margin + 1e-9).all()
    assert (found.mechanism <= found.flip + 1e-9).all()
    many = over_votes(k, 1e6 * LOG2, 1e6 * LOG2, epsilon)  # chances that no float holds
    assert many.packing_two == pytest.approx(epsilon * k - 1e6 * LOG2, rel=1e-12)
    # F is e^{eps k} / (2 N) far below, and luck adds as much as names: 1/N.
    own = np.expm1(epsilon * k[:9]) / 2.0 + 1.0
    assert many.margin[:9] == pytest.approx(np.log(own) - 1e6 * LOG2, rel=1e-12)
    _, spent = halfway_steps(k, np.array(d * LOG2), np.array(epsilon))
    assert np.log(np.expm1(spent)) == pytest.approx(found.packing_two, abs=1e-9)


@pytest.mark.parametrize("d", [1, 2, 16, 1024, 10**6])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 10.0])
def test_every_picture_is_drawn_at_every_setting(d, epsilon):
    drawn = [
        figures.slopes(d, epsilon), figures.traded(60, d, epsilon),
        figures.successes(d, epsilon, 0.1, 0.1), figures.checked(3, 0, "2-1", 0.5, d, epsilon).picture,
    ]  # fmt: skip
    for picture in drawn:
        assert picture.title
        assert picture.summary
        assert len({len(column) for column in picture.table.values()}) == 1
        for trace in picture.figure["data"]:
            assert not np.isnan(np.array(trace["y"], dtype=float)).all()


def test_beyond_what_a_float_holds_the_proof_is_shown_at_fewer_bits():
    far, there = (figures.checked(3, 1, "2-1", 0.5, d, 0.5) for d in (10**6, figures.MOST_BITS))
    assert far.bits == figures.MOST_BITS
    assert far.steps == there.steps
    y = [trace["y"] for trace in far.picture.figure["data"] if len(trace["y"]) > 9]
    # P of a candidate with k votes is (e^{eps k} + 1) / (2N) while nobody is likely.
    x = 0.5 * (3.0 + np.linspace(0.0, 1.0, len(y[0])))
    assert y[0] == pytest.approx(np.exp(x) / (np.exp(x) + 1.0), rel=1e-9)
    assert figures.checked(3, 1, "2-1", 0.5, 64, 0.5).bits == 64


def test_need_and_ratio_over_d():
    table = figures.needed(64, 0.5, 0.1, 0.1).table
    at = table["d"].index(64)
    assert (table["packing-two"][at], table["margin"][at]) == (1030, 1044)
    assert table["exponential"][-1] == 27_746_139
    assert table["margin / packing-two"][-1] == pytest.approx(1, abs=1e-5)
    assert table["exponential / packing-two"][-1] == pytest.approx(2, abs=1e-3)


# --- The proof ------------------------------------------------------------------------------------

VOTES = [(0, 0), (1, 0), (3, 1), (10, 10), (20, 10), (40, 39), (90, 2)]


def possible(votes, move):
    source = MOVES[move][0]
    return source is None or votes[source] > 0


@pytest.mark.parametrize("log_n", [2 * LOG2, 4 * LOG2, 16 * LOG2, 64 * LOG2])
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 3.0])
def test_every_inequality_of_the_proof_holds_along_every_move(log_n, epsilon):
    for votes, move in itertools.product(VOTES, MOVES):
        if not possible(votes, move):
            continue
        found = along(votes, move, log_n, epsilon, 41)
        assert np.abs(found.ratio).max() <= 1 + 1e-12
        for h in (0.0, 0.31, 1.0):
            for step in steps(votes, move, log_n, epsilon, h):
                assert step.holds or not step.used, (votes, move, h, step)


def test_the_derivatives_are_those_of_the_probabilities():
    found = along((20, 10), "1-2", 16 * LOG2, 0.5, 4001)
    slope = np.gradient(np.log(found.chance), found.h, axis=1) / 0.5
    assert np.abs(slope - found.ratio)[:, 1:-1].max() < 1e-5
    # Its ends are two databases of the audit.
    for end, votes in ((0, (20, 10, 0)), (-1, (19, 11, 0))):
        assert found.chance[:3, end] == pytest.approx(chances(votes, 2**16, 0.5), rel=1e-9)


def test_a_step_that_fails_is_told():
    """Without the tax the audit finds a loss above epsilon; a step says so of wrong sides."""
    assert worst_loss(4, 5, 0.5, share=0.0)[0] > 0.5
    step = steps((20, 10), "1-2", 16 * LOG2, 0.5, 0.5)[-1]
    assert step.holds
    assert not type(step)(step.words, step.formula, step.right * 1.01, step.right).holds
