"""INTERVAL_d, written a second time."""

import itertools
import math
from fractions import Fraction
from functools import lru_cache

import mpmath as mp
import numpy as np
from scipy.stats import binom

from privsc_core.concepts.interval.distributions import IntervalDistribution, Threshold
from privsc_core.concepts.interval.learners import Generic
from tests.classes.known import Known, Target
from tests.classes.point import PointGames
from tests.core.support import decimal, flat
from tests.referee.games import Task, above, exactly

HALF = Fraction(1, 2)
# Those that cannot do without a slack are asked with this one.
SLACK = 1e-4

# --- Targets and distributions ------------------------------------------------------------------


class Thresholds(Target):
    """The target is c_{T/2}: 1 below the middle; or c_j, j = ...0101 in binary below 2^(d-1)."""

    def truth(self, distribution, d):
        j = step(distribution, d)
        return lambda x: int(x < j)

    def critical(self, distribution, d):
        j = step(distribution, d)
        return [j - 1, j]

    def masses(self, distribution, d, alpha):
        return interval_masses(distribution, 2**d, decimal(alpha))

    def concepts(self, d):
        return [Threshold(j) for j in range(1, 2**d + 2)]

    def read(self, number):
        return Threshold(number)

    def small(self, distribution):
        if distribution.name == "band":
            values = [(1,), (2, 0.9), (3, 0), (5, 0.25), (6, 1), (14, 0.75)]
            return [*values, (2, 0.5, "alternating"), (4, 0.9, "alternating")]
        return [("alternating",)] if distribution.knobs else ()


def step(distribution, d):
    """Return j of the target."""
    if distribution.goal == "middle":
        return 2**d // 2
    return sum(4**i for i in range(d) if 2 * i <= d - 2)


def interval_masses(distribution, size, a):
    j = step(distribution, size.bit_length() - 1)
    if distribution.name == "hard":
        # More than a on either side of the step, so less than 1 - 2a on point 1 (never below 0).
        above, rest = (a, Fraction(1)), 1 - 2 * a
        return {1: (rest, Fraction(-2 if rest else 0)), j - 1: above, j: above}
    if distribution.name == "cascade":
        scales = size.bit_length() - 3
        share = Fraction(1, 2 * scales), Fraction(0)
        return {j - 2**i: share for i in range(scales)} | {
            j - 1 + 2**i: share for i in range(scales)
        }
    everywhere = flat(1, size)
    if distribution.name == "uniform":
        return everywhere
    w, lam = distribution.w, decimal(distribution.lam)
    first = j - math.ceil(w / 2)
    inside = flat(first, first + w - 1)
    nothing = (Fraction(0), Fraction(0))
    return {
        x: (lam * inside.get(x, nothing)[0] + (1 - lam) * mass, Fraction(0))
        for x, (mass, _) in everywhere.items()
    }


def is_threshold(row):
    return list(row) == sorted(row, reverse=True)


# --- Inequalities of bounds in fifty digits -----------------------------------------


def bits_per_bit(gamma):
    """1 - H2(gamma)."""
    return 1 + gamma * mp.log(gamma, 2) + (1 - gamma) * mp.log(1 - gamma, 2)


def hopeless_runs(d, accuracy, confidence):
    """Return the most runs N with log2 N below (1 - H2(gamma)) d."""
    gamma = accuracy + confidence - accuracy * confidence
    return mp.ceil(mp.mpf(2) ** (bits_per_bit(gamma) * d)) - 1


def luck(d, accuracy, confidence):
    """Return q: those runs on dummies all fail with probability above `confidence`."""
    runs = hopeless_runs(d, accuracy, confidence)
    return -mp.expm1(mp.log(confidence) / runs) if runs >= 1 else mp.mpf(1)


def moved(m, log_luck, mass, epsilon):
    """E[min(1, q e^(eps K))] for K ~ Bin(m, mass), in floats."""
    count = np.arange(m + 1)
    return float(binom.pmf(count, m, mass) @ np.exp(np.minimum(log_luck + epsilon * count, 0.0)))


