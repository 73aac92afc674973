"""Which domain forces failure, the digit game, and towers of twos."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog

from privsc_core.concepts.interval.towers import Domain, interior
from privsc_core.errors import InputError
from privsc_core.exhibits.interval.tower import (
    LARGEST,
    best_success,
    digit_game,
    forced,
    heights,
    played,
)
from tests.budget import assert_rate
from tests.core.concepts.interval.test_tower import walk

SLACK = 1e-6

# --- Linear programs ------------------------------------------------------------------------------

# (n, epsilon, delta): T -> the best success, by another program.
OPTIMA = {
    (1, 1.0, SLACK): {2: 0.7311, 3: 0.5761, 4: 0.4754, 8: 0.2797},
    (1, 2.0, SLACK): {2: 0.8808, 3: 0.7870, 4: 0.7112, 8: 0.5135},
    (1, 3.0, SLACK): {2: 0.9526, 3: 0.9094, 4: 0.8700, 8: 0.7416},
    (2, 1.0, SLACK): {2: 0.8161, 3: 0.7434, 4: 0.6758, 5: 0.6176, 6: 0.5689, 7: 0.5276, 8: 0.4920},
    (2, 1.0, 0.05): {2: 0.8345, 3: 0.7691, 4: 0.7126, 5: 0.6727, 6: 0.6341, 7: 0.6011, 8: 0.5729},
    (2, 2.0, SLACK): {2: 0.9323, 3: 0.8973, 4: 0.8699, 5: 0.8479, 6: 0.8300, 7: 0.8130, 8: 0.7960},
    (2, 3.0, SLACK): {2: 0.9751, 3: 0.9609, 4: 0.9509, 5: 0.9412, 6: 0.9333, 7: 0.9259, 8: 0.9196},
    (3, 1.0, SLACK): {2: 0.9011, 3: 0.8374, 4: 0.7906, 5: 0.7567, 6: 0.7306},
    (3, 2.0, SLACK): {2: 0.9839, 3: 0.9691, 4: 0.9562, 5: 0.9443, 6: 0.9340},
}  # fmt: skip


@pytest.mark.parametrize(("n", "epsilon", "delta"), OPTIMA)
def test_the_best_mechanisms_of_tiny_domains(n, epsilon, delta):
    for size, wanted in OPTIMA[n, epsilon, delta].items():
        assert best_success(size, n, epsilon, delta) == pytest.approx(wanted, abs=6e-5), size
        if n == 1:
            alone = math.exp(epsilon) / (math.exp(epsilon) + size - 1)
            assert best_success(size, n, epsilon, delta) == pytest.approx(alone, abs=3 * delta)


@pytest.mark.whole
def test_thirteen_points_force_two_examples_to_fail():
    assert best_success(12, 2, 3.0, SLACK) == pytest.approx(0.9003, abs=6e-5)
    assert best_success(13, 2, 3.0, SLACK) == pytest.approx(0.8964, abs=6e-5)


@pytest.mark.parametrize(("size", "n", "delta"), [(3, 2, 0.05), (4, 2, 0.0), (2, 3, 0.1)])
def test_symmetric_mechanisms_lose_nothing(size, n, delta):
    """The program over lists of points, all pairs of neighbours and no symmetry."""
    every = list(itertools.product(range(size), repeat=n))
    pairs = [
        (a, b) for a, b in itertools.product(every, repeat=2)
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
    ]  # fmt: skip
    place = {cell: i for i, cell in enumerate(itertools.product(every, range(size)))}
    count = len(place)
    columns = count + 1 + len(pairs) * size
    rows, right = [], []

    def row(terms, most):
        line = np.zeros(columns)
        for column, value in terms:
            line[column] += value
        rows.append(line)
        right.append(most)

    for points in every:
        inside = range(min(points), max(points) + 1)
        row([(count, 1.0), *((place[points, z], -1.0) for z in inside)], 0.0)
    for k, (a, b) in enumerate(pairs):
        extra = [count + 1 + k * size + z for z in range(size)]
        for z in range(size):
            row([(place[a, z], 1.0), (place[b, z], -math.e), (extra[z], -1.0)], 0.0)
        row([(u, 1.0) for u in extra], delta)
    sums = np.zeros((len(every), columns))
    for i, points in enumerate(every):
        sums[i, [place[points, z] for z in range(size)]] = 1.0
    cost = np.zeros(columns)
    cost[count] = -1.0
    found = linprog(cost, np.array(rows), right, sums, np.ones(len(every)), (0.0, 1.0))
    assert best_success(size, n, 1.0, delta) == pytest.approx(-found.fun, abs=1e-7)


def bounds(size, n, epsilon, delta, *, digit=1.0):
    """Yield what one step allows on domains b^(s-1) of at most so many points; `digit` plants a fault."""
    for b, s, g in itertools.product(range(2, size + 1), range(2, size + 1), range(n + 1)):
        if b ** (s - 1) <= size:
            base, guess = (walk(p, epsilon, delta, n) for p in (1 / s, 1 / b))
            yield min(1.0, base[n - g] + digit * guess[g])


def test_no_mechanism_passes_what_tower_packing_allows():
    caught, told = 0, 0
    for n, size in ((1, 4), (1, 8), (2, 4), (2, 8), (3, 4), (3, 5)):
        for epsilon, delta in ((0.2, 1e-6), (0.5, 0.01), (1.0, 1e-6)):
            best = best_success(size, n, epsilon, delta)
            allowed = min(bounds(size, n, epsilon, delta))
            told += allowed < 1.0
            assert best <= allowed + 1e-7, (n, size, epsilon, delta)
            # Without the guess of a digit the bound would be too large a one.
            caught += best > min(bounds(size, n, epsilon, delta, digit=0.0)) + 1e-7
    assert told >= 10
    assert caught >= 3


def test_excluded_numbers_of_points_fail_in_truth():
    seen = 0
    for d, epsilon, beta in itertools.product((1, 2, 3), (0.1, 0.2, 0.5, 1.0), (0.1, 0.2, 0.3)):
        n = interior(Domain.of_bits(d), epsilon=epsilon, delta=1e-4, beta=beta).n
        if 1 <= n <= (3 if d < 3 else 2):
            seen += 1
            assert best_success(2**d, n, epsilon, 1e-4) < 1 - beta
    assert seen >= 5


def test_what_is_too_large_is_refused():
    with pytest.raises(InputError, match="T must be smaller"):
        best_success(20, 3, 1.0, 0.0)
    with pytest.raises(InputError, match="n must be at least 1"):
        best_success(3, 0, 1.0, 0.0)


def test_the_figure_names_the_first_domain_that_forces_failure():
    assert forced(1.0, 0.1, SLACK).first == {1: 2, 2: 2, 3: 3}
    found = forced(2.0, 0.1, SLACK)
    assert found.first == {1: 2, 2: 3, 3: 0}
    assert forced(3.0, 0.1, SLACK).first[1] == 4
    table = found.picture.table
    assert table["T"][-1] == max(LARGEST.values())
    for n, most in LARGEST.items():
        column = [value for value in table[f"n = {n}"] if value is not None]
        assert len(column) == most - 1
        assert column == sorted(column, reverse=True)
    assert "not certified" in found.picture.caption


# --- The digit game -------------------------------------------------------------------------------


def test_a_round_is_what_the_proof_says():
    known = guessed = 0
    for seed in range(400):
        one = played(3, 6, seed % 5, seed)
        assert len(one.secret) == 6
        for x, number in zip(one.points, one.numbers, strict=True):
            assert number == (*one.secret[:x], *[0] * (6 - x))
            assert number <= one.secret
        every = [*one.numbers, *[one.secret] * (seed % 5)]
        assert min(every) <= one.answer <= max(every)
        # An answer in between shares at least as many digits as the least x tells.
        assert one.shared >= one.points[0]
        known += one.shared > one.points[-1]
        guessed += not seed % 5 and one.shared > one.points[-1]
    assert known > 100
    assert guessed < known / 2


def test_a_guess_of_the_next_digit_is_right_once_in_b():
    right = sum(digit_game(4, 5, 0, seed, 2, 0.5, SLACK).right for seed in range(1, 2001))
    assert_rate(right, 2000, 0.25)


def test_the_secret_digit_is_shown_after_the_guess_alone():
    hidden = digit_game(10, 6, 3, 5, -1, 0.5, SLACK)
    assert hidden.right is None
    first, *_, last = list(hidden.picture.table.values())[1:]
    assert first[hidden.digit - 1 :] == last[hidden.digit - 1 :] == [None] * (7 - hidden.digit)
    secret = played(10, 6, 3, 5).secret
    assert digit_game(10, 6, 3, 5, secret[hidden.digit - 1], 0.5, SLACK).right
    shown = digit_game(10, 6, 3, 5, (secret[hidden.digit - 1] + 1) % 10, 0.5, SLACK)
    assert shown.right is False
    assert tuple(next(iter(list(shown.picture.table.values())[1:]))) == secret
    for wrong in ({"base": 1}, {"places": 99}, {"copies": -1}):
        with pytest.raises(InputError, match="must be in"):
            played(**{"base": 4, "places": 5, "copies": 0, "seed": 1} | wrong)


def test_towers_are_computed_at_the_setting():
    assert heights(0.5, 0.1, SLACK).table["excluded"] == [23, 39, 61, 83, 105]
    other = heights(1.0, 0.1, 1e-9).table["excluded"]
    assert other == sorted(other)
    assert other != [23, 39, 61, 83, 105]
