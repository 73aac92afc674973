"""Data release for POINT_d, written a second time."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import itertools
import math
from fractions import Fraction

import mpmath as mp
import numpy as np

from privsc_core.catalog import concept
from privsc_core.concepts.contracts import Source
from privsc_core.concepts.release.distributions import ReleaseDatabase
from privsc_core.concepts.release.learners import Laplace
from tests.classes.known import Known
from tests.core.support import decimal
from tests.referee.anyone import anyone
from tests.referee.games import Game, largest

# --- Databases and enumerations -----------------------------------------------------------------


def entries_of(database, m, d, alpha):
    """Return {point: how often} of a database for data release: ceil(3 alpha m) rare entries."""
    if database.name == "single":
        return {2**d: m}
    rare = math.ceil(3 * decimal(alpha) * m)
    return {point: n for point, n in ((2**d, rare), (1, m - rare)) if n}


def vectors(m, points):
    """Yield all vectors of counts."""
    if points == 1:
        yield (m,)
        return
    for first in range(m + 1):
        for rest in vectors(m - first, points - 1):
            yield (first, *rest)


def laplace_mass(low, high, epsilon):
    """Return Pr[low < Lap(2/eps) < high] in fifty digits."""

    def cdf(y):
        if mp.isinf(y):
            return mp.mpf(y > 0)
        tail = mp.exp(-abs(y) * mp.mpf(epsilon) / 2) / 2
        return 1 - tail if y > 0 else tail

    return cdf(high) - cdf(low)


def laplace_point(n, tau, reach, epsilon):
    """Cut the line where anything changes, and look at each piece."""
    n, tau, reach = mp.mpf(n), mp.mpf(tau), mp.mpf(reach.numerator) / reach.denominator
    cuts = sorted({-reach, reach, tau - n})
    total = mp.mpf(0)
    for low, high in itertools.pairwise([-mp.inf, *cuts, mp.inf]):
        middle = high - 1 if mp.isinf(low) else low + 1 if mp.isinf(high) else (low + high) / 2
        released = n + middle if n + middle >= tau else 0
        if abs(released - n) < reach:
            total += laplace_mass(low, high, epsilon)
    return total


def geometric_point(n, tau, reach, epsilon):
    """Add up over the noise, far into the tails."""
    q = mp.exp(-mp.mpf(epsilon) / 2)
    far = int(80 / epsilon) + n + 20
    return mp.fsum(
        (1 - q) / (1 + q) * q ** abs(y)
        for y in range(-far, far + 1)
        if abs((n + y if n + y >= tau else 0) - n) < reach
    )


def histogram_success(learner, counts, epsilon, alpha):
    """Multiply over all points of a tiny domain; `counts` lists every point."""
    m = sum(counts)
    tau = learner.threshold(m, epsilon=epsilon, alpha=alpha)
    one = laplace_point if isinstance(learner, Laplace) else geometric_point
    if isinstance(learner, Laplace) and learner.lost == 0.5:
        tau = mp.mpf((decimal(alpha) * m).numerator) / (decimal(alpha) * m).denominator
    known = {n: one(n, tau, decimal(alpha) * m, epsilon) for n in set(counts)}
    return float(mp.fprod(known[n] for n in counts))


def stability_success(counts, epsilon, alpha, delta):
    tau = 1 + 2 / mp.mpf(epsilon) * mp.log(1 / (2 * mp.mpf(delta)))
    reach = decimal(alpha) * sum(counts)
    return float(mp.fprod(laplace_point(n, tau, reach, epsilon) for n in counts if n))


def blr_success(counts, epsilon, alpha):
    """List every synthetic database, by the definition of the exponential mechanism."""
    m, size, a = sum(counts), math.ceil(2 / decimal(alpha)), decimal(alpha)
    good = everything = mp.mpf(0)
    for synthetic in vectors(size, len(counts)):
        error = max(
            abs(Fraction(c, size) - Fraction(n, m)) for c, n in zip(synthetic, counts, strict=True)
        )
        weight = mp.exp(-mp.mpf(epsilon) * m * error.numerator / error.denominator / 2)
        everything += weight
        good += weight if error < a else 0
    return float(good / everything)


def release_success(learner, database, m, d, epsilon, alpha, beta):
    """Multiply over the points in fifty digits, or list every synthetic database."""
    known = entries_of(database, m, d, alpha)
    counts = [known.get(point, 0) for point in range(1, 2**d + 1)]
    if learner.name == "blr":
        return blr_success(counts, epsilon, alpha)
    if learner.name == "stability":
        return stability_success(counts, epsilon, alpha, learner.delta)
    return histogram_success(learner, counts, epsilon, alpha)


# --- The referee's tiny games -------------------------------------------------------------------


class _Given(ReleaseDatabase):
    """A database as it is."""

    name = "given"
    title = meaning = "a database"
    source = Source("ours", "a database")

    def __init__(self, row):
        object.__setattr__(self, "row", row)

    def points(self, d):
        del d
        return tuple(x for x, n in enumerate(self.row, start=1) if n)

    def heights(self, m, alpha):
        del alpha
        return tuple(np.full(m.shape, n) for n in self.row if n)


class ReleaseGames:
    """Data release for POINT_d: a task is a database, an answer is a number for every point.

    A release is good for all databases of a set when for every point their counts lie within less
    than 2 alpha m of each other: then the middle is less than alpha m from each. There is nothing
    to be proper about, and the claims are about the worst database.
    """

    name = "release"
    bits = (1, 2, 3)
    given = True  # its tasks are databases
    stand_ins = tuple(
        anyone("releases", p, labelled=False) for p in ("none", "approximate", "pure")
    )

    def __init__(self):
        self._known = {}

    @property
    def concept(self):
        return concept(self.name)

    def games(self, stand_in, d, alpha, m):
        """Return the game of all databases, and of those of the paper's proof."""
        del stand_in
        key = (d, alpha, m)
        if key not in self._known:
            found = {}
            # As many windows as a release may have are listed.
            if math.comb(m + 2**d - 1, m) <= 400 and (m + 1) ** 2**d <= 70_000:
                found["all"] = self._game(_counts(2**d, m), decimal(alpha), m)
            for factor in (2, 3):
                rare = math.ceil(factor * decimal(alpha) * m)
                if rare <= m:
                    family = [tuple(m * (x == 0) for x in range(2**d))]
                    family += [
                        tuple((m - rare) * (x == 0) + rare * (x == i) for x in range(2**d))
                        for i in range(1, 2**d)
                    ]
                    found[f"rare-{factor}"] = self._game(family, decimal(alpha), m)
            self._known[key] = found
        return self._known[key]

    def pictured(self, stand_in, distribution, d, alpha, m):
        del stand_in, distribution, d, alpha, m

    def alike(self, row):
        """Return the counts in order: points are all alike."""
        return tuple(sorted(row))

    def database(self, row):
        return _Given(row)

    def covers(self, bound, row, a):
        """Tell whether an upper bound speaks of a database, given by its counts.

        With the threshold at alpha m a histogram may lose a count near it: such a bound (`lost` is
        1/2) leaves out the databases with a count from alpha m to below 2 alpha m.
        """
        m = sum(row)
        return getattr(bound, "lost", 0.0) < 0.5 or not any(a * m <= n < 2 * a * m for n in row)

    def _game(self, family, a, m):
        size = len(family[0])
        width = math.ceil(2 * a * m) - 1  # counts that differ by less than 2 alpha m
        windows = itertools.product(range(max(m - width, 0) + 1), repeat=size)
        sets = {
            frozenset(
                t for t, row in enumerate(family)
                if all(low <= n <= low + width for low, n in zip(ends, row, strict=True))
            )
            for ends in windows
        }  # fmt: skip
        return Game(tuple(range(1, size + 1)), tuple(family), largest(sets), fixed=True)


