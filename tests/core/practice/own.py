"""Checks of the kinds of single classes: enumeration, recursion and quadrature in place of their formulas."""

import itertools
import math
from fractions import Fraction

import numpy as np
from scipy import optimize, stats

from privsc_core.concepts.contracts import Setting
from privsc_core.exhibits.parity import least_queries
from tests.classes import target_of
from tests.core.practice.routes import least_of, near, of


def positives(s, _, value):
    known = target_of(s.law)
    truth, masses = known.truth(s.law, s.d), known.masses(s.law, s.d, Fraction(str(s.alpha)))
    return near(
        value, s.m * float(sum(mass for point, (mass, _) in masses.items() if truth(point)))
    )


def hash_bits(s, _, value):
    product = Fraction(str(s.alpha)) * Fraction(str(s.beta)) / 4
    return value == next(t for t in itertools.count() if Fraction(1, 2**t) <= product)


def worth(s, _, value):
    """Solve (e^{eps/2} - 1)(1 - C/N)/C = delta for the answers C that count, in bits."""
    gain, size = math.expm1(s.epsilon / 2), 2.0 ** min(s.d, 900)

    def over(bits):
        return gain * (1 - 2.0**bits / size) / 2.0**bits - s.delta

    return abs(value - optimize.brentq(over, 0.0, min(s.d, 900))) < 0.1


def labels(s, asked, value):
    learner = of(s, "generic").beside(asked.about["u"])
    few, many = (least_of(s, learner, d=d) for d in (s.d, asked.about["d"]))
    true = {
        "falls": many < few,
        "stays": many == few,
        "grows": few < many < 2 * few,
        "more": many >= 2 * few,
    }
    return true[value]


def levels(s, _, value):
    """Halve the thresholds between the labels until one is left: a candidate each time."""
    left, count = 2**s.d, 1
    while left > 1:
        left, count = (left + 1) // 2, count + 1
    return value == count


def mistakes(s, _, value):
    """Let an adversary answer so that at least half of the thresholds stay."""
    left, count = 2**s.d + 1, 0
    while left > 1:
        left, count = left // 2, count + 1
    return value == count


def averaging(s, _, value):
    """The growth of the closed guess of the number, of chi-square and gamma quantiles."""
    n = min(max(s.d, 10), 125)
    few, many = (
        float(of(s, "averaging").initial_guess(s.law, Setting(np.array(1), np.array(d), np.array(s.epsilon), s.alpha, s.beta)))
        for d in (n, 8 * n)
    )  # fmt: skip
    return abs(float(value.split()[1]) - math.log(many / few, 8)) < 0.12


def wedges(s, _, value):
    """Integrate over the circle where the labels of two half-planes differ."""
    angle, turn = math.pi * s.alpha, np.linspace(0, 2 * math.pi, 20_001)[:-1]
    return (
        abs(value - np.mean((np.cos(turn) > 0) != (np.cos(turn - angle) > 0)))
        < 1e-3 * s.alpha + 2e-4
    )


def stretch(s, _, value):
    """Spread the largest density over a part: the examples fill it, and no shorter one."""
    return near(value * math.prod([2] * s.d), 1)


def blind(s, _, value):
    """Count thresholds around an interval, by the examples between each and the target."""
    places = np.linspace(-2, 2, 400_001)  # in lengths of the interval
    error = np.abs(np.clip(places, -0.5, 0.5))
    share = 4 * np.mean(error <= s.alpha + 1e-9)
    return abs(value * 2.0**s.d - share) < 1e-2 * share


def ways(s, _, value):
    """Count the labelings of few points, which says how many are more than points."""
    points = range(7)
    more = len({tuple(x < cut for x in points) for cut in range(8)}) - len(points)
    return value == s.m + more


def board(side):
    return [
        (left, right, low, high) for left in range(side) for right in range(left, side)
        for low in range(side) for high in range(low, side)
    ]  # fmt: skip


