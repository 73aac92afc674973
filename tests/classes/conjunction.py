"""CONJUNCTION_d, written a second time."""

import functools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np
from scipy.stats import binom, norm

from privsc_core.concepts.conjunction.distributions import Conjunction, Spikes
from privsc_core.concepts.conjunction.laws import Product
from tests.classes.known import Known, Target
from tests.classes.parity import HALF, few_wrong
from tests.classes.point import PointGames
from tests.core.references import exact
from tests.core.support import decimal
from tests.referee.games import Task, above, exactly


def holds_all(s, x):
    """1 iff every bit of the text s that is 1 is 1 in the text x."""
    return int(all(b == "1" for a, b in zip(s, x, strict=True) if a == "1"))


def text(number, d):
    return f"{number - 1:0{d}b}"


def spike(bit, d):
    return 2**d - 2**bit


class Conjunctions(Target):
    """The target is the conjunction of the first bits, which are the lowest."""

    def target(self, distribution, d):
        s = math.floor(decimal(distribution.share) * d + HALF)
        return "0" * (d - s) + "1" * s

    def truth(self, distribution, d):
        target = self.target(distribution, d)
        return lambda x: holds_all(target, text(x, d))

    def critical(self, distribution, d):
        del distribution
        return [spike(bit, d) for bit in range(d)]

    def masses(self, distribution, d, alpha):
        del alpha
        a, nothing = decimal(distribution.a), Fraction(0)
        spikes = {spike(bit, d): (a / d, nothing) for bit in range(d)}
        return ({2**d: (1 - a, nothing)} if a < 1 else {}) | spikes

    def concepts(self, d):
        return [Conjunction(j, d) for j in range(1, 2**d + 1)]

    def read(self, number):
        return Conjunction(number, 16)

    def small(self, distribution):
        del distribution
        return [(0.93, 0.4), (1.0, 0), (0.5, 1)]


class Products(Conjunctions):
    """Every bit is 1 with probability 2^(-1/s), the target the conjunction of the first s."""

    def target(self, distribution, d):
        s = min(distribution.literals, d)
        return "0" * (d - s) + "1" * s

    def critical(self, distribution, d):
        del distribution
        return [1, *(spike(bit, d) for bit in range(d)), 2**d]

    def masses(self, distribution, d, alpha):
        del alpha
        one = Fraction(2.0 ** (-1.0 / min(distribution.literals, d)))
        bits = (text(x, d).count("1") for x in range(1, 2**d + 1))
        return {x: (one**n * (1 - one) ** (d - n), Fraction(0)) for x, n in enumerate(bits, 1)}

    def small(self, distribution):
        del distribution
        return [(1,), (2,), (4,)]


def is_conjunction(row):
    """Tell whether the points with label 1 are all those above the least of them."""
    ones = [x for x, y in enumerate(row) if y]
    least = len(row) - 1
    for x in ones:
        least &= x
    return bool(ones) and ones == [x for x in range(len(row)) if x & least == least]


# --- Inequalities of bounds ----------------------------------------------------------------------


def queries(m, d, alpha, beta, below):
    """d max{1 - F(theta), E F(theta - K)} <= beta, in floats."""
    theta, p = alpha * m / (2 * d), alpha / d
    spread = 12 * math.sqrt(m * p) + 60
    count = np.arange(max(0, int(m * p - spread)), min(m, int(m * p + spread)) + 1)
    return d * max(below(-theta), binom.pmf(count, m, p) @ below(theta - count)) <= beta


@functools.cache
def deviation(epsilon):
    """The standard deviation at sensitivity 1 and slack 10^-6."""
    e = exact(epsilon)

    def spent(s):
        return mp.ncdf(1 / (2 * s) - e * s) - mp.exp(e) * mp.ncdf(-1 / (2 * s) - e * s)

    low, high = mp.mpf("1e-3"), mp.mpf("1e7")
    for _ in range(120):
        middle = mp.sqrt(low * high)
        low, high = (low, middle) if spent(middle) <= exact(1e-6) else (middle, high)
    return float(high)


def queries_gauss(m, d, epsilon, alpha, beta):
    sigma = math.sqrt(d) * deviation(epsilon)
    return sigma >= 1 and queries(m, d, alpha, beta, lambda x: norm.cdf(x / sigma))


# --- The referee's tiny games -------------------------------------------------------------------


class ConjunctionGames(PointGames):
    """CONJUNCTION_d."""

    name = "conjunction"

    def row(self, target, d):
        return tuple(holds_all(text(target, d), text(x, d)) for x in range(1, 2**d + 1))

    def picture(self, distribution, d, alpha):
        if distribution.name != "spikes":
            return []
        masses = Conjunctions().masses(distribution, d, alpha)
        return [Task(self.row(t, d), masses) for t in self.targets(d)]

    def worst(self, d, alpha):
        if decimal(alpha) < HALF:
            spikes = {spike(bit, d): exactly(HALF / d) for bit in range(d)} | {2**d: exactly(HALF)}
            yield "spikes", [Task(self.row(t, d), spikes) for t in self.targets(d)], None
            for v, r in few_wrong(d, alpha):  # r + 1 wrong ones of v bits: just over alpha
                mass = decimal(alpha) / (r + 1)
                rare = {spike(bit, d): above(mass) for bit in range(v)} | {
                    2**d: above(1 - v * mass, -v)
                }
                targets = self.targets(d)[: 2**v]
                yield f"rare {r} of {v}", [Task(self.row(t, d), rare) for t in targets], None


KNOWN = Known(
    targets={Spikes: Conjunctions(), Product: Products()},
    alpha_most=0.4999,
    is_concept=is_conjunction,
    enumerating={"exponential": (18, "^d must be at most 18 to go through all")},
    holds={"queries-gauss": queries_gauss},
    binds=dict.fromkeys(("converse-spikes", "vc"), lambda x: x.privacy != "none"),
    thinned={"converse-spikes": 5, "vc": 20, "queries-laplace": 5, "queries-gauss": 5},
    slow={"sq-laplace": 10, "sq-gauss": 10},
    referee=ConjunctionGames(),
    cards=(("erm", "exponential", "sq-laplace"), ("finite-class", "untold")),
    defaults={
        "d": 16, "delta": 1e-6, "learners": ("erm", "exponential", "sq-laplace"), "dist": "spikes",
        "map": "exponential", "a": 0.5, "share": 0.5, "literals": 4, "who": "exponential", "nwho": "exponential",
    },
    rich="open=contrast.route.microscope.neighbours.bound-converse-spikes.recipe",
    moving="exponential",
)  # fmt: skip
