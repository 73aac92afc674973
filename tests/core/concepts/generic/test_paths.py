"""The search over paths of a mistake tree: against all of them, one after the other."""

import math

import numpy as np
import pytest

from privsc_core.concepts.generic import littlestone
from privsc_core.concepts.generic.guessing import least_guessing
from privsc_core.concepts.generic.littlestone import Paths, path_limit, sharp_littlestones
from privsc_core.concepts.interval.bounds import guesses
from privsc_core.concepts.shared.inequalities import log_tail

rng = np.random.default_rng(47)
SETTINGS = [
    (
        int(rng.integers(1, 65)), float(np.exp(rng.uniform(np.log(0.01), np.log(10)))),
        float(np.round(rng.uniform(0.01, 0.45), 3)), float(np.exp(rng.uniform(-18, -1))),
    )
    for _ in range(12)
]  # fmt: skip


def every_path(depth, alpha):
    """Return all (l, j) with j > alpha l."""
    return Paths.of(
        [
            (length, j)
            for length in range(1, depth + 1)
            for j in range(math.floor(alpha * length + 1e-9) + 1, length + 1)
        ],
        alpha,
    )


@pytest.mark.parametrize(("depth", "epsilon", "alpha", "beta"), SETTINGS)
def test_no_path_that_is_left_out_excludes_more(depth, epsilon, alpha, beta):
    paths = every_path(depth, alpha)
    columns = paths.log_good, paths.log_rivals, paths.masses
    (found,) = sharp_littlestones((depth,), (epsilon,), alpha=alpha, beta=beta)
    assert found.m == max(least_guessing(*columns, epsilon=epsilon, beta=beta).max(), 1)


@pytest.mark.parametrize(("depth", "epsilon", "alpha", "beta"), SETTINGS)
def test_what_is_enough_without_an_expectation_is_enough_with_one(depth, epsilon, alpha, beta):
    paths = every_path(depth, alpha)
    told = 0
    for m in (2, 10, 50, 1000):
        best = littlestone._Best([epsilon], beta)
        best.m[:] = m
        enough = best.enough(paths, np.zeros(paths.lengths.size, dtype=np.intp))
        sizes, loss = np.full(paths.lengths.size, m), np.array([epsilon])
        lost = path_limit(sizes, paths, loss, tail=log_tail(beta), lost=True)
        assert (lost[enough] <= beta * (1 + 1e-9)).all()
        told += int(enough.sum())
    assert told or depth < 3 or epsilon < 0.05


@pytest.mark.parametrize(("depth", "epsilon"), [(65, 0.1), (80, 2.0), (200, 0.5)])
@pytest.mark.parametrize("alpha", [0.016, 0.13, 0.4])
def test_long_paths_that_are_told_of_together_lose_nothing(depth, epsilon, alpha):
    pairs = [
        (length, j)
        for length in range(65, depth + 1)
        for j in range(math.floor(alpha * length + 1e-9) + 1, length // 2 + 1)
    ]
    told = [
        int(m)
        for m in np.geomspace(10, 10**6, 60)
        if littlestone._long_surely_one(
            np.array([int(m)]), np.array([depth]), np.array([epsilon]), alpha
        )
    ]
    paths, loss = Paths.of(pairs, alpha), np.array([epsilon])
    lost = path_limit(np.array([told[0]]), paths, loss, tail=log_tail(1e-15), lost=True)
    assert lost.max() <= 1e-15
    # And not for want of trying.
    lost = path_limit(np.array([told[0] // 2]), paths, loss, tail=log_tail(1e-15), lost=True)
    assert lost.max() > 1e-15


def test_patterns_of_long_paths_are_counted_and_hardly_rounded_up():
    cases = [
        (64, 20),
        (65, 1),
        (65, 2),
        (65, 32),
        (100, 30),
        (1_000, 10),
        (1_000, 499),
        (4_000, 900),
    ]
    found = littlestone.log_patterns(*np.array(cases).T)
    for (length, j), log in zip(cases, found, strict=True):
        assert 0 <= log - math.log(sum(math.comb(length, i) for i in range(j))) <= 2e-8, (length, j)


def test_settings_together_say_what_each_says_alone():
    depths, losses = (1, 7, 64, 65, 200, 200, 3000), (0.1, 0.1, 2.0, 0.1, 0.1, 2.0, 0.5)
    together = sharp_littlestones(depths, losses, alpha=0.11, beta=0.07)
    littlestone._found.clear()
    for depth, loss, found in reversed(list(zip(depths, losses, together, strict=True))):
        assert sharp_littlestones((depth,), (loss,), alpha=0.11, beta=0.07) == (found,)


@pytest.mark.parametrize("accuracy", [0.05, 0.2, 0.4, 0.49, 0.6])
def test_the_least_guess_is_that_of_two_full_grids(accuracy):
    bits = np.array([2, 3, 7, 19, 64, 130, 400, 10_000])
    found = guesses.best_guesses(bits, np.full(bits.size, accuracy))
    most = (0.5 - accuracy) / (1.0 - accuracy)
    for d, guess in zip(bits, found, strict=True):
        if most <= 0.0:
            assert guess == 0.0
            continue
        grid = most * guesses._TRIED
        rough = guesses.log_guess(d, np.array(accuracy), grid)
        at = int(rough.argmin())
        fine = np.linspace(grid[max(at - 1, 0)], grid[min(at + 1, grid.size - 1)], 65)
        values = guesses.log_guess(d, np.array(accuracy), fine)
        assert guess == pytest.approx(min(rough[at], values.min()), rel=1e-13)