def rectangle_bits(s, _, value):
    def number(side):
        return sum(range(1, side + 1)) ** 2 if side < 9 else math.comb(side + 1, 2) ** 2

    assert [number(side) for side in range(1, 6)] == [len(board(side)) for side in range(1, 6)]
    return abs(value - math.log2(math.comb(2**s.d + 1, 2) ** 2)) < 1e-3


def corner(s, _, value):
    """Count at three small boards; as a polynomial of degree two the number is that of three places."""
    sides = (2, 3, 5)
    found = [sum(left == low == 0 for left, _, low, _ in board(side)) for side in sides]
    return near(value, np.polyval(np.polyfit(sides, found, 2), 2.0**s.d))


def strips(s, _, value):
    chance = 4 * (1 - s.alpha / 4) ** np.array([value - 1, value])
    return chance[1] <= s.beta < chance[0]


def primes_up_to(most):
    return next(p for p in range(most, 1, -1) if all(p % q for q in range(2, math.isqrt(p) + 1)))


def line_bits(s, _, value):
    return abs(value - math.log2(primes_up_to(2**s.d) ** 2)) < 1e-9


def through(s, asked, value):
    p = 101  # by the count at a small prime: as many as it has coefficients
    lines = sum((a * 3 + b - 5) % p == 0 for a in range(p) for b in range(p))
    return near(value, lines / p * primes_up_to(2**s.d)) and asked.about["p"] == primes_up_to(
        2**s.d
    )


def ranks(s, _, value):
    """Follow the rank of random equations, one after the other."""
    chances, drawn = np.zeros(s.d + 1), 0
    chances[0] = 1.0
    while chances[-1] < 1 - s.beta:
        stays = 2.0 ** (np.arange(s.d + 1) - s.d)
        chances = chances * stays + np.append(0.0, (chances * (1 - stays))[:-1])
        drawn += 1
    return value == drawn


def queries(s, _, value):
    return near(value, least_queries(s.d, 2.0 ** (-s.d / 4), 1 - s.beta))


def contradictions(s, _, value):
    """Replace an example by another one, and add up how much the d counts change, at most."""
    d = 4
    rows = [
        [y * (1 - bit) for bit in bits]
        for bits in itertools.product((0, 1), repeat=d)
        for y in (0, 1)
    ]
    most = max(
        sum(abs(a - b) for a, b in zip(*pair, strict=True))
        for pair in itertools.product(rows, repeat=2)
    )
    return near(value, most / d * s.d / s.epsilon)


def survives(_, asked, value):
    k = asked.about["k"]
    return near(value, sum(all(bits) for bits in itertools.product((0, 1), repeat=k)) / 2**k)


def seed(s, _, value):
    return value == math.isqrt(s.d - 1) + 1


def histogram(s, _, value):
    """Replace an entry in all databases of two entries on three cells."""
    counts = [np.bincount(data, minlength=3) for data in itertools.product(range(3), repeat=2)]
    data = list(itertools.product(range(3), repeat=2))
    most = max(
        np.abs(counts[i] - counts[j]).sum() for i, a in enumerate(data) for j, b in enumerate(data)
        if sum(x != y for x, y in zip(a, b, strict=True)) == 1
    )  # fmt: skip
    return near(value, most / s.epsilon)


def empty(s, _, value):
    return near(value, 2.0**s.d * stats.laplace(scale=2 / s.epsilon).sf(s.alpha * s.m))


def stable(s, _, value):
    return near(stats.laplace(loc=1, scale=2 / s.epsilon).sf(value), s.delta)


def answered(s, _, value):
    return value == s.d + len(list(itertools.combinations(range(s.d), 2)))


