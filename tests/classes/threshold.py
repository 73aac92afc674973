"""Thresholds on [0, 1], written a second time: masses outwards from z instead of points of a grid.

A point is (side, u): u its mass from z, from 0 to 1/2. Learners that protect labels alone only see
an order, so four zones (far left, near left, near right, far right) are all that matters to them.
"""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import itertools
import math
from functools import partial

import mpmath as mp
import numpy as np
from scipy.stats import binom, multinomial

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.sample import Sample
from tests.classes.interval import IntervalGames, log_lucks, moved
from tests.classes.known import Known
from tests.core.references import converse_mean, exact
from tests.core.support import decimal
from tests.referee.games import Task, above

# --- The success of every learner on one or two examples ----------------------------------------


def by_order(learner, distribution, m, d, epsilon, alpha, beta):
    """Sum over how many examples fall into each zone, and over what the learner puts out then."""
    del distribution, d
    zones = ((0.5 - alpha, 1), (alpha, 1), (alpha, 0), (0.5 - alpha, 0))
    bits, total = (4 * m - 1).bit_length() + 1, 0.0
    for counts in itertools.product(range(m + 1), repeat=3):
        if sum(counts) > m:
            continue
        drawn = np.repeat(range(4), [*counts, m - sum(counts)]).tolist()
        points = [1 + zone * m + place for place, zone in enumerate(drawn)]
        sample = Sample.of(bits, points, [zones[zone][1] for zone in drawn])
        # Below, on or between the points: accurate iff nothing of a far zone is passed.
        near = {x for x, zone in zip(points, drawn, strict=True) if zone in {1, 2}}
        shares = learner.output_distribution(sample, Cell(sample.d, epsilon, alpha, beta))
        chance = multinomial.pmf([drawn.count(zone) for zone in range(4)], m, [p for p, _ in zones])
        total += chance * sum(shares[j] for j in near)
    return total


def by_quadrature(learner, distribution, m, d, epsilon, alpha, beta):
    """Integrate over the masses of one or two points, cell by cell of the weights."""
    del learner, beta
    lam = 2 * alpha if distribution.name == "window" else 1.0
    b = d if distribution.name == "window" else 0
    half = lam * 2.0**b / (2**b - 1 + lam) / 2
    reach, q = half / 2.0**b, math.exp(-epsilon / 2)

    def place(u):
        return np.where(u <= half, u / 2.0**b, reach + (u - half) / max(1 - lam, 1e-9))

    cuts = sorted({0.0, min(alpha, half), max(alpha, half) if half < 0.5 else half, alpha, 0.5})
    nodes, weights = np.polynomial.legendre.leggauss(60)
    u = np.concatenate([(a + b) / 2 + nodes * (b - a) / 2 for a, b in itertools.pairwise(cuts)])
    w = np.concatenate([weights * (b - a) / 2 for a, b in itertools.pairwise(cuts)])
    edges = place(np.array([alpha]))[0]
    total = 0.0
    for sides in itertools.product((-1, 1), repeat=m):
        grid = np.meshgrid(*(side * place(u) for side in sides), indexing="ij")
        chance = math.prod(np.meshgrid(*[w] * m, indexing="ij"))
        total += float((chance * _given(grid, edges, q)).sum())
    return total


def _given(points, edge, q):
    """Return the share of the weights within `edge` of 0 on [-1/2, 1/2], mistakes counted afresh."""
    fixed = [np.full_like(points[0], x) for x in (-0.5, -edge, 0.0, edge, 0.5)]
    ends = np.sort(np.stack([*fixed, *points]), axis=0)
    middle, length = (ends[1:] + ends[:-1]) / 2, np.diff(ends, axis=0)
    # A threshold errs on the points between it and 0.
    wrong = sum(((x > 0) & (x < middle)) | ((x < 0) & (x > middle)) for x in points)
    weight = length * q**wrong
    return (weight * (abs(middle) < edge)).sum(axis=0) / weight.sum(axis=0)