def corollary_4_3(m, d, epsilon, alpha, beta):
    """The papers' point: s = 4 alpha and delta' = 1/4, for alpha at most 1/4."""
    q = luck(d, mp.mpf(1) / 4, mp.mpf(1) / 4)
    return moved(m, float(mp.log(q)), min(4 * alpha, 1.0), epsilon) >= 1 - beta


def log_lucks(d, accuracy):
    """Return log q over a grid of delta', in floats (so 2^bits is not rounded above 2^40)."""
    most = (0.5 - accuracy) / (1 - accuracy)
    confidence = most * np.concatenate(
        [np.geomspace(1e-9, 0.5, 400), np.linspace(0.5, 0.9999, 400)]
    )
    gamma = accuracy + confidence - accuracy * confidence
    bits = d * (1 + gamma * np.log2(gamma) + (1 - gamma) * np.log2(1 - gamma))
    whole = np.log(np.maximum(np.ceil(np.exp2(np.minimum(bits, 40.0)) - 1e-9) - 1, 1e-300))
    ratio = np.log(-np.log(confidence)) - np.where(bits > 40, bits * np.log(2), whole)
    exponent = np.exp(np.clip(ratio, -36.0, 5.0))
    return np.where(ratio < -36, ratio, np.log(-np.expm1(-exponent))), confidence


@lru_cache(maxsize=64)
def paths(d, alpha):
    """Return mass and M of all (l, j) up to l = 64, and above of l = d and those just below it."""
    lengths = {*range(1, min(d, 64) + 1), *(range(d - 20, d + 1) if d > 84 else range(1, d + 1))}
    found = []
    for length in sorted(lengths):
        term, good = 1, 0
        for j in range(1, length + 1):
            good, term = good + term, term * (length - j + 1) // j
            if j > decimal(alpha) * length:
                found.append((length, min(1.0, alpha * length / j), good))
    length, mass, good = (np.array(column) for column in zip(*found, strict=True))
    logs = np.array([math.log(one) for one in good.tolist()])
    return mass, logs, length * math.log(2) + np.log1p(-(0.5 ** length.astype(float)))


def littlestone(m, d, epsilon, alpha, beta):
    """Tell that no path (l, j) excludes m, by the sum over K."""
    mass, good, rivals = paths(d, alpha)
    count = np.arange(m + 1)[:, None]
    share = np.minimum(good - np.logaddexp(0.0, rivals - epsilon * count), 0.0)
    return bool((np.exp(share) * binom.pmf(count, m, mass)).sum(axis=0).min() >= 1 - beta - 1e-13)


def littlestone_entropy(m, d, epsilon, alpha, beta):
    """Tell that no (s, delta') of a grid finer than the core's excludes m."""
    for s in np.geomspace(2.001 * alpha, 1.0, 160) if 2.001 * alpha < 1 else [1.0]:
        if moved(m, log_lucks(d, alpha / s)[0].min(), s, epsilon) < 1 - beta:
            return False
    return True


def by_the_book(m, d, epsilon, alpha, beta):
    """Tell that no (s, k0, delta') of a grid excludes m, as the proof writes it."""
    confidence = np.geomspace(1e-3, 0.45, 24)
    for s in np.geomspace(2.05 * alpha, 1.0, 24) if 2.05 * alpha < 1 else []:
        middle, spread = m * s, np.sqrt(m * s * (1 - s)) + 1
        cuts = {*range(12), *np.round(middle + spread * np.linspace(-1, 2.5, 15)).astype(int)}
        for cut in sorted(k for k in cuts if 0 <= k <= m):
            often = 1 - beta - binom.sf(cut, m, s)
            if often <= 0:
                continue
            # N = ceil(log(1/delta') / pi), pi = e^(-eps k0) (1 - beta - Pr[Bin(m, s) > k0]).
            runs = np.log(-np.log(confidence)) + epsilon * cut - np.log(often)
            few = np.log(np.ceil(np.exp(np.minimum(runs, 30))))
            runs = np.where(runs < 30, few, runs)
            gamma = alpha / s + confidence - alpha / s * confidence
            bits = d * (1 + gamma * np.log2(gamma) + (1 - gamma) * np.log2(1 - gamma))
            if ((gamma < 0.5) & (runs / np.log(2) < bits)).any():
                return False
    return True