def norms(s, _, value):
    """Compare a row of ones with each row, by how many are -1: which is the worst does not matter to the ratio."""
    ratios = []
    for minus in range(s.d + 1):
        row = np.array([1] + [-1] * minus + [1] * (s.d - minus))
        change = (np.outer(row, row) - 1)[np.triu_indices(s.d + 1, 1)]
        ratios.append(
            (np.abs(change).sum(), np.abs(change).sum() / max(np.sqrt((change**2).sum()), 1e-9))
        )
    return near(value, max(ratios)[1])


def gauss(s, asked, value):
    """Replace a row by all others, up to their order, and take both norms of how the answers change."""

    def norms(d):
        rows = np.tril(np.full((d + 1, d), -2), -1) + 1  # row k has k signs -1
        changes = [np.triu(np.outer(row, row) - 1, 1).ravel() for row in rows]
        return [max(np.linalg.norm(change, power) for change in changes) for power in (1, 2)]

    one, two = (
        f"{many / few:.2g} times" for few, many in zip(norms(s.d), norms(2 * s.d), strict=True)
    )
    assert f"each answer grows {one}, Gaussian noise {two}." in asked.sentence
    return value == "norms"


def member(s):
    of_ = s.concept_class.member
    return [tuple(map(int, row)) for row in of_.text().split()], of_.points


def shattered(s, _, value):
    rows, points = member(s)
    sizes = [
        k for k in range(points + 1)
        if any(len({tuple(row[x] for x in some) for row in rows}) == 2**k for some in itertools.combinations(range(points), k))
    ]  # fmt: skip
    return value == max(sizes)


def depth(rows, points):
    """Return the depth of the deepest full tree of questions, by trying all of them."""
    best = 0
    for x in range(points):
        parts = [frozenset(row for row in rows if row[x] == y) for y in (0, 1)]
        if all(parts):
            best = max(best, 1 + min(depth(part, points) for part in parts))
    return best


def trees(s, _, value):
    rows, points = member(s)
    return value == depth(frozenset(rows), points)


# By the kind: what tells whether an answer is right, and the class.
OWN = {
    "positive-examples": (positives, ["point"]),
    "hash-bits": (hash_bits, ["point"]),
    "delta-worth": (worth, ["point"]),
    "labels-and-d": (labels, ["point"]),
    "tree-candidates": (levels, ["interval"]),
    "mistakes-of-thresholds": (mistakes, ["interval"]),
    "power-of-averaging": (averaging, ["halfspace"]),
    "random-direction": (wedges, ["halfspace"]),
    "shortest-stretch": (stretch, ["threshold"]),
    "threshold-without-data": (blind, ["threshold"]),
    "labelings-by-thresholds": (ways, ["threshold"]),
    "bits-of-a-rectangle": (rectangle_bits, ["rectangle"]),
    "rectangles-at-a-corner": (corner, ["rectangle"]),
    "four-strips": (strips, ["rectangle"]),
    "bits-of-a-line": (line_bits, ["line"]),
    "chance-through-a-point": (through, ["line"]),
    "until-full-rank": (ranks, ["parity"]),
    "queries-of-parity": (queries, ["parity"]),
    "noise-of-counts": (contradictions, ["conjunction"]),
    "literals-left": (survives, ["conjunction"]),
    "bits-of-a-seed": (seed, ["pseudorandom-point"]),
    "share-of-images": (lambda s, _, v: near(v, 2.0 ** (math.isqrt(s.d - 1) + 1) / 2.0**s.d), ["pseudorandom-point"]),
    "scale-of-histogram": (histogram, ["release"]),
    "empty-cells": (empty, ["release"]),
    "stable-threshold": (stable, ["release"]),
    "number-of-answers": (answered, ["marginals"]),
    "sensitivity": (norms, ["marginals"]),
    "why-gauss": (gauss, ["marginals"]),
    "vc-dimension": (shattered, ["finite"]),
    "littlestone-dimension": (trees, ["finite"]),
    "which-number-decides": (lambda _s, _a, v: v == "representation", ["finite"]),
}  # fmt: skip