def by_zones(learner, distribution, m, d, epsilon, alpha, beta):
    """Sum over the zones between neighbours of the net: all that mistakes depend on."""
    del learner, beta
    lam = exact(2 * alpha) if distribution.name == "window" else mp.mpf(1)
    b = d if distribution.name == "window" else 0
    window = lam / (2**b - 1 + lam)
    size = math.ceil(2 * 2**d / decimal(alpha))

    def mass(away):
        inside = min(abs(away), window / 2) * 2**b
        return inside + max(abs(away) - window / 2, 0) * (1 - lam)

    place = [mp.mpf(2 * i - 1) / (2 * size) - mp.mpf(1) / 2 for i in range(1, size + 1)]
    good = np.array([mass(x) <= exact(alpha) + mp.mpf(10) ** -30 for x in place])
    below = [0.0, *(float(mp.mpf(1) / 2 + mp.sign(x) * mass(x)) for x in place), 1.0]
    # The zone that holds z is two: what lies left of it has label 1.
    at = size // 2
    ends = [*below[: at + 1], 0.5, *below[at + 1 :]]
    shares, labels = np.diff(ends), np.arange(size + 2) <= at
    first = np.array([zone if zone <= at else zone - 1 for zone in range(size + 2)])
    # Threshold i lies right of the zones up to it.
    wrong = (first[:, None] <= np.arange(size)[None, :]) != labels[:, None]
    weight = np.exp(-epsilon / 2 * wrong)
    if m == 1:
        return float(shares @ ((weight @ good) / weight.sum(axis=1)))
    assert m == 2
    return float(sum(
        share * shares @ ((weight * one) @ good / ((weight * one).sum(axis=1)))
        for share, one in zip(shares, weight, strict=True)
    ))  # fmt: skip


# --- Inequalities of bounds ----------------------------------------------------------------------


def pair(m, d, epsilon, alpha, beta):
    if 4 * exact(alpha) >= 1:
        return True
    return converse_mean(m, 1, exact(epsilon), 2 * exact(alpha)) >= 1 - exact(beta)


def packing(m, d, epsilon, alpha, beta):
    """Tell that no interval of a finer grid excludes m; in floats."""
    return packed(m, d, epsilon, alpha, beta, lambda count, rivals: 1 / (
        1 + np.exp(np.minimum(math.log(rivals) - epsilon * count, 700))
    ))  # fmt: skip


def packing_two(m, d, epsilon, alpha, beta):
    """The same with the best database between two samples: the sum is convex in t."""

    def kept(count, rivals):
        middle = np.round((count - math.log(rivals) / epsilon) / 2)
        t = np.clip(middle[:, None] + np.arange(-2, 3), 0, count[:, None])
        far = epsilon * (count[:, None] - t) - math.log(rivals)
        return 1 - np.exp(-np.logaddexp(epsilon * t, far).min(axis=1))

    return packed(m, d, epsilon, alpha, beta, kept, steps=4)


def packed(m, d, epsilon, alpha, beta, kept, *, steps=8):
    lam = 2 * alpha
    window = lam / (2.0**d - 1 + lam)
    count = np.arange(m + 1)
    for v in 2.0 ** (-np.arange(1, steps * (8 + math.log2(d + 1))) / steps):
        span = v * 2.0**d / lam
        if v <= 1 - window and span > 1 + 1e-12:
            rivals = math.ceil(span) - 1 if span < 2**50 else span
            if binom.pmf(count, m, lam + (1 - lam) * v) @ kept(count, rivals) < 1 - beta:
                return False
    return True


def log_net(d, alpha):
    return mp.log(mp.ceil(2 * mp.mpf(2) ** d / exact(alpha)))


def theorem_8(m, d, epsilon, alpha, beta, hoeffding=32):
    a, e, rare = exact(alpha), exact(epsilon), -mp.log(exact(beta))
    net = log_net(d, alpha)
    return m >= max(
        hoeffding / a**2 * (mp.log(4) + net + rare), 8 / (e * a) * (mp.log(2) + net + rare)
    )