def rivals_cost_more(d, epsilon, alpha, beta):
    """Tell where Lemma 5.2 may pass the packing bound for intervals.

    It has T rivals on databases that differ everywhere; the packing bound has T - 3, and a share
    of 2 alpha that differs. So near alpha = 1/2 and for few rivals the lemma is ahead.
    """
    del epsilon
    odds = np.log((1 - beta) / beta)
    whole = np.minimum(d, 60)
    return 2 * alpha * (np.log(2.0**whole) + odds) > np.log(2.0**whole - 3) + odds


# --- The referee's tiny games -------------------------------------------------------------------


def tower_tasks(b, s, size, a):
    """Return what one step of tower packing is proved on: a number's first digits, then zeros, and itself."""
    tasks = []
    for y, x in itertools.product(range(b ** (s - 1)), range(s)):
        rest = b ** (s - 1 - x)
        low, high = 2 * (y // rest * rest) + 2, 2 * y + 3
        row = tuple(int(point < high) for point in range(1, size + 1))
        tasks.append(Task(row, {1: above(1 - 2 * a, -2), low: above(a), high: above(a)}))
    return tasks


class IntervalGames(PointGames):
    """INTERVAL_d."""

    name = "interval"
    # At the settings of the referee it asks for more examples than are played.
    unplayed = frozenset({"tree-3"})

    def targets(self, d):
        return range(1, 2**d + 2)

    def row(self, target, d):
        return tuple(int(x < target) for x in range(1, 2**d + 1))

    def picture(self, distribution, d, alpha):
        a, size = decimal(alpha), 2**d
        if distribution.name == "hard":
            # At a = 1/2 nothing is left for point 1.
            rest = above(1 - 2 * a, -2 if a < HALF else 0)
            return [
                Task(self.row(j, d), {1: rest, j - 1: above(a), j: above(a)})
                for j in range(3, size + 1)
            ]
        if distribution.name == "uniform":
            flat = {x: exactly(Fraction(1, size)) for x in range(1, size + 1)}
            return [Task(self.row(j, d), flat) for j in self.targets(d)]
        return None

    def worst(self, d, alpha):
        a, size = decimal(alpha), 2**d
        if d >= 2 and a <= HALF:
            hard = next(x for x in self.concept.distributions if x.name == "hard")
            yield "hard", self.picture(hard, d, alpha), None
        # Half of the mass on either side of the step.
        halves = [
            Task(self.row(j, d), {j - 1: exactly(HALF), j: exactly(HALF)})
            for j in range(2, size + 1)
        ]
        halves.append(Task(self.row(1, d), {1: exactly(1)}))
        halves.append(Task(self.row(size + 1, d), {size: exactly(1)}))
        yield "halves", halves, None
        pair = {2: above(a), 1: above(1 - a, -1)}
        yield "pair", [Task(self.row(2, d), pair), Task(self.row(3, d), pair)], None
        yield from self._towers(d, a)
        yield from self._paths(d, a)

    def _towers(self, d, a):
        size = 2**d
        for b, s in itertools.product(range(2, size), range(2, size)):
            if a < HALF and 2 * b ** (s - 1) + 1 <= size:
                yield f"tower-{b}-{s}", tower_tasks(b, s, size, a), None

    def _paths(self, d, a):
        """Yield the families of binary search over the points 2..T, which c_2..c_{T+1} solve.

        The path of a target gets mass s, point 1 the rest. As little as k of its d points must
        suffice to fail: s just above d a / k, or all of the mass.
        """
        size = 2**d
        paths = {j: _search(j, 2, size + 1) for j in range(2, size + 2)}
        shares = [(f"path-{k}", above(d * a / k)) for k in range(1, d + 1) if d * a / k < 1]
        for name, (value, slope) in [*shares, ("path", exactly(1))]:
            tasks = [
                Task(
                    self.row(j, d),
                    {1: (1 - value, -slope)} | dict.fromkeys(path, (value / d, slope / d)),
                )
                for j, path in paths.items()
            ]
            yield name, tasks, lambda symbols: _flips(symbols, 2, size + 1)


def _middle(low, high):
    return low + (high - low + 1) // 2 - 1


def _search(j, low, high):
    """Return the points that binary search for c_j asks, j from low to high: is it beyond x?"""
    path = []
    while low < high:
        x = _middle(low, high)
        path.append(x)
        low, high = (x + 1, high) if x < j else (low, x)
    return path


def _flips(symbols, low, high):
    """Yield, for every node of the tree, the exchange of its labels and of its two subtrees."""
    if low >= high:
        return
    x = _middle(low, high)
    moved = {(x, 0): (x, 1), (x, 1): (x, 0)}
    shift = x + 1 - low
    for point in range(low, x):
        for y in (0, 1):
            moved |= {(point, y): (point + shift, y), (point + shift, y): (point, y)}
    place = {symbol: a for a, symbol in enumerate(symbols)}
    yield tuple(place[moved.get(symbol, symbol)] for symbol in symbols)
    yield from _flips(symbols, low, x)
    yield from _flips(symbols, x + 1, high)


PURE = dict.fromkeys(
    ("littlestone", "littlestone-entropy", "corollary-4.3"),
    lambda x: x.privacy == "pure" and not x.unlabelled,
)
PURE_PROPER = dict.fromkeys(
    ("packing", "packing-two", "lemma-5.2"),
    lambda x: x.proper and x.privacy == "pure" and not x.unlabelled,
)

KNOWN = Known(
    variants={"generic": [Generic(u=1, levels=1), Generic(u=2, levels=2)]},
    quick={"generic": Generic(u=40, levels=2)},
    most_bits={"generic": 3},
    enumerating={"search": (4096, "must be at most 4096"), "generic": (62, "must be at most 62")},
    targets={IntervalDistribution: Thresholds()},
    # The hard distribution has two rare points.
    alpha_most=0.5,
    is_concept=is_threshold,
    tiny_bits=(3, 4),
    holds={
        "littlestone": littlestone,
        "corollary-4.3": corollary_4_3,
        "littlestone-entropy": littlestone_entropy,
    },
    binds={
        "nonprivate": lambda _: True,
        "labels": lambda x: x.privacy == "pure",
        "packing-delta": lambda x: x.proper and x.privacy == "approximate",
        "tower": lambda x: x.proper and x.privacy == "approximate",
    } | PURE | PURE_PROPER,
    slack=dict.fromkeys(("tree", "tree-2", "tree-3"), SLACK),
    searched={"littlestone": 0.005, "littlestone-entropy": 0.005},
    thinned={"littlestone": 10, "littlestone-entropy": 10},
    weaker={
        ("lemma-5.2", "packing"): rivals_cost_more,
        ("corollary-4.3", "littlestone-entropy"): lambda d, *_: d < 0,
        ("littlestone-entropy", "littlestone"): lambda d, *_: d < 0,
        ("finite-class", "theorem-3.2"): lambda d, *_: d < 0,
        ("packing", "packing-two"): lambda d, *_: d < 0,
        ("nonprivate", "labels"): lambda d, *_: d < 0,
        ("packing-delta", "packing"): lambda d, *_: d < 0,
    },
    referee=IntervalGames(),
    cards=(("erm", "exponential"), ("labels", "finite-class")),
    whom={
        "labels": "for every ε-DP learner, proper or not",
    },
    defaults={
        "learners": ("erm", "exponential"), "dist": "hard", "map": "exponential", "w": 16,
        "lam": 0.5, "mu": 0.05, "draw": 2, "switches": 6, "target": 17, "hyp": 1, "depth": 4,
        "tree": "", "who": "exponential", "nwho": "exponential",
        "pack": "packing", "goal": "middle", "delta": 0.0, "u": 4000,
        "on": "cascade", "rungs": 8, "many": 1000, "climb": "draw", "again": 1, "change": "none",
        "nth": 1, "place": 1, "labelled": 700, "rerun": 1,
    },
    rich="open=boxes.contrast.noise.switching.tree.ladder.interior.microscope.neighbours.bound-packing.recipe",
    moving="exponential",
)  # fmt: skip
