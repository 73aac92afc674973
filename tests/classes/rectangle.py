"""RECTANGLE_d, written a second time."""
# ruff: noqa: PLR0917 - a setting is (m, d, epsilon, alpha, beta), in this order everywhere

import functools
import itertools
import math

import mpmath as mp
import numpy as np
from scipy.stats import binom

from privsc_core.concepts.contracts import Cell
from privsc_core.concepts.shared.sample import Sample
from tests.classes.known import Known
from tests.classes.point import PointGames
from tests.core.references import converse_mean, exact
from tests.core.support import decimal
from tests.referee.games import Task, above

# --- Boards and distributions -------------------------------------------------------------------


def spot(point, bits):
    """Return (x, y), from 1 on, of a point whose last bits are those of y."""
    return 1 + (point - 1) // 2 ** (bits // 2), 1 + (point - 1) % 2 ** (bits // 2)


def ranges(size):
    return list(itertools.combinations_with_replacement(range(1, size + 1), 2))


def cut_out(box, bits):
    """Return the labels of all points by a rectangle (left, right, bottom, top)."""
    left, right, bottom, top = box
    where = (spot(point, bits) for point in range(1, 2**bits + 1))
    return tuple(int(left <= x <= right and bottom <= y <= top) for x, y in where)


@functools.cache
def rows(bits):
    """Return the labels of all rectangles, the empty one last."""
    wide, high = 2 ** (bits - bits // 2), 2 ** (bits // 2)
    every = itertools.product(ranges(wide), ranges(high))
    return {cut_out((*x, *y), bits) for x, y in every} | {(0,) * 2**bits}


def is_rectangle(row):
    return tuple(row) in rows(len(row).bit_length() - 1)


def middles(box, size):
    """Return (inner, outer) of left, right, bottom, top for a target around the centre."""
    left, right, bottom, top = box
    c = size // 2
    return (
        ((left, c), (left - 1, c)), ((right, c), (right + 1, c)),
        ((c, bottom), (c, bottom - 1)), ((c, top), (c, top + 1)),
    )  # fmt: skip


def masses(box, size, alpha):
    """Return {(x, y): (mass, slope)} of `hard8` with a target."""
    a = decimal(alpha)
    found = {(size // 2, size // 2): above(1 - 8 * a, -8)}
    for pair in middles(box, size):
        for place in pair:
            found[place] = above(a)
    return found


def by_points(learner, distribution, m, d, epsilon, alpha, beta):
    """Sum over all samples of the nine points, and over what the learner puts out."""
    size, box = 2**d, (2 ** (d - 2), 3 * 2 ** (d - 2), 2 ** (d - 2), 3 * 2 ** (d - 2))
    law = masses(box, size, alpha)
    support = [(place, float(value)) for place, (value, _) in law.items() if value]
    total = 0.0
    for drawn in itertools.combinations_with_replacement(support, m):
        places = [place for place, _ in drawn]
        labels = [int(box[0] <= x <= box[1] and box[2] <= y <= box[3]) for x, y in places]
        sample = Sample.of(2 * d, [1 + (x - 1) * size + y - 1 for x, y in places], labels)
        shares = learner.output_distribution(sample, Cell(sample.d, epsilon, alpha, beta))
        orders = math.factorial(m)
        for _, same in itertools.groupby(places):
            orders //= math.factorial(len(list(same)))
        good = sum(share for number, share in shares.items() if share and right(number, law, box))
        total += good * orders * math.prod(chance for _, chance in drawn)
    return total


def right(number, law, box):
    """Tell whether a rectangle, its sides in ten bits each, labels the nine points as the target."""
    left, last, bottom, top = (number >> 10 * k & 1023 for k in (3, 2, 1, 0))
    return all(
        (left <= x <= last and bottom <= y <= top)
        == (box[0] <= x <= box[1] and box[2] <= y <= box[3])
        for (x, y), (mass, slope) in law.items() if mass or slope > 0
    )  # fmt: skip


# --- Inequalities of bounds ----------------------------------------------------------------------


def nonprivate(m, d, epsilon, alpha, beta):
    a = exact(alpha)
    if 4 * a > 1 or d < 3:
        return True
    return sum(math.comb(4, j) * (-mp.mpf(1) / 2) ** j * (1 - j * a) ** m for j in range(5)) >= (
        1 - exact(beta)
    )


@functools.lru_cache(maxsize=200)
def pairs(epsilon, most):
    """Return E of the product of two factors, by their number of examples, in floats."""
    one = 1 / (1 + np.exp(-np.minimum(epsilon * np.arange(most + 1), 700)))
    return np.array([
        binom.pmf(np.arange(n + 1), n, 0.5) @ (one[: n + 1] * one[n::-1]) for n in range(most + 1)
    ])  # fmt: skip


def labels(m, d, epsilon, alpha, beta):
    """In floats: the counts of both pairs of points by the full binomials."""
    if 4 * alpha > 1 or d < 3:
        return True
    most = min(m, int(4 * alpha * m + 10 * math.sqrt(4 * alpha * m) + 40))
    pair = pairs(epsilon, most)
    four = [
        binom.pmf(np.arange(n + 1), n, 0.5) @ (pair[: n + 1] * pair[n::-1]) for n in range(most + 1)
    ]
    return binom.pmf(np.arange(most + 1), m, min(4 * alpha, 1.0)) @ four >= 1 - beta - 1e-12


def packing(m, d, epsilon, alpha, beta):
    if 8 * exact(alpha) > 1 or d < 3:
        return True
    half = mp.mpf(2) ** (d - 1)
    rivals = ((half - 2) * (half - 1)) ** 2 - 1
    return converse_mean(m, rivals, exact(epsilon), 8 * exact(alpha)) >= 1 - exact(beta)


def finite_class(m, d, epsilon, alpha, beta):
    size = mp.mpf(2) ** d
    r = 1 - exact(alpha) * (1 - mp.exp(-exact(epsilon) / 2))
    return (size * (size + 1) / 2) ** 2 * r**m <= exact(beta)


# --- The referee's tiny games -------------------------------------------------------------------


class RectangleGames(PointGames):
    """The board of 8 times 8, of which only the points of the tasks matter."""

    name = "rectangle"
    bits = (3,)

    def targets(self, d):
        return range(1, len(rows(d)) + 1)

    def row(self, target, d):
        return sorted(rows(d))[target - 1]

    def middles(self, d, alpha):
        """Return the 16 tasks of four shattered points: the inner middles, with the centre."""
        size, low, high = 2**d, 2 ** (d - 2), 3 * 2 ** (d - 2)
        c, a = size // 2, decimal(alpha)
        law = {(c, c): above(1 - 4 * a, -4)}
        law |= {inner: above(a) for inner, _ in middles((low, high, low, high), size)}
        by_point = {1 + (x - 1) * size + y - 1: mass for (x, y), mass in law.items()}
        return [
            Task(cut_out((low + i, high - j, low + k, high - n), 2 * d), by_point)
            for i, j, k, n in itertools.product((0, 1), repeat=4)
        ]

    def answers(self, kind, d, support):
        del kind, d  # every labelling that matters is that of a rectangle
        for row in itertools.product((0, 1), repeat=len(support)):
            known = dict(zip(support, row, strict=True))
            yield tuple(known.get(x, 0) for x in range(1, max(support) + 1))

    def picture(self, distribution, d, alpha):
        del distribution, d, alpha
        return []

    def worst(self, d, alpha):
        if 4 * decimal(alpha) <= 1:
            yield "middles", self.middles(d, alpha), None


KNOWN = Known(
    alpha_most=0.125,
    is_concept=is_rectangle,
    continuum=frozenset({"hard8"}),
    enumerators=dict.fromkeys(("erm", "exponential"), by_points),
    tiny_bits=(3,),
    holds={
        "nonprivate": nonprivate, "labels": labels, "packing": packing, "finite-class": finite_class,
    },
    binds={
        "nonprivate": lambda _: True, "labels": lambda x: x.privacy in {"pure", "label"},
        "packing": lambda x: x.proper and x.privacy == "pure",
    },
    thinned={"labels": 10},
    slow={"exponential": 10},
    referee=RectangleGames(),
    cards=(("erm", "exponential"), ("labels", "packing")),
    whom={
        "labels": "for everyone who protects labels at least",
        "packing": "impossible below",
    },
    defaults={
        "d": 16, "learners": ("erm", "exponential"), "dist": "hard8", "map": "exponential",
        "who": "exponential", "nwho": "exponential", "pack": "packing",
    },
    rich="open=microscope.neighbours.bound-packing.recipe",
    moving="exponential",
)  # fmt: skip