def theorem_9(m, d, epsilon, alpha, beta, chernoff=400):
    """Each event of the proof by itself: a third of them has beta / 2, the others beta / 4."""
    a, b, net = exact(alpha), exact(beta), mp.exp(log_net(d, alpha))
    bad, good = net * mp.exp(-a * m / chernoff), mp.exp(-a * m * 100 / 309)
    return (
        bad <= b / 4 and good <= b / 4 and net * mp.exp(-3 * a * exact(epsilon) * m / 40) <= b / 2
    )


def littlestone(m, d, epsilon, alpha, beta):
    """As for INTERVAL_d, d = b: no (s, delta') of another grid excludes m."""
    shares = np.geomspace(2.001 * alpha, 1.0, 50) if 2.001 * alpha < 1 else [1.0]
    lucks = (log_lucks(d, alpha / s)[0].min() for s in shares)
    return all(moved(m, q, s, epsilon) >= 1 - beta for q, s in zip(lucks, shares, strict=True))


class ThresholdGames(IntervalGames):
    """The pair; the other bounds pack more targets than a game that can be solved has."""

    name = "threshold"
    bits = (10, 11)
    unplayed = frozenset({"packing", "packing-two", "littlestone-entropy", "theorem-5"})

    def picture(self, distribution, d, alpha):
        del distribution, d, alpha
        return []

    def worst(self, d, alpha):
        a = decimal(alpha)
        if 2 * a < 1:
            pair = {2: above(2 * a), 1: above(1 - 2 * a, -1)}
            yield "pair", [Task(self.row(2, d), pair), Task(self.row(3, d), pair)], None


def full_and_blind(learner):
    return learner.proper and learner.privacy == "pure"


KNOWN = Known(
    alpha_most=0.4999,
    is_concept=lambda row: list(row) == sorted(row, reverse=True),
    continuum=frozenset({"window", "uniform"}),
    enumerators={
        "erm": by_order, "noisy-count": by_order, "ranks": by_order, "ranks-coarse": by_order,
        "density": by_quadrature, "net": by_zones,
    },
    holds={
        "packing": packing,
        "littlestone-entropy": littlestone,
        "packing-two": packing_two,
        "theorem-8": theorem_8,
        "theorem-9": theorem_9,
        "theorem-8-ours": partial(theorem_8, hoeffding=8),
        "theorem-9-ours": partial(theorem_9, chernoff=200),
    },
    binds={
        "pair": lambda x: x.privacy in {"pure", "label"}, "packing": full_and_blind,
        "packing-two": full_and_blind, "theorem-5": full_and_blind, "littlestone-entropy": lambda x: x.privacy == "pure",
    },
    searched={"packing": 0.02, "packing-two": 0.02, "density": 0.001, "littlestone-entropy": 0.01},
    thinned={"littlestone-entropy": 10, "packing-two": 5},
    slow={"density": 5, "net": 10, "ranks-coarse": 10},
    without_limit=frozenset({"theorem-8-ours", "theorem-9-ours"}),
    weaker={
        ("theorem-5", "packing"): lambda d, *_: d < 0,
        ("packing", "packing-two"): lambda d, *_: d < 0,
    },
    referee=ThresholdGames(),
    cards=(("erm", "noisy-count"), ("packing-two", "pair")),
    whom={
        "packing-two": "for every proper ε-DP learner that does not know where the data are dense",
        "pair": "impossible below",
    },
    defaults={
        "d": 16, "learners": ("erm", "density", "noisy-count"), "dist": "window", "map": "noisy-count",
        "lam": 0.0, "l": "0", "who": "density", "nwho": "density", "pack": "packing",
        "sight": "mass", "ldraw": 1, "guessed": 12,
    },
    rich="open=line.coarse.knowing.contrast.microscope.neighbours.bound-packing.recipe",
    moving="density",
)  # fmt: skip
