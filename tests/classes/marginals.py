"""2-way marginals, written a second time."""

import functools
import itertools
import math
from dataclasses import dataclass

import mpmath as mp
import numpy as np

from privsc_core.catalog import concept
from privsc_core.concepts.marginals.distributions import Clusters
from tests.classes.conjunction import deviation
from tests.classes.known import Known
from tests.core.references import exact
from tests.core.support import decimal
from tests.referee.anyone import anyone
from tests.referee.games import Game, largest


def row(point, d):
    """Return the signs of a row, a constant in front."""
    return (1, *(1 if b == "1" else -1 for b in reversed(f"{point - 1:0{d}b}")))


def sums(points, d):
    """Return the sums of all products of two signs over a table."""
    rows = [row(x, d) for x in points]
    return tuple(sum(r[j] * r[k] for r in rows) for j, k in itertools.combinations(range(d + 1), 2))


@functools.cache
def turned(d):
    """Return how many products one row can turn, by trying all pairs of rows."""
    if d <= 6:
        first = row(1, d)
        return max(
            sum(
                first[j] * first[k] != r[j] * r[k]
                for j, k in itertools.combinations(range(d + 1), 2)
            )
            for r in (row(x, d) for x in range(1, 2**d + 1))
        )
    return max(h * (d + 1 - h) for h in range(d + 2))


# --- Inequalities of bounds ----------------------------------------------------------------------


def projection(m, d, epsilon, alpha, beta):
    size, many = mp.mpf(d + 1), mp.mpf(d * (d + 1)) / 2
    sigma = 2 / mp.mpf(m) * mp.sqrt(turned(d)) * deviation(epsilon)
    mean = mp.sqrt(2 * sigma * mp.sqrt(size) / (size - 1))
    return mean + sigma * mp.sqrt(2 * mp.log(1 / exact(beta)) / many) <= exact(alpha)


# --- The referee's tiny games -------------------------------------------------------------------


@dataclass(frozen=True)
class _Given(Clusters):
    """A table as it is, by how often each row occurs; its errors count by their root mean square."""

    row: tuple = ()

    def moments(self, d):
        points = [x for x, n in enumerate(self.row, 1) for _ in range(n)]
        found = np.eye(d + 1)
        for (j, k), total in zip(
            itertools.combinations(range(d + 1), 2), sums(points, d), strict=True
        ):
            found[j, k] = found[k, j] = total / len(points)
        return found


class MarginalsGames:
    """A task is a table, an answer is a number for every product of two signs.

    A release is good for all tables of a set when for every product their means lie within 2 alpha
    of each other: then the middle is within alpha of each.
    """

    name = "marginals"
    bits = (1, 2)
    given = True  # its tasks are databases
    stand_ins = tuple(
        anyone("releases", p, labelled=False) for p in ("none", "approximate", "pure")
    )

    @property
    def concept(self):
        return concept(self.name)

    def games(self, stand_in, d, alpha, m):
        """Return the game of all tables, and of those of the proof."""
        del stand_in
        found = {}
        if math.comb(m + 2**d - 1, m) <= 40:
            found["all"] = self._game(
                list(itertools.combinations_with_replacement(range(1, 2**d + 1), m)), d, alpha, m
            )
        k = math.floor(decimal(alpha) * m) + 1
        if k <= m:
            family = [(1,) * (m - k) + (z,) * k for z in range(1, 2**d + 1)]
            found["copies"] = self._game(family, d, alpha, m)
        return found

    def pictured(self, stand_in, distribution, d, alpha, m):
        del stand_in, distribution, d, alpha, m

    def alike(self, row):
        return tuple(row)

    def covers(self, bound, row, a):
        del bound, row, a
        return True

    def database(self, row):
        return _Given(row)

    def _game(self, family, d, alpha, m):
        means = [sums(points, d) for points in family]
        width = 2 * decimal(alpha) * m
        ends = [sorted(set(column)) for column in zip(*means, strict=True)]
        sets = {
            frozenset(
                t for t, mean in enumerate(means)
                if all(low <= x <= low + width for low, x in zip(window, mean, strict=True))
            )
            for window in itertools.product(*ends)
        }  # fmt: skip
        counts = tuple(tuple(points.count(x) for x in range(1, 2**d + 1)) for points in family)
        return Game(tuple(range(1, 2**d + 1)), counts, largest(sets), fixed=True)


LIMIT = "^d must be at most 128 to list all marginals"

KNOWN = Known(
    enumerating=dict.fromkeys(("laplace", "gauss", "projected"), (128, LIMIT)),
    holds={"projection": projection},
    changed=lambda m, alpha: math.floor(alpha * m) + 1,
    binds={"packing": lambda x: x.privacy == "pure"},
    # A direction of the noise takes a dozen decompositions.
    slow={"projected": 18},
    referee=MarginalsGames(),
    cards=(("laplace", "gauss", "projected"), ("projection",)),
    defaults={
        "d": 16, "delta": 1e-6, "learners": ("laplace", "gauss", "projected"), "dist": "clusters",
        "map": "gauss", "rdraw": 1, "data": "clusters", "table": "clusters", "pack": "packing", "who": "projected", "nwho": "projected",
    },
    rich="open=matrix.errors.microscope.neighbours.recipe",
    moving="gauss",
)  # fmt: skip
