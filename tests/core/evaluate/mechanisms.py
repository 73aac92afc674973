"""Mechanisms with a planted fault and their correct twins, each with what the fault costs, derived."""

import bisect
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Planted:
    """A fault beside the correct mechanism.

    `least` is the least epsilon (or, where `delta` is claimed, delta) of the faulty one on the pair, derived
    in the docstring of its test; runs in all with which the audit is sure to see it.
    """

    name: str
    faulty: Callable
    correct: Callable
    neighbours: list
    epsilon: float
    least: float
    trials: int
    delta: float = 0.0


def count(scale):
    """How many examples are 1, with Laplace noise; of sensitivity 1."""

    def mechanism(x, *, epsilon, rng):
        return sum(x) + rng.laplace(scale=scale / epsilon)

    return mechanism


def histogram(sensitivity):
    """How many examples are 0, and how many 1: one replaced example changes both counts by 1."""

    def mechanism(x, *, epsilon, rng):
        ones = sum(x)
        return np.array([len(x) - ones, ones]) + rng.laplace(scale=sensitivity / epsilon, size=2)

    return mechanism


def commonest(x):
    """Return the attribute that most examples have, without any noise."""
    return int(np.argmax(np.sum(x, axis=0)))


def noisy_max(value):
    """The attribute that most examples have, with noise for its number; or also that noisy number."""

    def mechanism(x, *, epsilon, rng):
        noisy = np.sum(x, axis=0) + rng.laplace(scale=2 / epsilon, size=len(x[0]))
        return float(noisy.max()) if value else int(noisy.argmax())

    return mechanism


SPENT_ON_THRESHOLD = 0.2
ANSWERS = 4
THRESHOLD = 1.0


def sparse(paid):
    """Which attributes more than `THRESHOLD` examples have; it stops after four.

    The threshold has one noise, which is never renewed. The noise of the counts is right for `paid`
    answers above the threshold.
    """

    def mechanism(x, *, epsilon, rng):
        first = SPENT_ON_THRESHOLD * epsilon
        threshold = THRESHOLD + rng.laplace(scale=1 / first)
        counts = x.sum(axis=0)
        noisy = counts + rng.laplace(scale=2 * paid / (epsilon - first), size=len(counts))
        answers = ["⊤" if above else "⊥" for above in (noisy >= threshold).tolist()]
        above = [place for place, answer in enumerate(answers) if answer == "⊤"]
        return answers[: above[ANSWERS - 1] + 1] if len(above) >= ANSWERS else answers

    return mechanism


WIDTH = 3


def geometric_noise(epsilon, *, off):
    """Return the noises from -WIDTH to WIDTH, without the last one if `off`, and their probabilities."""
    noises = range(-WIDTH, WIDTH + (not off))
    weights = [math.exp(-epsilon * abs(z)) for z in noises]
    return list(noises), [w / math.fsum(weights) for w in weights]


def geometric(off):
    """How many examples are 1, with truncated geometric noise: (epsilon, delta)-private."""

    def mechanism(x, *, epsilon, rng):
        noises, chances = geometric_noise(epsilon, off=off)
        place = bisect.bisect(list(itertools.accumulate(chances)), rng.random())
        return sum(x) + noises[min(place, len(noises) - 1)]

    return mechanism


BITS = ([0, 1], [1, 1])
ROWS = ([(0, 0, 0, 0)], [(1, 1, 1, 1)])
TIE = ([(0, 1), (1, 0), (1, 0)], [(0, 1), (0, 1), (1, 0)])
# Four counts go from 0 to 1, and four from 2 to 1.
CROSSED = (np.array([[0] * 4 + [1] * 4] * 2), np.array([[1] * 4 + [0] * 4, [0] * 4 + [1] * 4]))

PLANTED = (
    Planted("half of the noise", count(0.5), count(1), [BITS], 1.0, 2.0, 8_000),
    Planted("sensitivity 1 for 2", histogram(1), histogram(2), [BITS], 1.0, 2.0, 16_000),
    Planted("no noise", commonest, noisy_max(value=False), [TIE], 1.0, math.inf, 4_000),
    Planted("value of the winner", noisy_max(value=True), noisy_max(value=False), [ROWS, TIE], 2.0, 4.0, 24_000),
    Planted("threshold for many", sparse(1), sparse(ANSWERS), [CROSSED], 2.0, 3.6484, 60_000),
    Planted(
        "one noise too few", geometric(off=True), geometric(off=False), [BITS], 1.0,
        math.exp(-2) / (1 + 2 * math.exp(-1) + 2 * math.exp(-2) + math.exp(-3)), 16_000,
        delta=math.exp(-3) / (1 + 2 * math.exp(-1) + 2 * math.exp(-2) + 2 * math.exp(-3)),
    ),
)  # fmt: skip