def _counts(points, m):
    if points == 1:
        return [(m,)]
    return [(n, *rest) for n in range(m, -1, -1) for rest in _counts(points - 1, m - n)]


KNOWN = Known(
    # The hard database needs ceil(3 alpha m) of its m entries.
    alpha_most=0.333,
    enumerating={"blr": (2, r"^d must leave at most 200000 synthetic databases")},
    least_alpha={"blr": 0.02},
    shown_apart=frozenset({"blr"}),
    # Released counts are real numbers, enumerated in bins that are wider than the tolerance.
    enumerators=dict.fromkeys(("laplace", "geometric", "blr", "stability"), release_success),
    # Eight points have 19,448 synthetic databases of ten entries.
    most_bits={"blr": 2},
    changed=lambda m, alpha: math.ceil(2 * alpha * m),
    # Every release is bound: it has no form to choose.
    binds=dict.fromkeys(("packing", "packing-two", "theorem-7.2"), lambda x: x.privacy == "pure"),
    thinned={"laplace": 5},
    # Multisets are counted for every d.
    slow={"blr": 5},
    weaker={
        ("theorem-7.2", "packing"): lambda d, *_: d < 0,
        ("packing", "packing-two"): lambda d, *_: d < 0,
        ("packing-two", "laplace"): lambda d, *_: d < 0,
    },
    referee=ReleaseGames(),
    cards=(("laplace", "stability"), ("packing-two",)),
    whom={"packing-two": "for every ε-DP mechanism"},
    defaults={
        "learners": ("laplace", "stability"), "dist": "hard", "map": "laplace", "delta": 1e-6,
        "mech": "laplace", "rdraw": 1, "data": "zipf", "who": "stability", "nwho": "stability",
        "pack": "packing",
    },
    rich="open=boxes.histogram.delta.microscope.neighbours.recipe&tab=notation",
    moving="laplace",
)  # fmt: skip
