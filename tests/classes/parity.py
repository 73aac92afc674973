"""PARITY_d, written a second time."""

import functools
import math
from fractions import Fraction

import mpmath as mp

from privsc_core.concepts.parity.distributions import Parity, ParityDistribution
from tests.classes.known import Known, Target
from tests.classes.point import PointGames
from tests.core.support import decimal, flat
from tests.referee.games import Task, above, exactly

HALF = Fraction(1, 2)


def inner(r, x):
    """<r, x> modulo 2, of two texts of bits."""
    return sum(a == b == "1" for a, b in zip(r, x, strict=True)) % 2


class Parities(Target):
    """The target is the parity of all bits."""

    def truth(self, distribution, d):
        del distribution
        return lambda x: inner("1" * d, f"{x - 1:0{d}b}")

    def critical(self, distribution, d):
        del distribution
        return [1 + 2**bit for bit in range(d)]

    def masses(self, distribution, d, alpha):
        del alpha
        if distribution.name in {"uniform", "noisy"}:
            return flat(1, 2**d)
        a, nothing = decimal(distribution.a), Fraction(0)
        spikes = {1 + 2**bit: (a / d, nothing) for bit in range(d)}
        return ({1: (1 - a, nothing)} if a < 1 else {}) | spikes

    def concepts(self, d):
        return [Parity(j, d) for j in range(1, 2**d + 1)]

    def read(self, number):
        return Parity(number, 16)

    def wrong(self, distribution):
        return distribution.eta if distribution.name == "noisy" else 0.0

    def small(self, distribution):
        return {"spikes": [(0.93,), (1.0,)], "noisy": [(0.2,)]}.get(distribution.name, ())


def is_parity(row):
    return all(row[x ^ y] == row[x] ^ row[y] for x in range(len(row)) for y in range(len(row)))


# --- Inequalities of bounds ----------------------------------------------------------------------


@functools.lru_cache(maxsize=10_000)
def solved(m, d):
    """R(m, d) by the number of matrices of every rank."""
    total, matrices = mp.mpf(0), mp.mpf(1)
    for rank in range(min(m, d) + 1):
        total += matrices * mp.mpf(2) ** (-(m - rank) * (d - rank) - (d - rank))
        one, two = 1 - mp.mpf(2) ** (rank - m), 1 - mp.mpf(2) ** (rank - d)
        matrices *= one * two / (1 - mp.mpf(2) ** (-rank - 1))
    return total


def few_wrong(d, alpha):
    """List every v up to d with every r such that r + 1 of v points may weigh more than alpha."""
    return [(v, r) for v in range(1, d + 1) for r in range(math.floor(decimal(alpha) * v), v)]


# --- The referee's tiny games -------------------------------------------------------------------


class ParityGames(PointGames):
    """PARITY_d."""

    name = "parity"

    def row(self, target, d):
        return tuple(inner(f"{target - 1:0{d}b}", f"{x:0{d}b}") for x in range(2**d))

    def picture(self, distribution, d, alpha):
        masses = Parities().masses(distribution, d, alpha)
        return [Task(self.row(t, d), masses) for t in self.targets(d)]

    def worst(self, d, alpha):
        a = decimal(alpha)
        if a < HALF:
            everywhere = {x: exactly(Fraction(1, 2**d)) for x in range(1, 2**d + 1)}
            yield "uniform", [Task(self.row(t, d), everywhere) for t in self.targets(d)], None
            spikes = {1 + 2**bit: exactly(HALF / d) for bit in range(d)} | {1: exactly(HALF)}
            yield "spikes", [Task(self.row(t, d), spikes) for t in self.targets(d)], None
            # On the first v bits, r + 1 wrong ones weigh just over alpha.
            for v, r in few_wrong(d, alpha):
                rare = {1 + 2**bit: above(a / (r + 1)) for bit in range(v)}
                spikes = rare | {1: above(1 - v * a / (r + 1), -v)}
                targets = self.targets(d)[: 2**v]
                yield f"rare {r} of {v}", [Task(self.row(t, d), spikes) for t in targets], None


def pure(learner):
    return learner.privacy == "pure"


KNOWN = Known(
    targets={ParityDistribution: Parities()},
    alpha_most=0.4999,
    is_concept=is_parity,
    enumerating={"exponential": (18, "^d must be at most 18 to go through all")},
    binds={
        "converse": pure, "converse-spikes": pure, "vc": pure,
    },
    thinned={"converse-spikes": 5, "vc": 20},
    weaker={("exponential", "finite-class"): lambda d, *_: d < 0},
    referee=ParityGames(),
    cards=(("erm", "elimination", "exponential"), ("exponential",)),
    defaults={
        "d": 16, "learners": ("erm", "exponential", "elimination"), "dist": "uniform",
        "map": "elimination", "a": 0.5, "eta": 0.02, "who": "elimination", "nwho": "elimination", "tol": 0.05,
    },
    rich="open=contrast.microscope.neighbours.queries.bound-converse.recipe",
    moving="elimination",
)  # fmt: skip
